"""The visits that are repeated immediately, in memory that is mapped again: only the mapping differs then.

A number may depend on the place of its pages: small pages share the sets of a cache in another way each time, and a
host may back some of them by large pages. All visits of a point have mappings of their own, so they contain this, but
they also contain what changes over the seconds between them. A few repeated visits of each kind separate the two
(`stats.mappings`). They belong to no number.
"""

from collections.abc import Sequence

from tierscope.record.machine import Cache
from tierscope.record.result import Record
from tierscope.tables.drifts import kinds_of, level_of
from tierscope.tables.measured import SMALL_PAGES, page_bytes

PAIRS = 4  # of each kind


def is_due(visit: Record, repeated: Sequence[Record], caches: Sequence[Cache]) -> bool:
    """Return whether a visit is to be repeated. repeated: those of the run so far.

    The second visit of PAIRS points of each kind is, if most of its memory has small pages and is larger than the first
    cache, which is indexed by what all pages have in common.
    """
    facts = visit.groups[-1]
    page = page_bytes(facts)
    if visit.visit != 1 or page is None or page > SMALL_PAGES or not facts.nodes or level_of(facts, caches) == 1:
        return False
    own, _ = kinds_of(visit, caches)
    return sum(kinds_of(one, caches)[0] == own for one in repeated) < PAIRS
