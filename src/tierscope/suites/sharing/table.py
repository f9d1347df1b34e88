"""The resources that pairs of CPUs share, one row for each moment of the run at which they were measured.

    slowdown, gain    see `suites.sharing.verdict`

Moments are not pooled as visits of other points are: what changes between them is what is asked. Their rows have no
`visits`. Blind to what happens between two moments.
"""

from collections import Counter
from dataclasses import replace
from typing import ClassVar

from tierscope.record.result import Record, Run
from tierscope.suites.sharing.held import pairs_of
from tierscope.suites.sharing.labels import SharingLabels
from tierscope.suites.sharing.row import SharingRow
from tierscope.suites.sharing.said import said_of
from tierscope.suites.sharing.verdict import OWN, SHARED, UNKNOWN, sharing_of
from tierscope.tables import Asked, Insight, Main, tables
from tierscope.tables.measured import closing, judged_once, records

OTHERS = 0.25  # CPUs of other programs; above it a pair shows nothing


class Sharing:
    """One row for each pair of CPUs and moment, in the order of time."""

    name: ClassVar[str] = "sharing"
    title: ClassVar[str] = "Shared cores and memory"
    asked: ClassVar[Asked] = Asked(
        question="What do CPUs share?",
        answers=("core", "memory"),
        keys={"core": "together over alone, CPUs", "memory": "two threads over one, CPUs"},
    )
    place: ClassVar[int] = 70
    keys: ClassVar[tuple[str, ...]] = ("a_cpu", "b_cpu", "moment", "kernel", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("gain"), Main("slowdown", less_is_better=True))
    row: ClassVar[type[SharingRow]] = SharingRow
    says: ClassVar[dict[str, str]] = {
        "core CPUS": "time of an operation within the core while both run, over that alone: the median of all moments, "
        "with the intervals of each; where the class changed, of the last one at which they shared a core",
        "memory CPUS": "bandwidth of two threads over that of one: the median of all moments, with the intervals of "
        "each; where the class changed, of the last one",
    }

    def rows(self, run: Run) -> list[SharingRow]:
        own = records(run, self.name)
        numbers = {record.number for record in own}
        moments: Counter[SharingLabels] = Counter()
        rows = []
        for record in (*own, *(visit for visit in run.result.visits if visit.number in numbers)):
            pair = SharingLabels.read(record.experiment)
            rows.append(_row(run, record, moments[pair]))
            moments[pair] += 1
        return rows

    def insights(self, run: Run, rows: list[SharingRow]) -> list[Insight]:
        del run
        return [insight for own in pairs_of(rows) for insight in said_of(own)]


def _row(run: Run, record: Record, moment: int) -> SharingRow:
    found = judged_once(run, record)
    shared = sharing_of(found, record.experiment.schedule)
    cores = {cpu.number: (cpu.package, cpu.core) for cpu in run.result.machine.identity.cpus}
    if busy := _busy(record):
        shared = replace(shared, core=UNKNOWN, path=UNKNOWN, reasons=(*shared.reasons, busy))
    first, second, *_ = record.groups
    (a,), (b,), memory = first.cpus, second.cpus, record.groups[-1]
    verdict = closing(record, found.points[-1]) | {"conclusive": shared.conclusive, "reasons": shared.reasons}
    return SharingRow(
        a_cpu=a,
        b_cpu=b,
        moment=moment,
        at=record.started,
        listed=SHARED if cores[a] == cores[b] else OWN,
        core=shared.core,
        slowdown=shared.slowdown,
        path=shared.path,
        gain=shared.gain,
        bandwidth=found.points[-2].groups[0].interval.times(memory.program_bytes_per_operation),
        core_kernel=None if first is record.groups[-2] else first.kernel,
        kernel=memory.kernel,
        target=memory.target,
        **verdict,
    )


def _busy(record: Record) -> str:
    """Return what other programs took; "" if little. It looks like a shared core or a full path."""
    used = record.background.cpus if record.background else None
    return f"other programs used {used:.2f} CPUs meanwhile" if used is not None and used >= OTHERS else ""


tables.add(Sharing())
