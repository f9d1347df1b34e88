"""Cost of judging while a point is measured: blocks of made durations, which never become precise enough.

    python benchmarks/judging.py
    python benchmarks/judging.py --threads 8 --budget 60

Prints CPU seconds of all judgements of one point over its whole budget, and how many there were.
"""

import argparse
import math
import sys
import time
from collections.abc import Iterator

import numpy as np

from tierscope.record.experiment import Schedule
from tierscope.record.result import BLOCK, PREEMPTED, SIZING, Blocks
from tierscope.run.batches import BATCH_S, is_due
from tierscope.stats.point import judge

HZ = 2e9
HOPELESS = 1e-6  # no interval is as narrow as this
VARYING = 0.1  # standard deviation of the logarithm of a block's duration
DISTURBED = 0.02  # of the blocks
ALLOWED_S = 5.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--budget", type=float, action="append", help="s; may be repeated; default: 16 and 300")
    words = parser.parse_args()
    worst = 0.0
    for budget in words.budget or [16.0, 300.0]:
        for block_s in (1e-3, 3e-3, 5e-3):
            schedule = Schedule(block_s=block_s, precision=HOPELESS, budget_s=budget)
            cost, judgements, blocks = judged(list(stream(schedule, words.threads)), schedule)
            print(f"budget {budget:g} s, {words.threads} threads, blocks of {block_s * 1e3:g} ms ({blocks}): "
                  f"{judgements} judgements, {cost:.2f} s CPU")  # fmt: skip
            worst = max(worst, cost)
    return 0 if worst < ALLOWED_S else 1


def stream(schedule: Schedule, threads: int) -> Iterator[Blocks]:
    """Yield the batches of one group, each BATCH_S long."""
    rng = np.random.default_rng(1)
    count = round(BATCH_S / schedule.block_s)
    for batch in range(math.ceil(schedule.budget_s / BATCH_S)):
        blocks = np.zeros((threads, count), dtype=BLOCK)
        lasts = schedule.block_s * HZ * np.exp(rng.normal(0, VARYING, (threads, count)))
        stops = batch * 2 * BATCH_S * HZ + np.cumsum(lasts, axis=1)
        blocks["thread"] = np.arange(threads)[:, None]
        blocks["batch"], blocks["operations"] = batch, 1000
        blocks["start_ticks"], blocks["stop_ticks"] = stops - lasts, stops
        blocks["flags"] = np.where(rng.random((threads, count)) < DISTURBED, PREEMPTED, 0)
        blocks["flags"][:, 0] |= SIZING
        yield blocks.ravel()


def judged(batches: list[Blocks], schedule: Schedule) -> tuple[float, int, int]:
    """Return CPU seconds, the number of judgements as the runner makes them, and the final number of blocks."""
    spent, count, last = 0.0, 0, 0.0
    for number in range(1, len(batches) + 1):
        timed = number * BATCH_S
        if number == len(batches) or is_due(timed, last):
            begin = time.process_time()
            judge(np.concatenate(batches[:number]), HZ, 1, schedule)
            spent, count, last = spent + time.process_time() - begin, count + 1, timed
    return spent, count, sum(one.size for one in batches)


if __name__ == "__main__":
    sys.exit(main())
