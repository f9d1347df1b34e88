"""Do intervals still contain the result if a run is repeated, on a quiet machine and with programs that disturb it?

    python benchmarks/coverage.py --out runs/coverage [--runs 20] [--minutes 30] [--states quiet,memory-1]
    python benchmarks/coverage.py --runs 2 --minutes 0 --kernels read,copy --array 64MiB     a short trial

Each round runs the same kernels once in each state; every second round reverses the order of the states. A CPU program
computes without end; a memory program copies an array of 256 MiB. Pulses are both kinds, which rest and work for 0.1
to 2 s at random. Rounds are spread over --minutes at least. With --out each run is kept: the same command continues
where it was interrupted, or where --stop ended it, and other options are refused. The table has for each state:

    `overlap`   share of pairs of runs whose intervals of a kernel overlap, of conclusive ones and (of all).
    `contained` the same of intervals that contain the median of the kernel's quiet runs.
    `worst`     largest distance of a conclusive number from that median.
    `unsure`    share of the points that are inconclusive, and (judged by the first visit alone, as versions without
                visits did).
    `between`   median share of the squared interval that is between visits.
    `others`    CPUs that other programs used, and `steal`: that the hypervisor took; medians over the runs.

The same table follows for runs that ask for less precision (5 % and 10 %, as `quick` does): on a machine that drifts by
4 % from run to run, no point is known to 2 %. A table has each goal. The runs have a cache folder of their own, so the
first one knows no earlier runs. `--visits 0` shows how good intervals of one visit are. With --out, coverage.json there
has all figures. Exit status: 0 all goals are reached, 1 one is missed, 4 a goal is not known, or this is a trial: a
state has fewer than 20 runs, or lasted less than 30 minutes.
"""

import argparse
import json
import sys
import tempfile
import time
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from covering.goals import figures, goals, is_trial, quiet_medians, table, verdicts
from covering.kept import is_done, same_as_before
from covering.load import machine
from covering.runs import Once, measure
from covering.states import STATES, plan

from tierscope.errors import Exit
from tierscope.files import write_atomically

ROUGHER = (0.05, 0.1)  # precisions
KERNELS = "read,write_nt,copy,copy_nt,scale,triad"


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", "--rounds", type=int, default=20, help="of each state")
    parser.add_argument("--minutes", type=float, default=30.0, help="over which the rounds are spread, at least")
    parser.add_argument("--stop", type=float, metavar="MINUTES", help="begin no further run after this time")
    parser.add_argument("--states", default=",".join(STATES))
    parser.add_argument("--kernels", default=KERNELS)
    parser.add_argument("--threads", default="1")
    parser.add_argument("--array", default="256MiB")
    parser.add_argument("--precision", default="2%", help="of a conclusive point")
    parser.add_argument("--visits", type=int, default=3)
    parser.add_argument("--out", type=Path, help="keep the runs here, and continue with those that are there")
    words = parser.parse_args()
    if unknown := set(words.states.split(",")) - STATES.keys():
        parser.error(f"unknown states {', '.join(sorted(unknown))}; known: {', '.join(STATES)}")
    return words


def due_s(number: int, rounds: int, minutes: float) -> float:
    """Return when a round begins at the earliest, in seconds from the first one."""
    return 60 * minutes * number / max(rounds - 1, 1)


def measured(words: argparse.Namespace, out: Path, shared: list[str]) -> dict[str, list[Once]]:
    """Return all runs of each state, as far as the time goes."""
    states = words.states.split(",")
    found: dict[str, list[Once]] = {state: [] for state in states}
    began = time.monotonic()
    try:
        for number, state in plan(words.runs, states):
            folder = out / f"{state}-{number:02}"
            if not is_done(folder):
                if words.stop is not None and time.monotonic() - began >= 60 * words.stop:
                    continue
                first = min((once.began for runs in found.values() for once in runs), default=datetime.now(UTC))
                waited = (datetime.now(UTC) - first).total_seconds()
                time.sleep(max(0.0, due_s(number, words.runs, words.minutes) - waited))
            found[state].append(once := measure(folder, state, shared))
            print(
                f"{(time.monotonic() - began) / 60:5.1f} min  {state}-{number:02}  {once.load.seconds:.0f} s, "
                f"load {once.load.average_before:.1f}, others {once.load.others_cpus:.2f} CPUs, "
                f"{sum(not point.conclusive for point in once.points.values())} of {len(once.points)} inconclusive",
                file=sys.stderr,
            )
    except KeyboardInterrupt:
        print("interrupted: the same command continues here" if words.out else "interrupted", file=sys.stderr)
    return found


def main() -> int:
    words = options()
    shared = [f"{name}={getattr(words, name)}" for name in ("kernels", "threads", "array", "precision", "visits")]
    with tempfile.TemporaryDirectory() as scratch:
        out = words.out or Path(scratch)
        same_as_before(out, ["stream", *shared])
        found = measured(words, out, shared)
    runs = {state: every for state, every in found.items() if every}
    quiet = quiet_medians(runs)
    states = [figures(state, every, quiet) for state, every in runs.items()]
    judged, trial = goals(states), is_trial(found)
    print(f"{machine()}; {' '.join(shared)}\n\n{table(states)}\n\n{verdicts(judged, trial=bool(trial))}")
    rougher = {
        precision: [figures(state, [once.at(precision) for once in every], quiet) for state, every in runs.items()]
        for precision in ROUGHER
    }
    for precision, own in rougher.items():
        verdict = verdicts(goals(own), trial=bool(trial))
        print(f"\nThe same runs, asked for {100 * precision:g} %:\n\n{table(own)}\n\n{verdict}")
    if trial:
        print(f"\nA trial, and no verdict on the goals: {trial}.")
    if words.out:
        content = {
            "machine": machine(), "options": shared, "trial": trial, "quiet_bytes_per_s": quiet,
            "states": [asdict(state) for state in states], "goals": [asdict(goal) for goal in judged],
            "rougher": {
                f"{precision:g}": {
                    "states": [asdict(state) for state in own], "goals": [asdict(goal) for goal in goals(own)]
                }
                for precision, own in rougher.items()
            },
        }  # fmt: skip
        write_atomically(out / "coverage.json", json.dumps(content, indent=1).encode())
    if any(goal.reached is False for goal in judged) and not trial:
        return 1
    return Exit.INCONCLUSIVE if trial or any(goal.reached is None for goal in judged) else 0


if __name__ == "__main__":
    sys.exit(main())
