"""`btree`: a B-tree of up to seven entries in a node. The control object is one line.

An inner node (240 bytes) is four lines: how many, and keys 0 to 4; keys 5 and 6, and values 0 to 2; values 3 to 6;
links. A leaf is the first three. A way through an inner node touches the first and the last, and the second where key
5 is compared. Where the key is found: the first, that of the value, and all three of a leaf if it is key 5 or 6.

Changes are kept in whole objects: three lines of a leaf, four of an inner node. A full node is split into a new one
and itself, and the node above is changed. A remove from an inner node takes the last entry before it from a leaf. A
leaf with three entries then needs one of a neighbour, the left one if that has more; or it is joined with one.
Source: core/structures/persistent/btree.cpp, btree_node.hpp.
"""

from collections.abc import Iterator
from functools import cache

from tierscope.models.structures import MEASURED, Step, Structure, structures, whole
from tierscope.models.structures.b_tree import COUNTS, FULL, LINKS, MEAN, NODES, Level, shape
from tierscope.models.structures.layout import Bytes, in_pool

SOURCE = "core/structures/persistent/btree.cpp"
CONTROL = Step("control object", 1, 1)
LEAF_BYTES, NODE_BYTES = 176, 240
VALUES, BELOW = 64, 176  # offsets of values and of links
SPLIT_INTO = (3, 4)  # entries of the two nodes

_KEYS = LINKS - NODES
_POOR = COUNTS[4] / NODES  # nodes with three entries
_END = 1 / MEAN  # nodes that are the first below the one above, or the last
_LEFT_IN_VAIN = (1 - _END) * _POOR


def _compared(keys: int) -> Bytes:
    """Return the bytes of the number of entries and of keys from the first on."""
    return 0, 8 + 8 * keys


class _Lines:
    """Lines of a node by what an operation does there. Lines have `line` bytes."""

    def __init__(self, line: int) -> None:
        self.leaf, self.inner = in_pool(LEAF_BYTES, line), in_pool(NODE_BYTES, line)
        self.whole_leaf, self.whole_inner = self.leaf.lines((0, LEAF_BYTES)), self.inner.lines((0, NODE_BYTES))
        self.passed = sum(count * self.inner.lines(*touched) for count, touched in _ways()) / LINKS
        self.found = sum(count * self.inner.lines(*touched) for count, touched in _places()) / _KEYS
        self.found_in_leaf = sum(count * self.leaf.lines(*touched) for count, touched in _places()) / _KEYS
        more = self.whole_inner - self.passed
        new = [self.leaf.lines(_compared(n), (VALUES, 16 * n)) for n in SPLIT_INTO]
        above = [self.inner.lines(_compared(n), (VALUES, 16 * n), (BELOW, 8 * n + 8)) for n in SPLIT_INTO]
        self.split = sum(new) / len(new) + more  # of a new leaf, and what else is kept of the node above
        self.split_inner = sum(above) / len(above) + more
        self.refill = more + self.whole_leaf + _LEFT_IN_VAIN
        """Lines of the node above that were not on the way, of the neighbour, and of one that was asked in vain."""

    def leaves(self, levels: tuple[Level, ...]) -> float:
        """Return the lines of all leaves."""
        return self.leaf.of(levels[0].nodes, self.whole_leaf)


def _ways() -> Iterator[tuple[float, tuple[Bytes, ...]]]:
    """Yield the ways through inner nodes: how many there are, and what each touches."""
    for links, count in COUNTS.items():
        for way in range(links):
            yield count, (_compared(min(way + 1, links - 1)), (BELOW + 8 * way, 8))


def _places() -> Iterator[tuple[float, tuple[Bytes, ...]]]:
    """Yield the places of keys in nodes: how many there are, and what a search that ends there touches."""
    for links, count in COUNTS.items():
        for place in range(links - 1):
            yield count, (_compared(place + 1), (VALUES + 16 * place, 16))


@cache
def _lines(line: int) -> _Lines:
    return _Lines(line)


def get(elements: float, line: int) -> tuple[Step, ...]:
    levels, of = shape(elements), _lines(line)
    below, steps = levels[0].keys, [Step("leaf", of.found_in_leaf * levels[0].keys, of.leaves(levels))]
    for number, level in enumerate(levels[1:], 1):
        lines = level.there * of.passed * below + of.found * level.keys
        steps.append(Step(f"node {number} above a leaf", lines, of.whole_inner * level.nodes))
        below += level.keys
    return whole(CONTROL, *reversed(steps))


def insert(elements: float, line: int) -> tuple[Step, ...]:
    levels, of = shape(elements), _lines(line)
    splits = FULL * of.split + of.split_inner * FULL**2 / (1 - FULL)
    return whole(
        CONTROL,
        *_through(levels, of),
        Step("leaf", of.whole_leaf, of.leaves(levels)),
        Step("nodes that are split, and made", splits, of.leaves(levels), dependent=False),
    )


def remove(elements: float, line: int) -> tuple[Step, ...]:
    levels, of = shape(elements), _lines(line)
    inner = 1 - levels[0].keys
    poor = levels[0].keys * 3 * COUNTS[4] / _KEYS + inner * _POOR
    more = inner * (of.whole_inner - of.passed)
    return whole(
        CONTROL,
        *_through(levels, of),
        Step("leaf", of.whole_leaf, of.leaves(levels)),
        Step("inner node of the key", more, of.whole_inner * sum(level.nodes for level in levels[1:])),
        Step("neighbours of a leaf", poor * of.refill, of.leaves(levels), dependent=False),
    )


def _through(levels: tuple[Level, ...], of: _Lines) -> tuple[Step, ...]:
    """Return the inner nodes on a way that continues to a leaf."""
    return tuple(
        Step(f"node {number} above a leaf", of.passed * level.there, of.whole_inner * level.nodes)
        for number, level in reversed(list(enumerate(levels[1:], 1)))
    )


structures.add(Structure("btree get", "a look-up that finds its key", SOURCE, MEASURED, get))
structures.add(Structure("btree insert", "an insert of a new key", SOURCE, MEASURED, insert))
structures.add(Structure("btree remove", "a remove of a key that is there", SOURCE, MEASURED, remove))
