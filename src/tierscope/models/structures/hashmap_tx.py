"""`hashmap_tx`: chains in one direction, in an array of links of 16 bytes.

The control object (48 bytes) is one line, with the count that an insert and a remove change. The array's length is in a
line of its own. A link's offset is in one line, but one link of four is in two, and an insert keeps a whole one. An
entry (key, link of 16 bytes, value) is one line.
Source: core/structures/persistent/hashmap_tx.cpp.
"""

from tierscope.models.structures import MEASURED, Step, Structure, structures, whole
from tierscope.models.structures.chains import buckets, hit
from tierscope.models.structures.layout import every, in_pool

LINK_BYTES = 16
ENTRY_BYTES = 40
WHERE = 8  # an array's links begin behind its length, 8 bytes into a link's place
SOURCE = "core/structures/persistent/hashmap_tx.cpp"


def _steps(elements: float, line: int, seen: float, *more: Step) -> tuple[Step, ...]:
    return whole(
        Step("control object", 1, 1),
        Step("length of the array", 1, 1),
        Step("bucket", 1, every(LINK_BYTES, line).of(buckets(elements))),
        Step("entries of the chain", seen, in_pool(ENTRY_BYTES, line).of(elements)),
        *more,
    )


def get(elements: float, line: int) -> tuple[Step, ...]:
    return _steps(elements, line, hit(elements, buckets(elements)))


def insert(elements: float, line: int) -> tuple[Step, ...]:
    array, links = buckets(elements), every(LINK_BYTES, line, WHERE)
    more = links.lines((0, LINK_BYTES)) - 1  # of a whole link beyond the line that its offset is in
    kept = Step("other line of the bucket", more, links.of(array), dependent=False)
    fresh = Step("new entry", 1, in_pool(ENTRY_BYTES, line).of(elements), dependent=False)
    return _steps(elements, line, elements / array, kept, fresh)


structures.add(Structure("hashmap_tx get", "a look-up that finds its key", SOURCE, MEASURED, get))
structures.add(Structure("hashmap_tx insert", "an insert of a new key", SOURCE, MEASURED, insert))
structures.add(
    Structure("hashmap_tx remove", "a remove of a key that is there; the links are those read", SOURCE, MEASURED, get)
)
