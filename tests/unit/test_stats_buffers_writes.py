"""The queue that joins writes is inferred from an exact simulation of a queue that drains whole units."""

import numpy as np
import pytest

from tierscope.stats.buffers_writes import infer_writes
from tierscope.units import LINE_BYTES

REGIONS = np.array([256 << step for step in range(13)], dtype=float)


def drained(region: int, entries: int, unit: int, lines: int = 30_000) -> float:
    """Groups per line: the oldest line leaves with all that wait for its unit."""
    rng, n, m = np.random.default_rng(region), region // LINE_BYTES, unit // LINE_BYTES
    queue: dict[int, int] = {}  # unit -> lines that wait, in the order of the first
    held = groups = written = 0
    for base in range(0, max(lines, 4 * n), n):
        for line in rng.permutation(n) + base:
            if held == entries:
                held -= queue.pop(next(iter(queue)))
                groups += 1
            queue[line // m] = queue.get(line // m, 0) + 1
            held, written = held + 1, written + 1
    return groups / written


@pytest.mark.parametrize(("entries", "unit"), [(52, 256), (96, 512), (128, 256)])
def test_queue_and_unit_are_found(entries: int, unit: int) -> None:
    line_s = np.array([110e-9 * drained(int(region), entries, unit) + 2e-9 * 64 / region for region in REGIONS])
    found = infer_writes(REGIONS, line_s, np.full(REGIONS.size, 0.005))
    assert found is not None
    assert found.joined is not None
    assert found.joined.unit_bytes.middle == unit
    assert found.joined.amplification == unit / LINE_BYTES
    assert found.joined.entries.low <= entries <= found.joined.entries.high
    assert found.joined.entries.high < 1.5 * entries
    assert found.joined.line_s.middle == pytest.approx(110e-9, rel=0.05)


@pytest.mark.parametrize("seed", range(5))
def test_writes_that_nothing_joins_show_nothing(seed: int) -> None:
    noise = np.exp(np.random.default_rng(seed).normal(0, 0.01, REGIONS.size))
    found = infer_writes(REGIONS, (20e-9 + 60e-9 * 64 / REGIONS) * noise, np.full(REGIONS.size, 0.01))
    assert found is not None
    assert found.joined is None


def test_a_curve_of_several_queues_is_not_explained() -> None:
    """Six interleaved DIMMs: regions up to 4 KiB wait for one of them alone."""
    line_s = np.array([35, 35, 35, 38, 60, 31, 18, 22, 22, 25, 26, 27, 28]) * 1e-9
    found = infer_writes(REGIONS, line_s, np.full(REGIONS.size, 0.005))
    assert found is not None
    assert found.misfit > 3


def test_a_few_regions_show_nothing() -> None:
    assert infer_writes(REGIONS[:3], np.full(3, 1e-7), np.full(3, 0.01)) is None
