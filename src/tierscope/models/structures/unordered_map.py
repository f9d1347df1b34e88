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
from tierscope.units import LINE_BYTES

SOURCE = "core/structures/volatile/unordered_map.cpp"
SIZES = "17 37 79 167 337 709 1493 3209 6427 12983 26267 53201 107897 218971 444487 902483 1832561"
LINK_BYTES = 8
VALUE, END = 0.25, 0.5
MAP, MAP_REMOVE = 1.5, 1.25


def buckets(elements: float) -> float:
    """Return the first size with more buckets than entries: each is libstdc++'s prime behind twice the last."""
    return next(
        (float(size) for size in SIZES.split() if float(size) > elements), 2.0 ** math.ceil(math.log2(elements + 1))
    )


def _steps(elements: float, nodes: float, links: float, more: Step, own: float = MAP) -> tuple[Step, ...]:
    places = buckets(elements) * LINK_BYTES / LINE_BYTES
    return whole(Step("map", own, own), Step("buckets", links, places), Step("nodes", nodes, elements), more)


def get(elements: float) -> tuple[Step, ...]:
    value = Step("value", VALUE, elements, dependent=False)
    return _steps(elements, 1 + hit(elements, buckets(elements)), 1, value)


def insert(elements: float) -> tuple[Step, ...]:
    load = elements / buckets(elements)
    empty = math.exp(-load)
    fresh = Step("new node", 1 + END, elements, dependent=False)
    return _steps(elements, 2 * (1 - empty) + load + empty, 1 + empty, fresh)


def remove(elements: float) -> tuple[Step, ...]:
    array = buckets(elements)
    load = elements / array
    end = Step("end of the value", END, elements, dependent=False)
    return _steps(elements, 2 + hit(elements, array), 1 - math.expm1(-load) / load, end, MAP_REMOVE)


structures.add(Structure("unordered_map get", "a look-up that finds its key", SOURCE, MEASURED, get))
structures.add(Structure("unordered_map insert", "an insert of a new key", SOURCE, MEASURED, insert))
structures.add(Structure("unordered_map remove", "a remove of a key that is there", SOURCE, MEASURED, remove))
