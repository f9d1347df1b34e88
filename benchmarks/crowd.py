"""How much of its time a large team keeps, and whether the intervals contain its rate, on made blocks.

    python benchmarks/crowd.py
    python benchmarks/crowd.py --threads 256 --disturbed 0.003 --runs 1000

Each thread is disturbed for a share of its blocks: alone and at any time (`single`), or for ten blocks in a row
(`bursts`). The memory is idle, or full: then the others use what the disturbed ones leave. Prints for each the share of
the moments that is kept, and how many of the 95 % intervals contain the rate. Exit status 1: less than 90 % is kept, or
the coverage of all runs is outside of 93 to 97 %.
"""

import argparse
import sys

import numpy as np

from tierscope.record.experiment import Schedule
from tierscope.record.result import BLOCK, PREEMPTED, Blocks
from tierscope.stats.point import judge

HZ = 1e6  # one tick is a microsecond
LENGTH = 1000  # ticks of a block
OPERATIONS = 10_000  # of an undisturbed block
BURST = 10  # blocks
SHARED_NOISE = 0.01  # of the whole team from block to block; that of 256 threads by themselves averages out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=256)
    parser.add_argument("--disturbed", type=float, default=0.003)
    parser.add_argument("--blocks", type=int, default=200)
    parser.add_argument("--runs", type=int, default=300)
    words = parser.parse_args()
    good = True
    for burst in (1, BURST):
        for full in (True, False):
            kept, inside = simulated(words, burst, full=full)
            name = f"{'bursts' if burst > 1 else 'single'}, memory {'full' if full else 'idle'}"
            print(f"{name}: {100 * kept:.1f} % of the moments kept, coverage {100 * inside:.1f} % of {words.runs}")
            good = good and kept >= 0.9 and 0.93 <= inside <= 0.97
    return 0 if good else 1


def simulated(words: argparse.Namespace, burst: int, *, full: bool) -> tuple[float, float]:
    """Return the mean share that is kept, and the share of intervals that contain the rate."""
    schedule, true = Schedule(), words.threads * OPERATIONS * HZ / LENGTH
    kept, inside = 0.0, 0
    for seed in range(words.runs):
        point = judge(team(np.random.default_rng(seed), words, burst, full=full), HZ, 1, schedule)
        interval = point.groups[0].interval
        kept += 1 - point.together.left_out_share
        inside += interval.low <= true <= interval.high
    return kept / words.runs, inside / words.runs


def team(draw: np.random.Generator, words: argparse.Namespace, burst: int, *, full: bool) -> Blocks:
    """Return the blocks of one run."""
    threads, blocks = words.threads, words.blocks
    begins = draw.random((threads, blocks)) < words.disturbed / burst
    out = np.zeros((threads, blocks), dtype=bool)
    for late in range(burst):
        out[:, late:] |= begins[:, : blocks - late]
    gain = threads / np.maximum(threads - out.sum(axis=0), 1) if full else np.ones(blocks)
    own = draw.uniform(0.8, 1.2, (threads, 1))  # some are farther from the memory
    noise = draw.normal(1.0, 0.05, (threads, blocks)) * draw.normal(1.0, SHARED_NOISE, blocks)
    rates = OPERATIONS * own / own.mean() * gain * noise
    made = np.zeros(threads * blocks, dtype=BLOCK)
    made["thread"] = np.repeat(np.arange(threads), blocks)
    made["start_ticks"] = np.tile(np.arange(blocks) * LENGTH, threads)
    made["stop_ticks"] = made["start_ticks"] + LENGTH
    made["operations"] = np.where(out, rates / 10, rates).astype(np.int64).ravel()
    made["flags"] = np.where(out, PREEMPTED, 0).ravel()
    return made


if __name__ == "__main__":
    sys.exit(main())
