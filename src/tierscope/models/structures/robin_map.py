"""`robin_map`: tsl::robin_map 1.2 in volatile memory, at most half full, with the allocator of the GNU C library.

A bucket (distance, key, value) has 40 bytes, at each eighth of a line equally often. From the first one to the end of
the value d buckets behind it are 40 d + 32 bytes: 1.375 + 0.625 d lines. An insert moves keys up to the first empty
bucket and writes all of it: 0.125 lines more. A remove moves them back, and reads the distance of one bucket more: 0.25
lines more. A search reads 48 bytes of the map itself, a remove 74 and an insert 82, at each quarter of a line equally
often.
Source: core/structures/volatile/robin_map.cpp; T. Goetghebuer-Planchon, robin-map 1.2, tsl/robin_hash.h.
"""

import math

from tierscope.models.structures import MEASURED, Step, Structure, structures, whole
from tierscope.models.structures.layout import Bytes, every
from tierscope.models.structures.probes import free, hit

SOURCE = "core/structures/volatile/robin_map.cpp"
BUCKET_BYTES = 40
GRAIN = 16
SEARCHED, LESS, MORE = (8, 48), (0, 74), (0, 82)  # offset and bytes of the map itself, by what is asked of it
KEY_AND_VALUE, WHOLE, BEHIND = 32, 40, 48  # bytes of a bucket: read, written, and read with the next one's distance


def buckets(elements: float) -> float:
    """Return a power of two that one key more would not fill to half."""
    return max(16.0, 2.0 ** (math.floor(math.log2(2 * (elements + 1))) + 1))


def _steps(elements: float, line: int, asked: Bytes, last: int, beyond: float) -> tuple[Step, ...]:
    """Return the steps. last: bytes that are touched of the last bucket; beyond: buckets before it."""
    row, control = every(BUCKET_BYTES, line), every(GRAIN, line).lines(asked)
    first = row.lines((0, KEY_AND_VALUE))
    more = row.lines((0, last)) - first + beyond * BUCKET_BYTES / line
    places = row.of(buckets(elements))
    return whole(
        Step("map", control, control),
        Step("bucket", first, places),
        Step("buckets next to it", more, places, dependent=False),
    )


def get(elements: float, line: int) -> tuple[Step, ...]:
    return _steps(elements, line, SEARCHED, KEY_AND_VALUE, hit(elements / buckets(elements)).beyond)


def insert(elements: float, line: int) -> tuple[Step, ...]:
    return _steps(elements, line, MORE, WHOLE, free(elements / buckets(elements)).beyond)


def remove(elements: float, line: int) -> tuple[Step, ...]:
    return _steps(elements, line, LESS, BEHIND, free(elements / buckets(elements)).beyond)


structures.add(Structure("robin_map get", "a look-up that finds its key", SOURCE, MEASURED, get))
structures.add(Structure("robin_map insert", "an insert of a new key", SOURCE, MEASURED, insert))
structures.add(Structure("robin_map remove", "a remove of a key that is there", SOURCE, MEASURED, remove))
