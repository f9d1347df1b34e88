"""`hashmap_rp`: slots of 32 bytes in one array of a power of two, at most half full.

The control object (40 bytes) is one line, with the count. Slots begin 16 bytes into a line, so every second one is in
two lines, with its hash in the second. A slot alone is 1.5 lines. With the slots before it up to where the search
began, it is 1.5 + (d - 1) / 2 for d > 0 of them. An insert continues to the first empty slot, moving keys.
Limits: tombstones are ignored.
Source: core/structures/persistent/hashmap_rp.cpp.
"""

import math

from tierscope.models.structures import MEASURED, Step, Structure, structures, whole
from tierscope.models.structures.probes import Probes, free, hit

FIRST_SLOTS = 16
SLOT_BYTES = 32
SOURCE = "core/structures/persistent/hashmap_rp.cpp"


def slots(elements: float) -> float:
    """Return the size of the array, which doubles where one key more would fill half of it."""
    return max(FIRST_SLOTS, 2.0 ** (math.floor(math.log2(2 * (elements + 1))) + 1))


def _steps(elements: float, line: int, probes: Probes) -> tuple[Step, ...]:
    share = SLOT_BYTES / line  # of slots that are in two lines, and of a line that one slot more takes
    places = slots(elements) * share
    following = probes.beyond - (1 - probes.at_home)
    return whole(
        Step("control object", 1, 1),
        Step("slot", 1, places),
        Step("other line of the slot, and slots next to it", share * (1 + following), places, dependent=False),
    )


def get(elements: float, line: int) -> tuple[Step, ...]:
    return _steps(elements, line, hit(elements / slots(elements)))


def insert(elements: float, line: int) -> tuple[Step, ...]:
    return _steps(elements, line, free(elements / slots(elements)))


structures.add(Structure("hashmap_rp get", "a look-up that finds its key", SOURCE, MEASURED, get))
structures.add(Structure("hashmap_rp insert", "an insert of a new key", SOURCE, MEASURED, insert))
structures.add(
    Structure("hashmap_rp remove", "a remove of a key that is there: a tombstone in its slot", SOURCE, MEASURED, get)
)
