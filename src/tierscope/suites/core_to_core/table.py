"""Hand-over of a cache line between every two CPUs.

    latency = 1 / median rate of hand-overs, one way: half of a round trip     [s]

Each pair has one row, because its number includes both ways. The findings are by class: the same core (hardware
threads), the same last-level cache, the same package, another package.
Blind to a difference of the two ways, and to links that others use at the same time. Classes are those that the system
reports, and a hypervisor may have invented them.
"""

from statistics import median
from typing import Annotated, ClassVar, NamedTuple

from tierscope.record.machine import Machine
from tierscope.record.result import Record, Run
from tierscope.stats.median import MAD_SIGMA, Interval
from tierscope.suites.core_to_core.pairs import number_of_pairs
from tierscope.tables import Asked, Insight, JudgedRow, Main, tables
from tierscope.tables.measured import closing, judged, left_out, records, sure_rows
from tierscope.tables.rows import Col, Time
from tierscope.units import show_seconds

CLASSES = ("same core", "same last-level cache", "same package", "other package")
"""From the nearest; a pair belongs to the first that applies."""

ODD = 5.0  # factor on the spread of its class (MAD as sigma): one such pair in a million by chance
ODD_SHARE = 0.25  # share of the median of its class, at least: less is a place on the chip, not a fault
ENOUGH = 4  # pairs of a class that are required before one of them can be odd
NAMED = 3  # odd pairs in a sentence


class CoreToCoreRow(JudgedRow, frozen=True, kw_only=True):
    """The hand-over of a line between two CPUs, with what they share."""

    a_cpu: Annotated[int, Col("CPU", help="the first CPU, in the order of the topology")]
    b_cpu: Annotated[int, Col("and CPU", help="the other")]
    latency: Annotated[Time | None, Col("one way", help="median time of one hand-over, one way: half of a round trip")]
    same_core: Annotated[bool, Col("same core", help="whether they are hardware threads of one core")]
    same_cache: Annotated[
        bool | None,
        Col("same last-level cache", help="whether they share a last-level cache; null where the system names none"),
    ]
    same_package: Annotated[bool, Col("same package", help="whether they are of one socket")]
    a_node: Annotated[int, Col("node", help="node of the first")]
    b_node: Annotated[int, Col("and node", help="node of the other")]
    target: Annotated[str, Col("target", help="where the lines were, as `node:0`", tier=True)]


class CoreToCore:
    """One row for each pair of CPUs; a pair appears once, because its number includes both directions. Rows are in the
    order of the topology.

    `blocks` are those of all pairs with the same first CPU.
    """

    name: ClassVar[str] = "core_to_core"
    title: ClassVar[str] = "Core to core"
    asked: ClassVar[Asked] = Asked(
        question="What does it cost to hand over a line?",
        answers=("farthest", "handover", "outliers"),
        keys={"handover": "hand-over of a line", "farthest": "farthest over nearest CPUs"},
    )
    topics: ClassVar[tuple[str, ...]] = ("latency",)
    keys: ClassVar[tuple[str, ...]] = ("a_cpu", "b_cpu", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("latency_s", less_is_better=True),)
    row: ClassVar[type[CoreToCoreRow]] = CoreToCoreRow
    says: ClassVar[dict[str, str]] = {
        "farthest": "median of the farthest class over that of the nearest",
        "outliers": "pairs that stand out from their class",
        "measured pairs": "pairs that were measured, where they are a sample",
        "handover CLASS": "median over the pairs of a class; low and high are their range",
    }

    def rows(self, run: Run) -> list[CoreToCoreRow]:
        return [
            _row(run, record, take)
            for record in records(run, self.name)
            for take in range(len(record.experiment.takes or (0,)))
        ]

    def insights(self, run: Run, rows: list[CoreToCoreRow]) -> list[Insight]:
        del run
        every, known = by_class(rows), by_class([row for row, _ in sure_rows(rows, lambda row: row.latency)])
        counts = {name: len(pairs) for name, pairs in every.items()}
        return (
            _ratio(known)
            + _odd(known)
            + _sample(rows)
            + [_class(name, pairs, counts[name]) for name, pairs in known.items()]
        )


class Pair(NamedTuple):
    """Two CPUs whose hand-over has a number."""

    row: CoreToCoreRow
    latency: Interval

    @property
    def seconds(self) -> float:
        return self.latency.middle


def _row(run: Run, record: Record, take: int) -> CoreToCoreRow:
    machine, point, facts = run.result.machine, judged(run, record).points[take], record.groups[take]
    a, b = facts.cpus
    places = {cpu.number: cpu for cpu in machine.identity.cpus}
    return CoreToCoreRow(
        a_cpu=a,
        b_cpu=b,
        latency=point.groups[0].interval.inverse(),
        same_core=(places[a].package, places[a].core) == (places[b].package, places[b].core),
        same_cache=same_cache(machine, a, b),
        same_package=places[a].package == places[b].package,
        a_node=places[a].node,
        b_node=places[b].node,
        target=facts.target,
        **closing(record, point),
    )


