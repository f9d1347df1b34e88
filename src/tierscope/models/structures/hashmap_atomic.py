"""`hashmap_atomic`: lists of libpmemobj, linked both ways and circular, in buckets of 80 bytes.

The control object (72 bytes) shows the hash in its first line and the array in its second. The array's length is in a
line of its own, a bucket's first link in one. An entry (key, two links of 16 bytes, value) has all but the end of the
value in its first line. An insert or a remove takes the bucket's lock, which is in the line behind, and writes the
links of the neighbours; the count and its marks are in the control object's first line.
Source: core/structures/persistent/hashmap_atomic.cpp; PMDK 1.12, src/libpmemobj/list.c.
"""

from tierscope.models.structures import MEASURED, Step, Structure, structures, whole
from tierscope.models.structures.chains import buckets, hit, neighbours
from tierscope.units import LINE_BYTES

BUCKET_BYTES = 80
SOURCE = "core/structures/persistent/hashmap_atomic.cpp"


def _head(elements: float) -> tuple[Step, ...]:
    return (
        Step("control object", 1, 1),
        Step("control object, where the array is", 1, 1, dependent=False),
        Step("length of the array", 1, 1),
        Step("bucket", 1, buckets(elements) * BUCKET_BYTES / LINE_BYTES),
    )


def get(elements: float) -> tuple[Step, ...]:
    seen = hit(elements, buckets(elements))
    end = Step("end of the value", 1, elements, dependent=False)
    return whole(*_head(elements), Step("entries of the chain", seen, elements), end)


def find(elements: float) -> tuple[Step, ...]:
    return whole(*_head(elements), Step("entries of the chain", hit(elements, buckets(elements)), elements))


def _lock(elements: float) -> Step:
    return Step("lock of the bucket", 1, buckets(elements) * BUCKET_BYTES / LINE_BYTES, dependent=False)


def insert(elements: float) -> tuple[Step, ...]:
    seen = elements / buckets(elements)
    fresh = Step("new entry", 2, 2 * elements, dependent=False)
    return whole(*_head(elements), Step("entries of the chain", seen, elements), _lock(elements), fresh)


def remove(elements: float) -> tuple[Step, ...]:
    seen = neighbours(elements, buckets(elements))
    return whole(*_head(elements), Step("entries of the chain", seen, elements), _lock(elements))


structures.add(Structure("hashmap_atomic get", "a look-up that finds its key", SOURCE, MEASURED, get))
structures.add(
    Structure("hashmap_atomic find", "a look-up that finds its key, and reads no value", SOURCE, MEASURED, find)
)
structures.add(Structure("hashmap_atomic insert", "an insert of a new key", SOURCE, MEASURED, insert))
structures.add(Structure("hashmap_atomic remove", "a remove of a key that is there", SOURCE, MEASURED, remove))
