"""How long does `run quick` take, and how many of its points are inconclusive, with and without busy programs?

    python benchmarks/quick.py --out runs/quick [--runs 5] [--states quiet,cpu-2]
    python benchmarks/quick.py --runs 1 --limit 20s                                        a short trial

Each round runs `quick` once in each state of `coverage.py`; every second round reverses their order. The aims: at most
3 % of all points are inconclusive on a quiet machine, within 105 s without the start of the program and the
report, and at most 15 % next to two programs that compute.
With --out, the same command continues with the runs that are there. A run takes its limit and some seconds.
Exit status: 0 all aims are reached, 1 one is missed, 4 this is a trial: fewer than 5 runs, or another limit.
"""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from covering.kept import kept_run, same_as_before
from covering.load import Load, machine
from covering.states import QUIET, STATES, plan

from tierscope.errors import Exit
from tierscope.record.result import Run
from tierscope.report.content import gather
from tierscope.report.picks import judged

RUNS, LIMIT = 5, "105s"
MOST = {QUIET: 0.03, "cpu-2": 0.15}  # share of points that may be inconclusive
HEAD = ("state", "runs", "inconclusive", "aim", "lasted", "others", "steal")
LONGEST_S = 105.0  # of a quiet run, from its start to the end of its last record


@dataclass(frozen=True)
class Once:
    """One run. seconds: from its start to the end of its last record."""

    points: int
    inconclusive: int
    seconds: float
    load: Load


def once(run: Run, load: Load) -> Once:
    """Count the points of a run as its report does."""
    rows = judged(gather(run))
    return Once(len(rows), sum(not row["conclusive"] for row in rows), lasted(run), load)


def lasted(run: Run) -> float:
    """Return the seconds from the start of a run to the end of its last record; the times of day have whole seconds."""
    began = datetime.fromisoformat(run.result.started)
    every = [*run.result.records, *run.result.visits]
    ends = [(datetime.fromisoformat(one.started) - began).total_seconds() + one.seconds for one in every]
    return max(ends, default=0.0)


def line(state: str, runs: Sequence[Once]) -> str:
    """Return a row of the table."""
    points, unsure = sum(one.points for one in runs), sum(one.inconclusive for one in runs)
    times = [one.seconds for one in runs]
    aim = f"at most {100 * MOST[state]:.0f} %" if state in MOST else "none"
    cells = [
        state,
        str(len(runs)),
        f"{100 * unsure / points:.1f} % of {points}" if points else "no points",
        aim,
        f"{statistics.median(times):.0f} s, {max(times):.0f} s at most",
        f"{statistics.median(one.load.others_cpus for one in runs):.2f}",
        f"{statistics.median(one.load.steal_cpus for one in runs):.2f}",
    ]
    return f"| {' | '.join(cells)} |"


def missed(runs: Mapping[str, Sequence[Once]]) -> list[str]:
    """Return the aims that these runs miss."""
    found = []
    for state, most in MOST.items():
        points = sum(one.points for one in runs.get(state, ()))
        if points and sum(one.inconclusive for one in runs[state]) > most * points:
            found.append(f"{state}: more than {100 * most:.0f} % are inconclusive")
    if any(one.seconds > LONGEST_S for one in runs.get(QUIET, ())):
        found.append(f"{QUIET}: a run took longer than {LONGEST_S:.0f} s")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=RUNS, help="of each state")
    parser.add_argument("--states", default=",".join(MOST))
    parser.add_argument("--limit", default=LIMIT, help="option of quick")
    parser.add_argument("--out", type=Path, help="keep the runs here, and continue with those that are there")
    words = parser.parse_args()
    states = words.states.split(",")
    if unknown := set(states) - STATES.keys():
        parser.error(f"unknown states {', '.join(sorted(unknown))}; known: {', '.join(STATES)}")
    asked = ["quick", f"limit={words.limit}"]
    runs: dict[str, list[Once]] = {state: [] for state in states}
    with tempfile.TemporaryDirectory() as scratch:
        out = words.out or Path(scratch)
        same_as_before(out, asked)
        for number, state in plan(words.runs, states):
            run, began, load = kept_run(out / f"{state}-{number:02}", state, asked)
            runs[state].append(found := once(run, load))
            print(f"{began:%H:%M:%S}  {state}-{number:02}  {found.seconds:.0f} s, load {load.average_before:.1f}, "
                  f"{found.inconclusive} of {found.points} inconclusive", file=sys.stderr)  # fmt: skip
    print(f"{machine()}; {' '.join(asked)}\n")
    print(f"| {' | '.join(HEAD)} |\n|{' --- |' * len(HEAD)}")
    print("\n".join(line(state, every) for state, every in runs.items() if every))
    known = words.limit == LIMIT and all(len(runs.get(state, ())) >= RUNS for state in MOST)
    late = missed(runs)
    if late:
        print(f"\nMissed{'' if known else ' so far'}: {'; '.join(late)}")
    if not known:
        print(f"\nA trial, and no verdict: {RUNS} runs of each state with limit={LIMIT} are needed.")
        return Exit.INCONCLUSIVE
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
