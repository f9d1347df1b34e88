"""Do intervals still contain the result if a run is repeated, on a quiet machine and with programs that disturb it?

    python benchmarks/coverage.py [--rounds 20] [--states quiet,memory-1] [--visits 3] [--out runs/coverage]

Each round runs the same kernels once in each state; every second round reverses the order of the states. A CPU program
computes without end; a memory program copies an array of 256 MiB. Pulses are both kinds, which rest and work for 0.1
to 2 s at random. The table has for each state:

    `overlap`   share of pairs of runs whose intervals of a kernel overlap, of conclusive ones and (of all).
    `contained` the same of intervals that contain the median of the kernel's quiet runs.
    `worst`     largest distance of a conclusive number from that median.
    `unsure`    share of the points that are inconclusive.
    `between`   median share of the squared interval that is between visits.

`--visits 0` shows how good intervals of one visit are. The aim, of 20 rounds in 30 minutes and more: overlap 95 %,
contained 90 % of the quiet intervals, worst 10 % with memory programs.
"""

import argparse
import itertools
import math
import multiprocessing
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tierscope.errors import Exit
from tierscope.record.result import load
from tierscope.stats.median import Interval
from tierscope.suites.stream.table import StreamRow
from tierscope.tables import tables

Work = Callable[[float], None]

TIERSCOPE = Path(sys.executable).with_name("tierscope")
KERNELS = "read,write_nt,copy,copy_nt,scale,triad"
COPIED_BYTES = 256 << 20  # beyond the caches of any machine
SLICE_S = 0.05  # between two looks at the clock of a program
PULSE_S = (0.1, 2.0)


def compute(until: float) -> None:
    """Use a CPU and nothing else."""
    value = 1
    while time.monotonic() < until:
        for _ in range(10_000):
            value = (value * 6364136223846793005 + 1442695040888963407) % 2**64


class Copy:
    """Copy memory. The arrays are made by the program that copies."""

    def __init__(self) -> None:
        self._arrays: tuple[np.ndarray, np.ndarray] | None = None

    def __call__(self, until: float) -> None:
        if self._arrays is None:
            self._arrays = (np.ones(COPIED_BYTES, dtype=np.uint8), np.ones(COPIED_BYTES, dtype=np.uint8))
        while time.monotonic() < until:
            np.copyto(*self._arrays)


def endless(work: Work) -> None:
    while True:
        work(time.monotonic() + SLICE_S)


def pulses(work: Work, seed: int) -> None:
    dice = random.Random(seed)
    while True:
        time.sleep(dice.uniform(*PULSE_S))
        work(time.monotonic() + dice.uniform(*PULSE_S))


STATES: dict[str, list[tuple[Callable[..., None], tuple[object, ...]]]] = {
    "quiet": [],
    "cpu-2": [(endless, (compute,))] * 2,
    "cpu-4": [(endless, (compute,))] * 4,
    "memory-1": [(endless, (Copy(),))],
    "memory-2": [(endless, (Copy(),))] * 2,
    "pulses": [(pulses, (compute, 1)), (pulses, (compute, 2)), (pulses, (Copy(), 3)), (pulses, (Copy(), 4))],
}


@dataclass(frozen=True)
class Seen:
    """One kernel in one run."""

    interval: Interval
    conclusive: bool
    between_share: float | None


Runs = list[dict[str, Seen]]


@contextmanager
def beside(state: str) -> Iterator[None]:
    """Start the programs of a state; they run when the block is entered."""
    programs = [multiprocessing.Process(target=target, args=args, daemon=True) for target, args in STATES[state]]
    for program in programs:
        program.start()
    time.sleep(1.0 if programs else 0.0)
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.join()


def is_done(out: Path) -> bool:
    """Return whether this folder contains a run with all its visits."""
    return (out / "result.json").exists() and load(out).result.complete


