"""How much a thread must do after an interruption before its private caches contain its own lines again.

    operations of one walk = footprint / threads / bytes per operation,   bytes at least a line

This is required only for footprints up to twice the private cache. Beyond, a walk in a cycle finds under a fifth of its
lines there (random replacement; h = exp(-(1 - h) 2)), so that an interruption removes little.
Blind to the shared cache: others keep their part of it before and after the switch.
"""

from collections.abc import Sequence

from tierscope.record.machine import Cache
from tierscope.record.result import GroupFacts
from tierscope.units import LINE_BYTES

REACH = 2  # times the private cache
PAST = ("nt", "direct")  # stores that pass the caches by
PRIVATE_LEVEL = 2  # a third level is shared on every server sold, even where a small guest sees it as its own


def walks(groups: Sequence[GroupFacts], caches: Sequence[Cache]) -> tuple[float, ...]:
    """Return the operations of one walk for each group, 0 where nothing is required; for `stats.point.judge`."""
    private = max((c.size_bytes for c in caches if c.level <= PRIVATE_LEVEL and c.kind != "Instruction"), default=0)
    return tuple(_walk(facts, private) for facts in groups)


def _walk(facts: GroupFacts, private_bytes: int) -> float:
    threads = len(facts.cpus)
    if facts.operation in ("handover", "transfer"):
        return 0.0  # its lines are always in the other's cache, and the second thread counts nothing
    if facts.operation == "block" and facts.store in PAST:
        return 0.0  # no cache keeps what it writes, and it reads nothing
    return walk_operations(facts) / threads if facts.footprint_bytes / threads <= REACH * private_bytes else 0.0


def walk_operations(facts: GroupFacts) -> float:
    """Return the operations in which the whole team visits each byte of its footprint once; 0 without a footprint."""
    return facts.footprint_bytes / max(LINE_BYTES, facts.element_bytes, facts.program_bytes_per_operation)
