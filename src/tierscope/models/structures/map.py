"""`map`: std::map of libstdc++, a red-black tree in volatile memory, with the allocator of the GNU C library.

A node (32 bytes of links and colour, key, value) comes every 80 bytes, so it begins at each quarter of a line equally
often. The links and the key of one in four are in two lines. In one of four the value is in another line than the key.
A search continues to the end of the tree even if it has passed the key. It reads 32 bytes of the map itself. An insert
and a remove are left out: libstdc++ balances in compiled code, where nothing counts lines to compare with.
Limits: malloc is fresh, so that nodes follow each other. Source: core/structures/volatile/map.cpp; libstdc++ 12,
bits/stl_tree.h; GNU C library 2.36, malloc/malloc.c.
"""

from tierscope.models.structures import MEASURED, Step, Structure, structures, whole
from tierscope.models.structures.layout import every
from tierscope.models.structures.red_black import to_the_end, way

SOURCE = "core/structures/volatile/map.cpp"
NODE_BYTES = 80
PASSED, FOUND = (16, 24), (16, 40)  # offset and bytes of links and key, and of these with the value
MAP = (8, 32)  # of the map itself
GRAIN = 16


def get(elements: float, line: int) -> tuple[Step, ...]:
    nodes, own = every(NODE_BYTES, line), every(GRAIN, line).lines(MAP)
    passed = nodes.lines(PASSED)
    value = Step("value", nodes.lines(FOUND) - passed, nodes.of(elements), dependent=False)
    return whole(Step("map", own, own), *way(elements, to_the_end(elements), passed, nodes.of(1)), value)


structures.add(Structure("map get", "a look-up that finds its key", SOURCE, MEASURED, get))