def same_cache(machine: Machine, a: int, b: int) -> bool | None:
    """Return whether two CPUs share a last-level cache; None if the system reports none for one of them."""
    one, other = machine.last_level_cache_of(a), machine.last_level_cache_of(b)
    return None if one is None or other is None else one == other


def class_of(row: CoreToCoreRow) -> str:
    """Return one of CLASSES."""
    shared = (row.same_core, row.same_cache, row.same_package, True)
    return next(name for name, holds in zip(CLASSES, shared, strict=True) if holds)


def by_class(rows: list[CoreToCoreRow]) -> dict[str, list[Pair]]:
    """Return the pairs that have a number, for each class that occurs, the nearest first."""
    found: dict[str, list[Pair]] = {name: [] for name in CLASSES}
    for row in rows:
        if row.latency and row.latency.middle:
            found[class_of(row)].append(Pair(row, row.latency))
    return {name: pairs for name, pairs in found.items() if pairs}


def spread(pairs: list[Pair]) -> tuple[float, float, float]:
    """Return (lowest, median, highest) of the pairs, in s."""
    values = [pair.seconds for pair in pairs]
    return min(values), median(values), max(values)


def _class(name: str, pairs: list[Pair], total: int) -> Insight:
    """Return the median of a class with the range of its conclusive pairs; total: with the others."""
    low, middle, high = spread(pairs)
    rest = left_out(len(pairs), total, "pairs")
    if len(pairs) == 1:
        row, interval = pairs[0]
        low, high = interval.low, interval.high
        span = f"CPU {row.a_cpu} and CPU {row.b_cpu}, interval {show_seconds(low)} to {show_seconds(high)}{rest}"
    else:
        span = f"median of {len(pairs)} pairs, {show_seconds(low)} to {show_seconds(high)}{rest}"
    return Insight(
        name=f"handover {name}",
        text=f"{name.capitalize()}: a line takes {show_seconds(middle)} one way ({span})",
        value=middle,
        low=low,
        high=high,
        unit="s",
    )


def _ratio(known: dict[str, list[Pair]]) -> list[Insight]:
    """Return the cost of the farthest class compared with the nearest."""
    if len(known) < 2:
        return []
    (near, near_pairs), *_, (far, far_pairs) = known.items()
    wait, least = spread(far_pairs)[1], spread(near_pairs)[1]
    return [
        Insight(
            name="farthest",
            text=f"A hand-over to {_to(far)} takes {wait / least:.3g}x the time of one within {_to(near)}: "
            f"{show_seconds(wait)} compared with {show_seconds(least)} (medians of their pairs)",
            value=wait / least,
            unit="1",
        )
    ]


def _to(name: str) -> str:
    return {"other package": "another package"}.get(name, f"the {name}")


def _odd(known: dict[str, list[Pair]]) -> list[Insight]:
    """Return pairs far from the median of their class: a busy CPU, a slow link, a topology that is not as reported."""
    odd = [pair for pairs in known.values() for pair in _far_off(pairs)]
    if not odd:
        return []
    odd.sort(key=lambda pair: pair.seconds, reverse=True)
    words = [f"CPU {row.a_cpu} and {row.b_cpu} ({show_seconds(time.middle)})" for row, time in odd[:NAMED]]
    more = f" and {len(odd) - NAMED} more" if len(odd) > NAMED else ""
    verb = "pair stands" if len(odd) == 1 else "pairs stand"
    return [
        Insight(
            name="outliers",
            text=f"{len(odd)} {verb} out from the class: {', '.join(words)}{more}; "
            "repeat them before you use their values",
            value=float(len(odd)),
            unit="1",
        )
    ]


def _sample(rows: list[CoreToCoreRow]) -> list[Insight]:
    """Return how many pairs were measured, if not all: a slow link may be between two CPUs that were not paired."""
    total = number_of_pairs(len({cpu for row in rows for cpu in (row.a_cpu, row.b_cpu)}))
    if len(rows) >= total:
        return []
    text = (
        f"{len(rows)} of {total} pairs were measured, first one for each core, last-level cache and package; "
        "a higher pairs= or limit= measures more"
    )
    return [Insight(name="measured pairs", text=text, value=float(len(rows)), unit="1")]


def _far_off(pairs: list[Pair]) -> list[Pair]:
    if len(pairs) < ENOUGH:
        return []
    middle = spread(pairs)[1]
    sigma = MAD_SIGMA * median(abs(pair.seconds - middle) for pair in pairs)
    limit = max(ODD * sigma, ODD_SHARE * middle)
    return [pair for pair in pairs if abs(pair.seconds - middle) > limit]


tables.add(CoreToCore())
