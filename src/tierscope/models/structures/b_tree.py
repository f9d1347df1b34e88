"""Shape of a B-tree whose nodes have 4 to 8 links and split into 4 and 5, by fringe analysis; keys drawn evenly.

An insert hits a node as often as it has links, and one of 8 becomes one of 4 and one of 5. So of a(k) nodes with k
links 5 a(4) = 8 a(8), 6 a(5) = 4 a(4) + 8 a(8), and (k + 1) a(k) = (k - 1) a(k - 1) above: COUNTS. Each level has as
many nodes as the one below over the mean of links; the uppermost is one node. All levels are certain but for one:
above a level that has 8 nodes on average the tree may have one more, above one of so many that 8 full nodes would
have split it must; between, the chance is taken to rise evenly.
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
    """`nodes`, how likely it is there, and the share of keys that it holds."""

    nodes: float
    there: float
    keys: float


def shape(elements: float) -> tuple[Level, ...]:
    """From the leaves up; the last level is the one node above all."""
    ends = elements + 1
    levels, there = [], 1.0
    while ends > MOST:
        nodes = ends / MEAN
        levels.append(Level(nodes, there, (ends - nodes) / elements))
        there = min(1.0, max(0.0, (nodes - MOST) / (SURELY - MOST)))
        ends = nodes
    return (*levels, Level(1, 1, max(0.0, ends - 1) / elements))
