"""`rtree`: a radix tree with digits of four bits. The control object and each leaf are one line.

An inner node (144 bytes) is three lines: prefix, shift and links 0 to 3 in the first, 4 to 11 in the second, 12 to 15
in the third; a way through it touches 1.75. An insert fills an empty link. It makes an inner node, all three lines,
where the neighbouring keys share one digit more than it: then the node there is read, and not one on the way. A remove
searches for a second link in use, from link 0 on: if there is none, the node is removed.
Source: core/structures/persistent/rtree.cpp, trie.hpp.
"""

from tierscope.models.structures import MEASURED, Step, Structure, structures, whole
from tierscope.models.structures.layout import Places, in_pool
from tierscope.models.structures.patricia import beside, way

BASE = 16
HEAD_BYTES = 16  # prefix and shift
NODE_BYTES, LEAF_BYTES = 144, 24
SOURCE = "core/structures/persistent/rtree.cpp"


def _passed(nodes: Places) -> float:
    """Return the lines of an inner node on the way."""
    return sum(nodes.lines((0, HEAD_BYTES), (HEAD_BYTES + 8 * link, 8)) for link in range(BASE)) / BASE


def get(elements: float, line: int) -> tuple[Step, ...]:
    nodes, leaves = in_pool(NODE_BYTES, line), in_pool(LEAF_BYTES, line)
    inners = way(elements, BASE, _passed(nodes), elements - 1, nodes.of(1))
    return whole(Step("control object", 1, 1), *inners, Step("leaf", 1, leaves.of(elements)))


def insert(elements: float, line: int) -> tuple[Step, ...]:
    nodes, leaves = in_pool(NODE_BYTES, line), in_pool(LEAF_BYTES, line)
    passed, made = _passed(nodes), nodes.lines((0, NODE_BYTES))
    inners = way(elements, BASE, passed, elements, nodes.of(1))
    branches = (BASE - 1) * beside(elements, BASE, 1 / (BASE - 1))  # share of inserts that make an inner node
    return whole(
        Step("control object", 1, 1),
        *_without(inners, passed * branches),
        Step("node next to the new key", branches, leaves.of(elements) + inners[-1].places, dependent=True),
        Step("new inner node", made * branches, nodes.of(elements, made), dependent=False),
        Step("new leaf", 1, leaves.of(elements), dependent=False),
    )


def remove(elements: float, line: int) -> tuple[Step, ...]:
    nodes = in_pool(NODE_BYTES, line)
    lines = _scanned(elements - 1, nodes) - _passed(nodes)
    more = Step("links of the last inner node", lines, nodes.of(elements / 2), dependent=False)
    return whole(*get(elements, line), more)


def _without(inners: tuple[Step, ...], lines: float) -> tuple[Step, ...]:
    """Return the steps without `lines` lines of the lowest inner nodes: these are new, not on the way."""
    kept: list[Step] = []
    for step in reversed(inners):
        less = min(step.lines, lines)
        lines -= less
        kept.insert(0, Step(step.what, step.lines - less, step.places))
    return tuple(kept)


def _scanned(others: float, nodes: Places) -> float:
    """Return the lines of the inner node above a leaf, when a second link in use is looked for from link 0 on."""
    return sum(_scanned_at(others, _links(begin, nodes.line_bytes)) for begin in nodes.begins) / len(nodes.begins)


def _links(begin: int, line: int) -> list[int]:
    """Return the number of links in each line of an inner node that begins there."""
    first = [(begin + HEAD_BYTES + 8 * link) // line - begin // line for link in range(BASE)]
    return [first.count(number) for number in range(max(first) + 1)]


def _scanned_at(others: float, links: list[int]) -> float:
    def goes_on(passed: int) -> float:
        """Return the probability that at most one of `passed` links other than the leaf's own is in use."""
        one = BASE - 1
        none = beside(others, BASE, (one - passed) / one)
        return none + passed * (beside(others, BASE, (one - passed + 1) / one) - none)

    lines = 1.0
    for number in range(1, len(links)):
        before, here = sum(links[:number]), links[number]
        lines += here / BASE
        if before:
            lines += before / BASE * goes_on(before - 1)
        if behind := BASE - before - here:
            lines += behind / BASE * goes_on(before)
    return lines


structures.add(Structure("rtree get", "a look-up that finds its key", SOURCE, MEASURED, get))
structures.add(Structure("rtree insert", "an insert of a new key", SOURCE, MEASURED, insert))
structures.add(Structure("rtree remove", "a remove of a key that is there", SOURCE, MEASURED, remove))
