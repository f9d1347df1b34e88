"""A latency under load has one line in flight on an idle memory, if bandwidth x latency is one line.

    lines in flight = bandwidth_bytes_per_s * latency_s / bytes of a line

One load thread alone keeps several lines in flight, and its prefetchers more, so the product differs from row to row.
Exactly 1 in every row means that the bandwidth is that of the chaser itself (a line / latency): there was no load. It
checks series of LEAST rows or more that have a delay between the accesses of a load.
Blind to a load that was present in some rows.
"""

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.statement import Statement
from tierscope.units import LINE_BYTES

LEAST = 4  # rows: fewer may meet 1 by chance
EXACT = 0.001  # added to the rounding of the printed digits


def lines_under_way(bandwidth_bytes_per_s: float, latency_s: float, line_bytes: float = LINE_BYTES) -> float:
    """Return how many lines are in flight, by Little's law."""
    return bandwidth_bytes_per_s * latency_s / line_bytes


class NoLoad:
    """Check all rows with a delay, series by series."""

    name: ClassVar[str] = "no_load"
    title: ClassVar[str] = "a load has more than one line in flight"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        series: dict[tuple[str, str], list[Statement]] = {}
        for one in statements:
            known = one.get("bandwidth_bytes_per_s", "latency_s", "delay_cycles")
            if known and known[0].value > 0 and known[1].value > 0:
                series.setdefault((one.table, one.series), []).append(one)
        alone: dict[str, list[Statement]] = {}
        for (table, _), rows in series.items():
            if len(rows) >= LEAST and all(_alone(one) for one in rows):
                alone[table] = alone.get(table, []) + rows
            elif len(rows) >= LEAST:
                yield None
        yield from (_failure(rows, sum(len(each) for each in series.values())) for rows in alone.values())


def _alone(one: Statement) -> bool:
    bandwidth, latency = one.quantities["bandwidth_bytes_per_s"], one.quantities["latency_s"]
    lines = lines_under_way(bandwidth.value, latency.value, one.line_bytes)
    return abs(lines - 1) <= EXACT + bandwidth.slack + latency.slack


def _failure(rows: list[Statement], total: int) -> Failure:
    products = [one.quantities["bandwidth_bytes_per_s"].value * one.quantities["latency_s"].value for one in rows]
    said = f"latency x bandwidth is {min(products):.2f} to {max(products):.2f} bytes"
    line = rows[0].line_bytes
    found = f"that is {fmean(products) / line:.2f} lines of {line:.0f} bytes in flight, as of one chaser alone"
    why = "no load ran: the bandwidth was computed from the latency, or is the chaser's own"
    label = f"all {total} rows" if len(rows) == total else f"{len(rows)} rows such as {rows[0].label}"
    return Failure("no_load", label, rows[0].table, "bandwidth_bytes_per_s", said, found, why)


identities.add(NoLoad())
