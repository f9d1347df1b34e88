"""No core moves more than its load and store ports carry, and no dependent load is faster than one from L1.

    bandwidth_bytes_per_s / threads <= PORT_BYTES * FASTEST_HZ       latency_s >= SOONEST_CYCLES / FASTEST_HZ

A core searches its own second-level cache before it reads a line of another core's cache. No processor sold answers
such a read in less than OUTSIDE_CYCLES. A failure is therefore something that even the first-level cache cannot
explain: a loop that the compiler removed, a clock that stopped, or a time that was divided by too large a number. It
checks single accesses of hardware; the statement marks them with `access`.
Source: Intel, "64 and IA-32 Architectures Optimization Reference Manual", 2023 (two loads and one store of 64 bytes a
cycle; four cycles at least from load to use).
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.shown import shown, value_of
from tierscope.audit.statement import Quantity, Statement

PORT_BYTES = 192.0
FASTEST_HZ = 6.5e9  # above the clock of any processor on sale
SOONEST_CYCLES = 3.0
OUTSIDE_CYCLES = 9.0  # of `access` = "cache to cache"


class CoreLimit:
    """Check the bandwidth of each thread and the latency of each access."""

    name: ClassVar[str] = "core_limit"
    title: ClassVar[str] = "no more than what a first-level cache gives"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        for one in statements:
            if not one.hardware:
                continue
            if known := one.get("bandwidth_bytes_per_s", "threads"):
                yield _bandwidth(one, known[1].value)
            elif known := one.get("total_bytes", "seconds", "threads"):
                yield _moved(one, *known)
            if "access" in one.words and one.get("latency_s"):
                yield _latency(one)


def _bandwidth(one: Statement, threads: float) -> Failure | None:
    name = "bandwidth_bytes_per_s"
    stated, most = one.quantities[name], max(threads, 1) * PORT_BYTES * FASTEST_HZ
    if stated.value <= most:
        return None
    found = f"the ports of {threads:g} cores carry {value_of(name, most)} at most"
    why = "no cache explains it: the loop was removed, the clock stood still, or bytes are counted that never moved"
    return Failure("core_limit", one.label, one.table, name, shown(name, stated), found, why)


def _moved(one: Statement, total: Quantity, seconds: Quantity, threads: Quantity) -> Failure | None:
    """Check a whole program that does not state a bandwidth."""
    most = max(threads.value, 1) * PORT_BYTES * FASTEST_HZ
    if total.value <= most * seconds.high:
        return None
    found = f"the ports of {threads.value:g} cores need {value_of('x_s', total.value / most)} for its bytes"
    why = "a digit was lost, or fewer bytes were moved than stated"
    return Failure("core_limit", one.label, one.table, "seconds", shown("seconds", seconds), found, why)


def _latency(one: Statement) -> Failure | None:
    outside = one.words["access"] == "cache to cache"
    stated, least = one.quantities["latency_s"], (OUTSIDE_CYCLES if outside else SOONEST_CYCLES) / FASTEST_HZ
    if stated.high >= least:
        return None
    level = "second" if outside else "first"
    found = f"a {level}-level cache needs {value_of('latency_s', least)} at least"
    why = "the accesses did not depend on each other, the time was divided by too many, or a column of ns contains us"
    return Failure("core_limit", one.label, one.table, "latency_s", shown("latency_s", stated), found, why)


identities.add(CoreLimit())