def run(out: Path, words: list[str]) -> dict[str, Seen]:
    """Measure once, as a user does, and return each kernel; an existing run is read, not measured again."""
    command = [str(TIERSCOPE), "run", "stream", *words, "--out", str(out), "--quiet"]
    if not is_done(out):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (Exit.GOOD, Exit.INCONCLUSIVE):
            raise SystemExit(f"{' '.join(command)}: status {done.returncode}: {done.stderr.strip()}")
    rows: list[StreamRow] = tables["stream"].rows(load(out))
    return {row.kernel: Seen(row.bandwidth, row.conclusive, row.between_share) for row in rows if row.bandwidth}


def share(found: list[bool]) -> str:
    return f"{100 * sum(found) / len(found):.0f} % of {len(found)}" if found else "none"


def overlaps(runs: Runs, *, sure: bool) -> list[bool]:
    """Return for each pair of runs and each kernel whether the two intervals overlap."""
    return [
        one[kernel].interval.low <= other[kernel].interval.high
        and other[kernel].interval.low <= one[kernel].interval.high
        for one, other in itertools.combinations(runs, 2)
        for kernel in one.keys() & other.keys()
        if not sure or (one[kernel].conclusive and other[kernel].conclusive)
    ]


def line(state: str, runs: Runs, quiet: dict[str, float]) -> str:
    """Return a row of the table that `main` prints."""
    every = [(quiet[kernel], seen) for one in runs for kernel, seen in one.items() if kernel in quiet]
    inside = [(seen.interval.low <= still <= seen.interval.high, seen.conclusive) for still, seen in every]
    errors = [seen.interval.middle / still - 1 for still, seen in every if seen.conclusive]
    between = [seen.between_share for _, seen in every if seen.between_share is not None]
    cells = [
        state,
        f"{share(overlaps(runs, sure=True))} ({share(overlaps(runs, sure=False))})",
        f"{share([one for one, sure in inside if sure])} ({share([one for one, _ in inside])})",
        f"{100 * max(errors, key=abs):+.1f} %" if errors else "none",
        share([not seen.conclusive for _, seen in every]),
        f"{100 * statistics.median(between):.0f} %" if between else "unknown",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--rounds", type=int, default=20)
    words.add_argument("--states", default=",".join(STATES))
    words.add_argument("--kernels", default=KERNELS)
    words.add_argument("--threads", default="1")
    words.add_argument("--array", default="256MiB")
    words.add_argument("--precision", default="2%", help="of a conclusive point")
    words.add_argument("--visits", type=int, default=3)
    words.add_argument("--out", type=Path, help="keep the runs here")
    asked = words.parse_args()
    states = asked.states.split(",")
    if unknown := set(states) - STATES.keys():
        words.error(f"unknown states {', '.join(sorted(unknown))}; known: {', '.join(STATES)}")
    options = [f"{name}={getattr(asked, name)}" for name in ("kernels", "threads", "array", "precision", "visits")]
    found: dict[str, Runs] = {state: [] for state in states}
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        for number in range(asked.rounds):
            for state in states if number % 2 == 0 else reversed(states):
                out = (asked.out or Path(scratch)) / f"{state}-{number:02}"
                with beside("quiet" if is_done(out) else state):
                    found[state].append(run(out, options))
    still: dict[str, list[float]] = {}
    for kernel, seen in (item for one in found.get("quiet", []) for item in one.items()):
        still.setdefault(kernel, []).append(seen.interval.middle)
    quiet = {kernel: statistics.median(middles) for kernel, middles in still.items() if not math.isnan(sum(middles))}
    print(f"{asked.rounds} rounds in {(time.monotonic() - began) / 60:.1f} min, {' '.join(options)}\n")
    print("| state | overlap | contained | worst | unsure | between |\n| --- | --- | --- | --- | --- | --- |")
    for state in states:
        print(line(state, found[state], quiet))
    return 0


if __name__ == "__main__":
    sys.exit(main())
