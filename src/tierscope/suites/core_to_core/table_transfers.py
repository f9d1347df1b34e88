"""Loads of lines from another CPU's cache, for each state, reader, owner and home.

    latency = 1 / median rate of the reader's dependent loads     [s]

Blind to which agent answers, and to loads while others use the same links; classes are those that the system reports.
"""

from statistics import median
from typing import Annotated, ClassVar

from tierscope.record.machine import Machine
from tierscope.record.result import Record, Run
from tierscope.suites.core_to_core.labels import TransferLabels
from tierscope.suites.core_to_core.table import CLASSES, same_cache
from tierscope.tables import Asked, Insight, JudgedRow, Main, tables
from tierscope.tables.measured import closing, judged, left_out, records, sure_rows
from tierscope.tables.rows import Col, Time
from tierscope.units import show_seconds


class CacheToCacheRow(JudgedRow, frozen=True, kw_only=True):
    """The load of a line that is in the cache of another CPU."""

    state: Annotated[str, Col("state", help="of the line in the owner's cache: `clean`, `modified`")]
    reader_cpu: Annotated[int, Col("reader", help="the CPU that loads")]
    owner_cpu: Annotated[int, Col("owner", help="the CPU whose cache has the line")]
    home: Annotated[
        str, Col("home", help="whose node has the memory of the line: `reader`, `owner`, `both`, or `other`")
    ]
    latency: Annotated[Time | None, Col("latency", help="median time of one dependent load")]
    near: Annotated[str, Col("they share", help=f"the nearest of {', '.join(CLASSES)}")]
    target: Annotated[str, Col("target", help="where the lines are, as `node:0`", tier=True)]

    @property
    def matrix(self) -> tuple[str, str]:
        """Return state and home; the home is 'both' for CPUs of one node."""
        return self.state, self.home


class CacheToCache:
    """One row for each state, reader, owner and home. `blocks` are those of all rows of one reader and state."""

    name: ClassVar[str] = "cache_to_cache"
    title: ClassVar[str] = "Cache to cache"
    asked: ClassVar[Asked] = Asked(
        question="What does a line cost that another CPU has in its cache?",
        answers=("transfer",),
        keys={"transfer": "load of a line in another cache"},
    )
    topics: ClassVar[tuple[str, ...]] = ("latency",)
    keys: ClassVar[tuple[str, ...]] = ("state", "reader_cpu", "owner_cpu", "home", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("latency_s", less_is_better=True),)
    row: ClassVar[type[CacheToCacheRow]] = CacheToCacheRow
    says: ClassVar[dict[str, str]] = {
        "transfer STATE CLASS HOME": "median over readers and owners of a class; low and high are their range",
    }

    def rows(self, run: Run) -> list[CacheToCacheRow]:
        return [
            _row(run, record, take)
            for record in records(run, self.name)
            for take in range(len(record.experiment.takes))
        ]

    def insights(self, run: Run, rows: list[CacheToCacheRow]) -> list[Insight]:
        del run
        kinds = dict.fromkeys((row.state, row.near, row.home) for row in rows)
        return [one for kind in kinds for one in _kind(kind, rows)]


def _row(run: Run, record: Record, take: int) -> CacheToCacheRow:
    machine, point, facts = run.result.machine, judged(run, record).points[take], record.groups[take]
    reader, owner = facts.cpus
    return CacheToCacheRow(
        state=TransferLabels.read(record.experiment).state,
        reader_cpu=reader,
        owner_cpu=owner,
        home=_home(machine, reader, owner, record.experiment.groups[take].target.node),
        latency=point.groups[0].interval.inverse(),
        near=_near(machine, reader, owner),
        target=facts.target,
        **closing(record, point),
    )


def _home(machine: Machine, reader: int, owner: int, node: str) -> str:
    """Return whose nearest memory is `node`: 'reader', 'owner', 'both', or 'other' for neither."""
    nodes = {cpu.number: cpu.node for cpu in machine.identity.cpus}
    its = [str(machine.nearest_memory(nodes[cpu])) == node for cpu in (reader, owner)]
    return {(True, True): "both", (True, False): "reader", (False, True): "owner"}.get((its[0], its[1]), "other")


def _near(machine: Machine, reader: int, owner: int) -> str:
    """Return one of CLASSES."""
    places = {cpu.number: cpu for cpu in machine.identity.cpus}
    one, other = places[reader], places[owner]
    package = one.package == other.package
    shared = (package and one.core == other.core, same_cache(machine, reader, owner), package, True)
    return next(name for name, holds in zip(CLASSES, shared, strict=True) if holds)


def _kind(kind: tuple[str, str, str], rows: list[CacheToCacheRow]) -> list[Insight]:
    """Return the median of the conclusive rows of one state, class and home."""
    state, near, home = kind
    every = [row for row in rows if (row.state, row.near, row.home) == kind]
    known = [found for _, found in sure_rows(every, lambda row: row.latency)]
    if not known:
        return []
    values = [found.middle for found in known]
    low, high = (known[0].low, known[0].high) if len(known) == 1 else (min(values), max(values))
    place = {"both": "", "other": ", home on another node"}.get(home, f", home with the {home}")
    span = f"{show_seconds(low)} to {show_seconds(high)}{left_out(len(known), len(every), 'rows')}"
    return [
        Insight(
            name=f"transfer {state} {near} {home}",
            text=f"{near.capitalize()}{place}: a load of a {state} line takes {show_seconds(median(values))} ({span})",
            value=median(values),
            low=low,
            high=high,
            unit="s",
        )
    ]


tables.add(CacheToCache())
