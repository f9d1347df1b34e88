"""Blocks in random order are not written or read faster than blocks in sequence.

    bandwidth(random) <= ROOM * bandwidth(sequential)        latency(random) >= latency(sequential) / ROOM

It compares rows of one kernel, number of threads and block size, in memory: prefetchers, open rows and the TLB all help
sequences. Blocks of less than a page are left out: threads on neighbouring blocks meet in one buffer of a device. On
storage either order may help. Blind to a sequence that is too fast.
Source: B. Jacob, S. Ng, D. Wang, "Memory Systems: Cache, DRAM, Disk", 2007, chapters 10 and 13 (open rows, locality).
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.orders import broken
from tierscope.audit.statement import Statement

ROOM = 1.5  # threads in step may meet in one bank where random ones do not
ORDER = "order"
BANDWIDTH, LATENCY = "bandwidth_bytes_per_s", "latency_s"
PAGE_BYTES = 4096
SIZES = ("threads", "operation_bytes", "footprint_bytes")


class RandomNoFaster:
    """Compare statements that differ only in their order."""

    name: ClassVar[str] = "random_no_faster"
    title: ClassVar[str] = "random order is no faster than a sequence"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        rows = [one for one in statements if {"kernel", ORDER} <= set(one.words) and one.conclusive and _large(one)]
        sequential = {_setting(one): one for one in rows if one.words[ORDER] == "sequential"}
        for one in rows:
            other = sequential.get(_setting(one))
            if one.words[ORDER] == "random" and other is not None:
                yield from _pair(one, other)


def _large(one: Statement) -> bool:
    size = one.get("operation_bytes")
    return size is None or size[0].value >= PAGE_BYTES


def _setting(one: Statement) -> tuple[object, ...]:
    sizes = tuple(one.quantities[name].value if name in one.quantities else None for name in SIZES)
    words = tuple(sorted((k, v) for k, v in one.words.items() if k not in (ORDER, "operation", "pattern", "kind")))
    return (one.table, *sizes, words)


def _pair(one: Statement, other: Statement) -> Iterator[Failure | None]:
    why = "the sequence was slowed, as by the first touch of its memory, or rows were swapped"
    if BANDWIDTH in one.quantities and BANDWIDTH in other.quantities:
        good = one.quantities[BANDWIDTH].low <= ROOM * other.quantities[BANDWIDTH].high
        yield None if good else broken("random_no_faster", one, other, BANDWIDTH, why)
    if LATENCY in one.quantities and LATENCY in other.quantities:
        good = one.quantities[LATENCY].high * ROOM >= other.quantities[LATENCY].low
        yield None if good else broken("random_no_faster", one, other, LATENCY, why)


identities.add(RandomNoFaster())
