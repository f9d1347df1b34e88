"""The effect of close buffers on a capacity, against an exact simulation of a few lines."""

import random

import numpy as np
import pytest

from tiers import first
from tierscope.stats.buffers_close import taken
from tierscope.stats.buffers_model import Fresh, Unit
from tierscope.stats.buffers_search import Place, Search
from tierscope.units import KiB, MiB

FOOTPRINT = 1 << 30
AT_RANDOM = [64 << step for step in range(12)]
IN_ORDER = [round(2 * KiB * 2 ** (step / 4) / 512) * 512 for step in range(41)]
LINES = 24_000


class Buffer:
    """Units that are replaced one after the other, or any of them, whether used since or not."""

    def __init__(self, kind: str, unit: int, entries: int) -> None:
        self.unit, self._any = unit, kind == "random"
        self._entries, self._hand, self._rng = entries, 0, random.Random(unit)
        self._places: list[int] = []
        self._held: set[int] = set()

    def has(self, address: int) -> bool:
        return address // self.unit in self._held

    def take(self, address: int) -> None:
        number = address // self.unit
        self._held.add(number)
        if len(self._places) < self._entries:
            self._places.append(number)
            return
        at = self._rng.randrange(self._entries) if self._any else self._hand
        self._hand = (self._hand + 1) % self._entries
        self._held.discard(self._places[at])
        self._places[at] = number


def seconds(kinds: tuple[tuple[str, int, int], ...], region: int, scattered: bool) -> float:
    """Mean of a line: 50 ns, and 100 ns more for each buffer that misses; the first half only fills them."""
    rng = random.Random(region)
    buffers = [Buffer(*kind) for kind in kinds]
    count = region // 64
    regions = max(4, -(-LINES // count))
    starts = rng.sample(range(FOOTPRINT // region), regions) if scattered else range(regions)
    total = visits = 0
    for number, start in enumerate(starts):
        for line in rng.sample(range(count), count):
            address = (start * count + line) * 64
            hit = next((at for at, buffer in enumerate(buffers) if buffer.has(address)), len(buffers))
            for buffer in buffers[:hit]:
                buffer.take(address)
            if number >= regions // 2:
                total, visits = total + hit, visits + 1
    return 50e-9 + 100e-9 * total / visits


POINTS = [(region, True) for region in AT_RANDOM] + [(region, False) for region in IN_ORDER]
FRESH = Fresh(
    np.array([float(region) for region, _ in POINTS]), np.array([scattered for _, scattered in POINTS]),
    np.full(len(POINTS), float(FOOTPRINT)),
)  # fmt: skip
ERROR = 0.006


@pytest.mark.parametrize(("near", "far"), first(1, [("fifo", "random"), ("fifo", "fifo"), ("random", "fifo")]))
def test_the_capacity_behind_a_buffer_half_as_large_is_less_off(near: str, far: str) -> None:
    """If each buffer saw all visits, the second one would be several per cent larger than it is."""
    latency = np.array([seconds(((near, 128, 256), (far, 1 * KiB, 64)), *point) for point in POINTS])
    places = (Place(128, 32.0 * KiB, near), Place(1 * KiB, 64.0 * KiB, far))
    alone = Search(FRESH, latency, latency * ERROR)
    before = alone.refined(places)
    less, error = taken(alone, before)
    after = Search(FRESH, latency + less, np.hypot(latency * ERROR, error)).refined(places)
    off = [fit.places[1].capacity_bytes / (64 * KiB) - 1 for fit in (before, after)]
    assert off[0] > 0.04
    assert abs(off[1]) < 0.8 * off[0]
    assert abs(after.places[0].capacity_bytes / (32 * KiB) - 1) < 0.06


def test_a_buffer_far_behind_sees_as_many_visits_of_a_unit_as_alone() -> None:
    fresh = Fresh(np.array([4.0 * MiB]), np.array([False]), np.array([float(FOOTPRINT)]))
    far = Unit(fresh, KiB)
    assert far.behind(np.array([1.0]), 3 * MiB, "fifo") == pytest.approx(far.misses(3 * MiB, "fifo"))
    assert far.behind(np.array([0.5]), 3 * MiB, "fifo")[0] < far.misses(3 * MiB, "fifo")[0]
