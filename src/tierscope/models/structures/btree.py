"""`btree`: a B-tree of up to seven entries in a node. The control object is one line.

An inner node (240 bytes) is four lines: how many, and keys 0 to 4; keys 5 and 6, and values 0 to 2; values 3 to 6;
links. A leaf is the first three. A way through an inner node touches the first and the last, and the second where key
5 is compared. Where the key is found: the first, that of the value, and all three of a leaf if it is key 5 or 6.

Changes are kept in whole objects: three lines of a leaf, four of an inner node. A full node is split into a new one
and itself, and the node above is changed. A remove from an inner node takes the last entry before it from a leaf. A
leaf with three entries then needs one of a neighbour, the left one if that has more; or it is joined with one.
Source: core/structures/persistent/btree.cpp, btree_node.hpp.
"""

from tierscope.models.structures import MEASURED, Step, Structure, structures, whole
from tierscope.models.structures.b_tree import COUNTS, FULL, LINKS, MEAN, NODES, Level, shape

SOURCE = "core/structures/persistent/btree.cpp"
CONTROL = Step("control object", 1, 1)
LEAF, INNER = 3, 4  # lines of a node

PASSED = 2 + (2 * COUNTS[7] + 3 * COUNTS[8]) / LINKS  # the ways behind key 4 compare key 5, where it is there
_KEYS = LINKS - NODES
FOUND = 2 + (COUNTS[7] + 2 * COUNTS[8]) / _KEYS  # keys 5 and 6 have their values in another line

SPLIT = LEAF - 0.5 + INNER - PASSED
"""Lines of a new leaf (half the time its last line stays empty), and what else is kept of the node above."""
SPLIT_INNER = INNER - 0.5 + INNER - PASSED

_POOR = COUNTS[4] / NODES  # nodes with three entries
_END = 1 / MEAN  # nodes that are the first below the one above, or the last
_LEFT_IN_VAIN = (1 - _END) * _POOR
_REFILL = INNER - PASSED + LEAF + _LEFT_IN_VAIN
"""Lines of the node above that were not on the way, of the neighbour, and of one that was asked in vain."""


def get(elements: float) -> tuple[Step, ...]:
    levels = shape(elements)
    below, steps = levels[0].keys, [Step("leaf", FOUND * levels[0].keys, LEAF * levels[0].nodes)]
    for number, level in enumerate(levels[1:], 1):
        lines = level.there * PASSED * below + FOUND * level.keys
        steps.append(Step(f"node {number} above a leaf", lines, INNER * level.nodes))
        below += level.keys
    return whole(CONTROL, *reversed(steps))


def insert(elements: float) -> tuple[Step, ...]:
    levels = shape(elements)
    splits = FULL * SPLIT + SPLIT_INNER * FULL**2 / (1 - FULL)
    return whole(
        CONTROL,
        *_through(levels),
        Step("leaf", LEAF, LEAF * levels[0].nodes),
        Step("nodes that are split, and made", splits, LEAF * levels[0].nodes, dependent=False),
    )


def remove(elements: float) -> tuple[Step, ...]:
    levels = shape(elements)
    inner = 1 - levels[0].keys
    poor = levels[0].keys * 3 * COUNTS[4] / _KEYS + inner * _POOR
    return whole(
        CONTROL,
        *_through(levels),
        Step("leaf", LEAF, LEAF * levels[0].nodes),
        Step("inner node of the key", inner * (INNER - PASSED), INNER * sum(level.nodes for level in levels[1:])),
        Step("neighbours of a leaf", poor * _REFILL, LEAF * levels[0].nodes, dependent=False),
    )


def _through(levels: tuple[Level, ...]) -> tuple[Step, ...]:
    """Return the inner nodes on a way that continues to a leaf."""
    return tuple(
        Step(f"node {number} above a leaf", PASSED * level.there, INNER * level.nodes)
        for number, level in reversed(list(enumerate(levels[1:], 1)))
    )


structures.add(Structure("btree get", "a look-up that finds its key", SOURCE, MEASURED, get))
structures.add(Structure("btree insert", "an insert of a new key", SOURCE, MEASURED, insert))
structures.add(Structure("btree remove", "a remove of a key that is there", SOURCE, MEASURED, remove))
