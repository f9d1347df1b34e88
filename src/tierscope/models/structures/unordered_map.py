"""`unordered_map`: std::unordered_map of libstdc++ in volatile memory, with the allocator of the GNU C library.

All nodes are one list; a bucket's link goes to the node before its first one. A node (link, key, value) comes every 48
bytes, so it begins at each quarter of a line equally often. Link and key are in one line, and the value of one in four
is in another. Its end, which an insert writes and a remove reads, is in another line for one in two. With l = n / b
entries to a bucket, a get reads the bucket, the node before and 1 + (n - 1) / (2 b) nodes. An insert into a bucket with
entries reads the node before, them, and the one behind; into an empty one it writes the bucket of the node that was
first, which it reads. A remove reads the node behind and, if that is of another bucket, of probability (1 - e^-l) / l,
writes there. An insert and a get read 40 bytes of the map itself, a remove 32, at each quarter of a line equally often.
Limits: nodes that share a line with their neighbour in memory are ignored.
Source: core/structures/volatile/unordered_map.cpp; libstdc++ 12, bits/hashtable.h.
"""

import math

from tierscope.models.structures import MEASURED, Step, Structure, structures, whole
from tierscope.models.structures.chains import hit
from tierscope.models.structures.layout import Bytes, every

SOURCE = "core/structures/volatile/unordered_map.cpp"
SIZES = "17 37 79 167 337 709 1493 3209 6427 12983 26267 53201 107897 218971 444487 902483 1832561"
LINK_BYTES, NODE_BYTES, GRAIN = 8, 48, 16
VALUE, END = (0, 32), (0, 40)  # offset and bytes of a node up to the end of its value, and up to its own
MAP, MAP_REMOVE = (0, 40), (0, 32)  # of the map itself


def buckets(elements: float) -> float:
    """Return the first size with more buckets than entries: each is libstdc++'s prime behind twice the last."""
    return next(
        (float(size) for size in SIZES.split() if float(size) > elements), 2.0 ** math.ceil(math.log2(elements + 1))
    )


def _steps(elements: float, line: int, nodes: float, links: float, more: Step, asked: Bytes = MAP) -> tuple[Step, ...]:
    places, own = every(LINK_BYTES, line).of(buckets(elements)), every(GRAIN, line).lines(asked)
    each = Step("nodes", nodes, every(NODE_BYTES, line).of(elements))
    return whole(Step("map", own, own), Step("buckets", links, places), each, more)


def _more(what: str, elements: float, line: int, touched: Bytes, first: int = 0) -> Step:
    """Return lines of a node behind its first one. first: lines of it that are not on the way."""
    nodes = every(NODE_BYTES, line)
    return Step(what, first + nodes.lines(touched) - 1, nodes.of(elements), dependent=False)


def get(elements: float, line: int) -> tuple[Step, ...]:
    return _steps(elements, line, 1 + hit(elements, buckets(elements)), 1, _more("value", elements, line, VALUE))


def insert(elements: float, line: int) -> tuple[Step, ...]:
    load = elements / buckets(elements)
    empty = math.exp(-load)
    fresh = _more("new node", elements, line, END, first=1)
    return _steps(elements, line, 2 * (1 - empty) + load + empty, 1 + empty, fresh)


def remove(elements: float, line: int) -> tuple[Step, ...]:
    array = buckets(elements)
    load = elements / array
    end = _more("end of the value", elements, line, END)
    return _steps(elements, line, 2 + hit(elements, array), 1 - math.expm1(-load) / load, end, MAP_REMOVE)


structures.add(Structure("unordered_map get", "a look-up that finds its key", SOURCE, MEASURED, get))
structures.add(Structure("unordered_map insert", "an insert of a new key", SOURCE, MEASURED, insert))
structures.add(Structure("unordered_map remove", "a remove of a key that is there", SOURCE, MEASURED, remove))
