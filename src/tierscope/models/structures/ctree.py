"""`ctree`: a crit-bit tree. The control object, each inner node (32 bytes) and each leaf (key and value) are one line.

An insert reads the way to where the new key branches off, one node there, and makes an inner node and a leaf; the way
to the new leaf then has one inner node more. A remove writes what it has read.
Source: core/structures/persistent/ctree.cpp, trie.hpp.
"""

from tierscope.models.structures import MEASURED, Step, Structure, structures, whole
from tierscope.models.structures.layout import in_pool
from tierscope.models.structures.patricia import way

BASE = 2
NODE_BYTES = 32
SOURCE = "core/structures/persistent/ctree.cpp"


def get(elements: float, line: int) -> tuple[Step, ...]:
    share = in_pool(NODE_BYTES, line).of(1)
    inners = way(elements, BASE, 1, elements - 1, share)
    return whole(Step("control object", 1, 1), *inners, Step("leaf", 1, share * elements))


def insert(elements: float, line: int) -> tuple[Step, ...]:
    share = in_pool(NODE_BYTES, line).of(1)
    inners = way(elements, BASE, 1, elements, share)  # one of them is new; a node next to the key was read instead
    fresh = Step("new leaf and inner node", 2, 2 * share * elements, dependent=False)
    return whole(Step("control object", 1, 1), *inners, fresh)


structures.add(Structure("ctree get", "a look-up that finds its key", SOURCE, MEASURED, get))
structures.add(Structure("ctree insert", "an insert of a new key", SOURCE, MEASURED, insert))
structures.add(Structure("ctree remove", "a remove of a key that is there", SOURCE, MEASURED, get))
