"""`rbtree`: a red-black tree. The control object and each node (key, three links, value of 16 bytes) are one line.

Source: core/structures/persistent/rbtree.cpp.
"""

from tierscope.models.structures import MEASURED, Step, Structure, structures, whole
from tierscope.models.structures.red_black import BESIDE_INSERT, BESIDE_REMOVE, to_a_node, to_the_end, way

SOURCE = "core/structures/persistent/rbtree.cpp"
CONTROL = Step("control object", 1, 1)


def get(elements: float) -> tuple[Step, ...]:
    return whole(CONTROL, *way(elements, to_a_node(elements)))


def insert(elements: float) -> tuple[Step, ...]:
    beside = Step("nodes next to the way", BESIDE_INSERT, elements)
    fresh = Step("new node", 1, elements, dependent=False)
    return whole(CONTROL, *way(elements, to_the_end(elements)), beside, fresh)


def remove(elements: float) -> tuple[Step, ...]:
    return whole(CONTROL, *way(elements, to_the_end(elements)), Step("nodes next to the way", BESIDE_REMOVE, elements))


structures.add(Structure("rbtree get", "a look-up that finds its key", SOURCE, MEASURED, get))
structures.add(Structure("rbtree insert", "an insert of a new key", SOURCE, MEASURED, insert))
structures.add(Structure("rbtree remove", "a remove of a key that is there", SOURCE, MEASURED, remove))
