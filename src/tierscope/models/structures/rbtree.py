"""`rbtree`: a red-black tree. The control object and each node (key, three links, value of 16 bytes) are one line.

Source: core/structures/persistent/rbtree.cpp.
"""

from tierscope.models.structures import MEASURED, Step, Structure, structures, whole
from tierscope.models.structures.layout import in_pool
from tierscope.models.structures.red_black import BESIDE_INSERT, BESIDE_REMOVE, to_a_node, to_the_end, way

SOURCE = "core/structures/persistent/rbtree.cpp"
CONTROL = Step("control object", 1, 1)
NODE_BYTES = 48


def _share(line: int) -> float:
    """Return how much of a line is a node's own."""
    return in_pool(NODE_BYTES, line).of(1)


def get(elements: float, line: int) -> tuple[Step, ...]:
    return whole(CONTROL, *way(elements, to_a_node(elements), share=_share(line)))


def insert(elements: float, line: int) -> tuple[Step, ...]:
    places = _share(line) * elements
    beside = Step("nodes next to the way", BESIDE_INSERT, places)
    fresh = Step("new node", 1, places, dependent=False)
    return whole(CONTROL, *way(elements, to_the_end(elements), share=_share(line)), beside, fresh)


def remove(elements: float, line: int) -> tuple[Step, ...]:
    beside = Step("nodes next to the way", BESIDE_REMOVE, _share(line) * elements)
    return whole(CONTROL, *way(elements, to_the_end(elements), share=_share(line)), beside)


structures.add(Structure("rbtree get", "a look-up that finds its key", SOURCE, MEASURED, get))
structures.add(Structure("rbtree insert", "an insert of a new key", SOURCE, MEASURED, insert))
structures.add(Structure("rbtree remove", "a remove of a key that is there", SOURCE, MEASURED, remove))
