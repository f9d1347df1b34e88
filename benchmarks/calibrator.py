"""How near the calibrated loop variant comes to the best of an exhaustive search, on this machine.

    python benchmarks/calibrator.py [--kernels read,triad_nt] [--threads 1,2] [--pages 4k,thp] [--calls 3]

For each kernel, number of threads and page size: calls of the ordinary search, each in a new session; then all variants
by trials of 5 ms, in rounds in another order each, of which the slower half leaves after every round; then the chosen
variants and the best ones of the rounds alternate. The ratio is the median over those pairs, with the range that
contains 95 % of its medians by the sign test. Prints also whether the calls chose one variant, or variants that are as
fast. Exit status 1: a chosen variant below 0.98 beyond doubt.
"""

import argparse
import random
import sys
import time
from collections.abc import Sequence
from statistics import median

from tierscope.core import Session, catalogue
from tierscope.record.experiment import Experiment, Group, Target, Team, Workload
from tierscope.record.work.line import LineWork
from tierscope.run.calibrate import SEARCH_S, Trials, ways_of
from tierscope.run.candidates import Candidate
from tierscope.run.walks import Walks
from tierscope.stats.median import median_interval
from tierscope.units import parse_bytes

ASKED = 0.98
TRIAL_S = 0.005
ROUNDS = 3
BEST = 4  # of the exhaustive search, in the final
PAIRS = 25


def point(kernel: str, threads: int, pages: str, array_bytes: int) -> Experiment:
    entry = catalogue(pools=False).variants(kernel)[0]
    size = len(entry.operands) * array_bytes
    work = Workload(kernel=kernel, footprint_bytes=size, work=LineWork())
    group = Group(workload=work, target=Target.parse("node:0", pages), team=Team(cpus=tuple(range(threads))))
    return Experiment(table="calibration", groups=(group,), calibrate=True)


def called(experiment: Experiment) -> Candidate:
    """Return what one call chooses."""
    with Session() as session:
        session.prepare(experiment.groups)
        choice = Walks(catalogue(pools=False)).choose(session, experiment, SEARCH_S, time.monotonic)
        assert choice is not None
        best = choice.trials[0].workload
        return Candidate(best.isa, best.of(LineWork))


def exhaustive(trials: Trials, variants: Sequence[Candidate], seconds: float) -> list[Candidate]:
    """Return the best variants of rounds over all of them."""
    rates: dict[Candidate, list[float]] = {one: [] for one in variants}
    left, until = list(variants), time.monotonic() + seconds
    for number in range(ROUNDS):
        random.Random(number).shuffle(left)
        for one in left:
            if rate := trials.rate(one, TRIAL_S * (number + 1)):
                rates[one].append(rate)
        left = sorted(left, key=lambda one: -median(rates[one] or [0.0]))[: max(BEST, len(left) // 4)]
        if time.monotonic() > until:
            break
    return left[:BEST]


def compare(kernel: str, threads: int, pages: str, options: argparse.Namespace) -> float:
    """Print one line for each chosen variant; the lowest upper end of a ratio."""
    experiment = point(kernel, threads, pages, parse_bytes(options.array))
    chosen = [called(experiment) for _ in range(options.calls)]
    (group,) = experiment.groups
    with Session() as session:
        session.prepare(experiment.groups)
        trials = Trials(session, experiment)
        variants = ways_of(group, catalogue(pools=False).variants(kernel)).all
        best = exhaustive(trials, variants, options.seconds)
        final = list(dict.fromkeys([*chosen, *best]))
        rates: dict[Candidate, list[float]] = {one: [] for one in final}
        for number in range(PAIRS):
            round_rates = {one: trials.rate(one, 2 * TRIAL_S) for one in (final if number % 2 else final[::-1])}
            if all(round_rates.values()):
                for one, rate in round_rates.items():
                    rates[one].append(rate or 0.0)
    if not rates[final[0]]:
        print(f"{kernel:10} {threads} {pages:4} no round without a disturbance; try again on a quieter machine")
        return 1.0
    top = max(best, key=lambda one: median(rates[one]))
    worst = 1.0
    for one, times in ((one, chosen.count(one)) for one in dict.fromkeys(chosen)):
        ratio = median_interval([a / b for a, b in zip(rates[one], rates[top], strict=True)])
        worst = min(worst, ratio.high)
        print(
            f"{kernel:10} {threads} {pages:4} {len(variants):4} variants, {times} of {len(chosen)} calls: {shown(one)}  "
            f"{ratio.middle:.3f} [{ratio.low:.3f}, {ratio.high:.3f}] of {shown(top)}",
            flush=True,
        )
    return worst


def shown(one: Candidate) -> str:
    work = one.work
    parts = [one.isa, f"{work.streams}x{work.unroll}", "paged" * (work.interleave_bytes > 0)]
    parts += [
        f"+{work.prefetch_bytes}" * (work.prefetch_bytes > 0),
        f"w{work.prefetchw_bytes}" * (work.prefetchw_bytes > 0),
    ]
    return " ".join(part for part in parts if part)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", default="read,write,write_nt,copy,copy_nt,update,triad,triad_nt")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--pages", default="4k,thp")
    parser.add_argument("--array", default="128MiB", help="bytes of each array")
    parser.add_argument("--calls", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=60.0, help="of one exhaustive search, about")
    options = parser.parse_args()
    worst = [
        compare(kernel, threads, pages, options)
        for kernel in options.kernels.split(",")
        for threads in map(int, options.threads.split(","))
        for pages in options.pages.split(",")
    ]
    return int(min(worst) < ASKED)


if __name__ == "__main__":
    sys.exit(main())
