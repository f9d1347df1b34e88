"""Nodes that operations on a red-black tree visit, by fringe analysis of its lowest level; keys drawn evenly.

A black node and the red ones below it are a node of a 2-3-4 tree. An insert into one with k links makes it k + 1, and
one of four becomes one of two and one of three. So per key there are nodes with 2, 3, 4 links as 4/3 : 5/3 : 1, which
are hit as 8/3 : 5 : 4, and a way to the end passes 1, 5/3, 2 binary nodes in them. Above, subtrees are assumed to be
halves.

- Insert: four links: the uncle is painted, and the same is repeated one level up, where three links with a red node
  above (2/3) need a rotation: the uncle, and half the time a child that changes sides.
- Remove: the way continues to the end. One of two children is next to the way; an inner red child rises (1/3 of those
  with three links); from two links a neighbour gives, with its children and, below a red neighbour (1/3 of three
  links), another node.
Source: A. C.-C. Yao, "On Random 2-3 Trees", Acta Informatica 9, 1978; L. J. Guibas, R. Sedgewick, "A Dichromatic
Framework for Balanced Trees", FOCS 1978.
"""

import math

from tierscope.models.structures import Step

COUNTS = {2: 4 / 3, 3: 5 / 3, 4: 1.0}  # nodes by links, for 35/3 links
NODES = sum(COUNTS.values())
LINKS = sum(links * count for links, count in COUNTS.items())
HIT = {links: links * count / LINKS for links, count in COUNTS.items()}
SHARE = {links: count / NODES for links, count in COUNTS.items()}

ROTATED = HIT[3] * 2 / 3
BESIDE_INSERT = HIT[4] * (1 + (HIT[4] + 1.5 * ROTATED) / (1 - HIT[4]))
"""Nodes next to the way that an insert touches: uncles, and children that change sides."""

BOTH = 1 - (COUNTS[2] + 2 * COUNTS[3] + 2 * COUNTS[4]) / LINKS
"""Share of nodes with two children: all but the only one of two links, both of three, and two of four."""
_CHILDREN = SHARE[3] + 2 * SHARE[4]
_RED = HIT[3] / 3
_GOES_UP = SHARE[2] * HIT[2]
BESIDE_REMOVE = BOTH + HIT[3] / 3 + HIT[2] * (1 + _CHILDREN + _RED + _GOES_UP * (3 + _RED))
"""Nodes next to the way that a remove touches."""


def to_the_end(elements: float) -> float:
    """Return the nodes on a way that ends where no node is."""
    lowest = sum(HIT[links] * passed for links, passed in ((2, 1), (3, 5 / 3), (4, 2)))
    return lowest + _halved((elements + 1) * NODES / LINKS)


def to_a_node(elements: float) -> float:
    """Return the nodes on a way to a node, which counts."""
    return to_the_end(elements) * (elements + 1) / elements - 1


def way(elements: float, visited: float, lines: float = 1.0, share: float = 1.0) -> tuple[Step, ...]:
    """Return this number of nodes, from the top down; below the full levels all nodes are one place.

    lines: of each node; share: of a line that is a node's own.
    """
    steps, level = [], 0
    own = lines * share
    while visited > 1 and 2.0 ** (level + 1) < elements:
        seen = min(1.0, visited) if visited < 1 else 1 - (2.0**level - 1) / elements
        steps.append(Step(f"node of level {level}", seen * lines, 2.0**level * own))
        visited -= seen
        level += 1
    return (*steps, Step("node of the lowest levels", visited * lines, elements * own))


def _halved(ends: float) -> float:
    """Return the mean depth of this number of ends, halved from the top; Knuth, volume 3, section 6.2.1."""
    full = math.floor(math.log2(ends))
    return full + 2 - 2.0 ** (full + 1) / ends
