"""CPUs near a memory reach it no later, and with no less bandwidth, than CPUs far from it.

    latency(i to i) <= LATE * latency(j to i)        bandwidth(i to i) >= POOR * bandwidth(j to i)

Both are of one memory i, so that a node of faster memory without CPUs does not fail. The labels are `from` and `to` (or
`initiator` and `target`). Caches are compared within a package and between packages (`reader`, `writer`). The margins:
nodes of one package differ by less than their noise, and a remote node may have more CPUs at work.
Blind to a remote number that is too bad, and to a matrix without its diagonal.
Source: Linux, Documentation/admin-guide/mm/numaperf.rst (local initiators of a memory are those that reach it best).
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.orders import broken
from tierscope.audit.statement import Statement

LATE = 1.25
POOR = 0.75
ENDS = (("from", "to"), ("initiator", "target"))
LATENCY, BANDWIDTH = "latency_s", "bandwidth_bytes_per_s"


class LocalIsBest:
    """Compare every far cell of a matrix with the near cell of the same memory."""

    name: ClassVar[str] = "local_is_best"
    title: ClassVar[str] = "local memory is not slower than remote memory"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        cells = [(one, *ends) for one in statements if one.conclusive and (ends := _ends(one))]
        local = {(one.table, one.words.get("test", ""), home): one for one, near, home in cells if near == home}
        for one, near, home in cells:
            best = local.get((one.table, one.words.get("test", ""), home))
            if best is not None and near != home:
                yield from _both(best, one)
        yield from _caches(statements)


def _ends(one: Statement) -> tuple[str, str] | None:
    return next(((one.words[a], one.words[b]) for a, b in ENDS if a in one.words and b in one.words), None)


def _both(local: Statement, far: Statement) -> Iterator[Failure | None]:
    if LATENCY in local.quantities and LATENCY in far.quantities:
        good = local.quantities[LATENCY].low <= LATE * far.quantities[LATENCY].high
        why = "a digit was lost in one of the two, or rows or columns were swapped"
        yield None if good else broken("local_is_best", local, far, LATENCY, why)
    if BANDWIDTH in local.quantities and BANDWIDTH in far.quantities:
        good = local.quantities[BANDWIDTH].high >= POOR * far.quantities[BANDWIDTH].low
        why = "a digit was lost in one of the two, rows or columns were swapped, or few CPUs are local to that memory"
        yield None if good else broken("local_is_best", local, far, BANDWIDTH, why)


def _caches(statements: Sequence[Statement]) -> Iterator[Failure | None]:
    """Compare a line from another core's cache in the same package with one from another package."""
    rows = [one for one in statements if one.words.get("test") == "cache to cache" and LATENCY in one.quantities]
    far = [one for one in rows if "reader" in one.words and one.words["reader"] != one.words.get("writer")]
    for one in rows:
        if "kind" in one.words:
            for other in far:
                yield from _both(one, other)


identities.add(LocalIsBest())
