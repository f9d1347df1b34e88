"""`rtree`: a radix tree with digits of four bits. The control object and each leaf are one line.

An inner node (144 bytes) is three lines: prefix, shift and links 0 to 3 in the first, 4 to 11 in the second, 12 to 15
in the third; a way through it touches 1.75. An insert fills an empty link. It makes an inner node, all three lines,
where the neighbouring keys share one digit more than it: then the node there is read, and not one on the way. A remove
searches for a second link in use, from link 0 on: if there is none, the node is removed.
Source: core/structures/persistent/rtree.cpp, trie.hpp.
"""

from tierscope.models.structures import MEASURED, Step, Structure, structures, whole
from tierscope.models.structures.patricia import beside, way

BASE = 16
PASSED = 1.75  # lines of an inner node on the way
NODE_LINES = 3
FIRST, SECOND, THIRD = 4, 8, 4  # links in each line
SOURCE = "core/structures/persistent/rtree.cpp"


def get(elements: float) -> tuple[Step, ...]:
    inners = way(elements, BASE, PASSED, elements - 1)
    return whole(Step("control object", 1, 1), *inners, Step("leaf", 1, elements))


def insert(elements: float) -> tuple[Step, ...]:
    inners = way(elements, BASE, PASSED, elements)
    branches = (BASE - 1) * beside(elements, BASE, 1 / (BASE - 1))  # share of inserts that make an inner node
    last = inners[-1].places
    return whole(
        Step("control object", 1, 1),
        *_without(inners, PASSED * branches),
        Step("node next to the new key", branches, elements + last, dependent=True),
        Step("new inner node", NODE_LINES * branches, NODE_LINES * elements, dependent=False),
        Step("new leaf", 1, elements, dependent=False),
    )


def remove(elements: float) -> tuple[Step, ...]:
    more = Step("links of the last inner node", _scanned(elements - 1) - PASSED, elements / 2, dependent=False)
    return whole(*get(elements), more)


def _without(inners: tuple[Step, ...], lines: float) -> tuple[Step, ...]:
    """Return the steps without `lines` lines of the lowest inner nodes: these are new, not on the way."""
    kept: list[Step] = []
    for step in reversed(inners):
        less = min(step.lines, lines)
        lines -= less
        kept.insert(0, Step(step.what, step.lines - less, step.places))
    return tuple(kept)


def _scanned(others: float) -> float:
    """Return the lines of the inner node above a leaf, when a second link in use is looked for from link 0 on."""

    def goes_on(links: int) -> float:
        """Return the probability that at most one of `links` links other than the leaf's own is in use."""
        one = BASE - 1
        none = beside(others, BASE, (one - links) / one)
        return none + links * (beside(others, BASE, (one - links + 1) / one) - none)

    own = {line: links / BASE for line, links in (("first", FIRST), ("second", SECOND), ("third", THIRD))}
    second = own["second"] + own["first"] * goes_on(FIRST - 1) + own["third"] * goes_on(FIRST)
    third = own["third"] + (own["first"] + own["second"]) * goes_on(FIRST + SECOND - 1)
    return 1 + second + third


structures.add(Structure("rtree get", "a look-up that finds its key", SOURCE, MEASURED, get))
structures.add(Structure("rtree insert", "an insert of a new key", SOURCE, MEASURED, insert))
structures.add(Structure("rtree remove", "a remove of a key that is there", SOURCE, MEASURED, remove))
