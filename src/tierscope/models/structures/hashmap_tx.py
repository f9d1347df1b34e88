"""`hashmap_tx`: chains in one direction, in an array of links of 16 bytes.

The control object (48 bytes) is one line, with the count that an insert and a remove change. The array's length is in a
line of its own. A link's offset is in one line, but one link of four is in two, and an insert keeps a whole one. An
entry (key, link of 16 bytes, value) is one line.
Source: core/structures/persistent/hashmap_tx.cpp.
"""

from tierscope.models.structures import MEASURED, Step, Structure, structures, whole
from tierscope.models.structures.chains import buckets, hit
from tierscope.units import LINE_BYTES

LINK_BYTES = 16
KEPT = 0.25  # lines of a whole link beyond the one that its offset is in
SOURCE = "core/structures/persistent/hashmap_tx.cpp"


def _steps(elements: float, seen: float, *more: Step) -> tuple[Step, ...]:
    return whole(
        Step("control object", 1, 1),
        Step("length of the array", 1, 1),
        Step("bucket", 1, buckets(elements) * LINK_BYTES / LINE_BYTES),
        Step("entries of the chain", seen, elements),
        *more,
    )


def get(elements: float) -> tuple[Step, ...]:
    return _steps(elements, hit(elements, buckets(elements)))


def insert(elements: float) -> tuple[Step, ...]:
    array = buckets(elements)
    kept = Step("other line of the bucket", KEPT, array * LINK_BYTES / LINE_BYTES, dependent=False)
    return _steps(elements, elements / array, kept, Step("new entry", 1, elements, dependent=False))


structures.add(Structure("hashmap_tx get", "a look-up that finds its key", SOURCE, MEASURED, get))
structures.add(Structure("hashmap_tx insert", "an insert of a new key", SOURCE, MEASURED, insert))
structures.add(
    Structure("hashmap_tx remove", "a remove of a key that is there; the links are those read", SOURCE, MEASURED, get)
)
