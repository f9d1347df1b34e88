"""Two buffers of close capacities are found as they are, in an exact simulation of a few lines."""

import random

import numpy as np
import pytest

from tiers import first
from tierscope.stats.buffers import WIDE, Curve, Levels, infer
from tierscope.stats.buffers_model import Fresh, Unit
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


def answer(*kinds: tuple[str, int, int]) -> Levels:
    points = [(region, True) for region in AT_RANDOM] + [(region, False) for region in IN_ORDER]
    region, scattered = (np.array(column) for column in zip(*points, strict=True))
    latency = np.array([seconds(kinds, *point) for point in points])
    spread = np.full(len(points), 0.003)
    return infer(Curve(region.astype(np.float64), latency, spread, scattered, np.full(len(points), float(FOOTPRINT))))


@pytest.mark.parametrize(("near", "far"), first(1, [("fifo", "random"), ("fifo", "fifo"), ("random", "fifo")]))
def test_the_capacity_behind_a_buffer_half_as_large_is_right(near: str, far: str) -> None:
    """If each buffer saw all visits, the second one would be 7 to 15 % larger."""
    levels = answer((near, 128, 256), (far, 1 * KiB, 64))
    assert len(levels.levels) == 2
    first_one, second = (level.capacity_bytes for level in levels.levels)
    assert first_one.middle == pytest.approx(32 * KiB, rel=0.06)
    assert second.middle == pytest.approx(64 * KiB, rel=0.06)
    assert second.low <= 64 * KiB <= second.high
    assert second.half <= WIDE


def test_a_buffer_far_behind_sees_as_many_visits_of_a_unit_as_alone() -> None:
    fresh = Fresh(np.array([4.0 * MiB]), np.array([False]), np.array([float(FOOTPRINT)]))
    far = Unit(fresh, KiB)
    assert far.behind(np.array([1.0]), 3 * MiB, "fifo") == pytest.approx(far.misses(3 * MiB, "fifo"))
    assert far.behind(np.array([0.5]), 3 * MiB, "fifo")[0] < far.misses(3 * MiB, "fifo")[0]
