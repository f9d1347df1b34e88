"""Shape of a B-tree whose nodes have 4 to 8 links and split into 4 and 5, by fringe analysis; keys drawn evenly.

The number of a node's links is its probability of an insert, and one of 8 becomes one of 4 and one of 5. So of a(k)
nodes with k links 5 a(4) = 8 a(8), 6 a(5) = 4 a(4) + 8 a(8), and (k + 1) a(k) = (k - 1) a(k - 1) above: COUNTS. Each
level has as many nodes as the one below over the mean of links; the uppermost is one node.
All levels are certain except one. Above a level that has 8 nodes on average the tree may have one more. It must have
one more above a level so large that 8 full nodes would have split it. Between these, the chance is assumed to rise
evenly.
Source: A. C.-C. Yao, "On Random 2-3 Trees", Acta Informatica 9, 1978.
"""

from dataclasses import dataclass

MOST = 8  # links of a node
COUNTS = {4: 8 / 5, 5: 12 / 5, 6: 12 / 7, 7: 9 / 7, 8: 1.0}
NODES = sum(COUNTS.values())
LINKS = sum(links * count for links, count in COUNTS.items())
MEAN = LINKS / NODES
FULL = MOST * COUNTS[8] / LINKS  # share of inserts that split the node they end in
SURELY = (MOST + 1) * MOST / MEAN  # nodes of a level, by the mean, that cannot be below one node


@dataclass(frozen=True, slots=True)
class Level:
    """`nodes`, how likely the level exists, and its share of the keys."""

    nodes: float
    there: float
    keys: float


def shape(elements: float) -> tuple[Level, ...]:
    """Return the levels from the leaves up; the last level is the one node above all."""
    ends = elements + 1
    levels, there = [], 1.0
    while ends > MOST:
        nodes = ends / MEAN
        levels.append(Level(nodes, there, (ends - nodes) / elements))
        there = min(1.0, max(0.0, (nodes - MOST) / (SURELY - MOST)))
        ends = nodes
    return (*levels, Level(1, 1, max(0.0, ends - 1) / elements))
