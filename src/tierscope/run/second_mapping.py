"""The visits that are repeated immediately, in memory that is mapped again: only the mapping differs then.

A number may depend on the place of its pages: small pages share the sets of a cache in another way each time, and a
host may back some of them by large pages. All visits of a point have mappings of their own, so they contain this, but
they also contain what changes over the seconds between them. A few repeated visits of each kind separate the two
(`stats.mappings`). They belong to no number.
"""

from collections.abc import Sequence

from tierscope.record.machine import Cache
from tierscope.record.result import Record
from tierscope.stats.takes import takes_of
from tierscope.tables.drifts import Kind, kinds, level_of
from tierscope.tables.measured import page_bytes

PAIRS = 4  # of each kind
SMALL_PAGE = 64 << 10  # largest of the smallest pages of kernels; larger ones fill whole ways of a cache


def is_due(visit: Record, repeated: Sequence[Record], caches: Sequence[Cache]) -> bool:
    """Return whether a visit is to be repeated. repeated: those of the run so far.

    The second visit of PAIRS points of each kind is, if most of its memory has small pages and is larger than the first
    cache, which is indexed by what all pages have in common.
    """
    facts = visit.groups[-1]
    page = page_bytes(facts)
    if visit.visit != 1 or page is None or page > SMALL_PAGE or not facts.nodes or level_of(facts, caches) == 1:
        return False
    own = _kind(visit, caches)
    return sum(_kind(one, caches) == own for one in repeated) < PAIRS


def _kind(record: Record, caches: Sequence[Cache]) -> Kind:
    take = takes_of(record.experiment)[-1]
    return kinds(record, take, len(record.groups) - 1, caches)[0]
