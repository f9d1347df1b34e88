"""`hashmap_atomic`: lists of libpmemobj, linked both ways and circular, in buckets of 80 bytes.

The control object (72 bytes) shows the hash in its first line and the array in its second. The array's length is in a
line of its own, a bucket's first link in one. An entry (key, two links of 16 bytes, value) has all but the end of the
value in its first line. An insert or a remove takes the bucket's lock, which is in the line behind, and writes the
links of the neighbours; the count and its marks are in the control object's first line. A bucket is read whole then,
which is 2.25 lines.
Source: core/structures/persistent/hashmap_atomic.cpp; PMDK 1.12, src/libpmemobj/list.c.
"""

from tierscope.models.structures import MEASURED, Step, Structure, structures, whole
from tierscope.models.structures.chains import buckets, hit, neighbours
from tierscope.models.structures.layout import alone, every, in_pool

BUCKET_BYTES, CONTROL_BYTES, ENTRY_BYTES = 80, 72, 56
WHERE = 8  # an array's buckets begin behind its length, 8 bytes into a line
SOURCE = "core/structures/persistent/hashmap_atomic.cpp"


def _arrays(elements: float, line: int) -> float:
    """Return the lines of all buckets."""
    return buckets(elements) * BUCKET_BYTES / line


def _head(elements: float, line: int) -> tuple[Step, ...]:
    return (
        Step("control object", 1, 1),
        Step("control object, where the array is", alone(line).lines((0, CONTROL_BYTES)) - 1, 1, dependent=False),
        Step("length of the array", 1, 1),
        Step("bucket", 1, _arrays(elements, line)),
    )


def _chain(elements: float, line: int, seen: float, own: float = 0.0) -> Step:
    return Step("entries of the chain", seen, in_pool(ENTRY_BYTES, line).of(elements), own=own)


def _end(line: int) -> float:
    """Return the lines of an entry behind the first."""
    return in_pool(ENTRY_BYTES, line).lines((0, ENTRY_BYTES)) - 1


def find(elements: float, line: int) -> tuple[Step, ...]:
    return whole(*_head(elements, line), _chain(elements, line, hit(elements, buckets(elements)), own=1.0))


def get(elements: float, line: int) -> tuple[Step, ...]:
    places = in_pool(ENTRY_BYTES, line).of(elements)
    end = Step("end of the value", _end(line), places, dependent=False, own=_end(line))
    chain = _chain(elements, line, hit(elements, buckets(elements)), own=1.0)
    return whole(*_head(elements, line), chain, end)


def _lock(elements: float, line: int) -> Step:
    lines = every(BUCKET_BYTES, line, WHERE).lines((0, BUCKET_BYTES)) - 1
    return Step("lock of the bucket", lines, _arrays(elements, line), dependent=False)


def insert(elements: float, line: int) -> tuple[Step, ...]:
    chain = _chain(elements, line, elements / buckets(elements))
    lines = 1 + _end(line)
    fresh = Step("new entry", lines, in_pool(ENTRY_BYTES, line).of(elements, lines), dependent=False)
    return whole(*_head(elements, line), chain, _lock(elements, line), fresh)


def remove(elements: float, line: int) -> tuple[Step, ...]:
    chain = _chain(elements, line, neighbours(elements, buckets(elements)))
    return whole(*_head(elements, line), chain, _lock(elements, line))


structures.add(Structure("hashmap_atomic get", "a look-up that finds its key", SOURCE, MEASURED, get))
structures.add(
    Structure("hashmap_atomic find", "a look-up that finds its key, and reads no value", SOURCE, MEASURED, find)
)
structures.add(Structure("hashmap_atomic insert", "an insert of a new key", SOURCE, MEASURED, insert))
structures.add(Structure("hashmap_atomic remove", "a remove of a key that is there", SOURCE, MEASURED, remove))
