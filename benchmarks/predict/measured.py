"""How well do the models `threads` and `loaded_family` predict the points of a run that they were not given?

    python benchmarks/predict/measured.py runs/stream runs/loaded-latency

The pages of both suites state the same for conclusive points. This score also takes points whose interval is wider than
asked for, as all are on a shared machine that changes from visit to visit. So it is not better than their intervals,
whose mean half-width is in the last column.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean, median
from typing import NamedTuple

from msgspec.structs import replace

from tierscope.record.result import Run, load
from tierscope.report.content import gather
from tierscope.stats.median import Interval
from tierscope.suites.loaded_latency import family
from tierscope.suites.loaded_latency.row import LoadedLatencyRow
from tierscope.suites.stream import threads
from tierscope.suites.stream.table import StreamRow
from tierscope.tables.measured import weighed


class Pair(NamedTuple):
    """A prediction and the measured number."""

    model: Interval
    measured: Interval


def of_threads(run: Run) -> Iterator[Pair]:
    """Yield the bandwidths of more than one thread."""
    rows: list[StreamRow] = [replace(row, conclusive=True, reasons=()) for row in gather(run).typed("stream")]
    machine = run.result.machine
    cores = threads.cores_of(machine, [one.team.cpus for r in run.result.records for one in r.experiment.groups])
    for row in threads.with_model(rows, machine, cores):
        if row.model and (found := weighed(row.bandwidth)):
            yield Pair(row.model, found)


def of_loads(run: Run) -> Iterator[Pair]:
    """Yield the latencies of the loads that the family was not given."""
    typed: list[LoadedLatencyRow] = gather(run).typed("loaded_latency")
    for row in family.with_model([replace(row, conclusive=True, reasons=()) for row in typed]):
        if row.model and (found := weighed(row.latency)):
            yield Pair(row.model, found)


def line(name: str, pairs: Sequence[Pair]) -> str:
    """Return one line of the table."""
    errors = [pair.model.middle / pair.measured.middle - 1 for pair in pairs]
    inside = sum(pair.model.low <= pair.measured.middle <= pair.model.high for pair in pairs)
    sizes = [abs(error) for error in errors]
    worst = max(errors, key=abs)
    measured = mean(pair.measured.relative for pair in pairs)
    return (
        f"| `{name}` | {len(pairs)} | {median(sizes):.1%} | {mean(sizes):.1%} | {worst:+.1%} | {inside} "
        f"| {mean(pair.model.relative for pair in pairs):.0%} | {measured:.1%} |"
    )


def main() -> None:
    """Print the table of all runs together."""
    runs = [load(Path(word)) for word in sys.argv[1:]]
    print("| model | predicted | median error | mean error | worst | in bounds | half of bounds | half of intervals |")
    print("|---|---|---|---|---|---|---|---|")
    for name, of in (("threads", of_threads), ("loaded_family", of_loads)):
        if pairs := [pair for run in runs for pair in of(run)]:
            print(line(name, pairs))


if __name__ == "__main__":
    main()
