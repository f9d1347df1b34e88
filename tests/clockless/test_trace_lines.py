"""Gaps of a sampled trace: their lines warm the caches, and where these are not known, some accesses are in doubt."""

from collections.abc import Sequence
from pathlib import Path

import pytest

import made_flows as flows
from flow_replay import LINE, loads, machine, replayed
from tierscope.simulated.replay import Traced

pytestmark = pytest.mark.slow

CACHES = [machine(cpu=f"[core]\nwidth = {width}") for width in (4, 1)]
RUNS = 2000
OLD = [0x10000 + LINE * n for n in range(48)]  # three ways of each set
NEW = [0x20000 + LINE * n for n in range(16)]  # the fourth one


def again(addresses: Sequence[int]) -> bytes:
    """Return RUNS loads, of one address after the other, again and again."""
    return loads([addresses[n % len(addresses)] for n in range(RUNS)])


def of(folder: Path, *parts: bytes, warm_once: bool = False) -> list[Traced]:
    """Return what two cores with the same caches make of a trace."""
    return replayed(folder, CACHES, *parts, warm_once=warm_once)


@pytest.mark.parametrize("warm_once", [False, True])
def test_lines_of_a_gap_are_in_the_caches_behind_it(tmp_path: Path, *, warm_once: bool) -> None:
    lines = [flows.lines(*NEW[:8]), flows.phase(b"in it", 10), flows.lines(*NEW[8:])]
    gap = [flows.gap(500), *lines, flows.gap(1000, stated=1000)]
    known, same = of(tmp_path, again(OLD), *gap, again(NEW), warm_once=warm_once)
    unknown, _ = of(tmp_path, again(OLD), flows.gap(1500), again(NEW))
    reads = len(OLD) + len(NEW)
    assert known.counters["dram.reads"] == unknown.counters["dram.reads"] == reads
    assert [one[2] for one in unknown.parts][1] > 16 * 100e-9
    for one in (known, same):
        assert [part[:2] for part in one.parts] == [(0, RUNS), (1500, RUNS)]
        assert one.parts[1][2] < one.parts[0][2] - 40 * 100e-9, "only the first part waits for memory"
        assert (one.units, one.untraced_instructions, one.phases) == (2, 1500, (("in it", RUNS + 510),))


@pytest.mark.parametrize("warm_once", [False, True])
def test_lines_of_instructions_are_in_the_caches_of_cores_that_fetch_them(tmp_path: Path, *, warm_once: bool) -> None:
    """The first run of 32 lines of code waits for memory, unless the gap used them; without fetching, it never does."""
    at = [0x400000 + LINE * n for n in range(32)]
    code = b"".join(flows.block(n + 1, flows.instruction(flows.INTEGER, at=one)) for n, one in enumerate(at))
    fetching = machine(cpu='[core]\nwidth = 4\n[core.fetch]\nsize = "4KiB"')
    all_of_it = flows.events(*range(1, len(at) + 1))

    def second_part(*stated: bytes) -> list[float]:
        parts = [code, flows.events(1), flows.gap(100), *stated, all_of_it]
        found = replayed(tmp_path, [fetching, CACHES[0], fetching], *parts, warm_once=warm_once)
        return [one.parts[1][2] for one in found]

    unknown = second_part()
    known = second_part(flows.lines(*at, of=1), flows.gap(100, stated=100))
    assert unknown[0] > 31 * 100e-9 > 100 * known[0]
    assert known[0] == known[2]
    assert unknown[1] == known[1] < known[0] * 1.01


def test_a_gap_whose_lines_are_known_leaves_no_doubt(tmp_path: Path) -> None:
    found, _ = of(tmp_path, again(OLD), flows.gap(0), flows.lines(*OLD), flows.gap(4000, 0, 4000), again(OLD + NEW))
    assert found.in_doubt == (0, 0, 0)


@pytest.mark.parametrize(("gap", "gone"), [(4000, 48), (1000, 0)])
def test_accesses_that_a_gap_may_have_changed_are_counted(tmp_path: Path, gap: int, gone: int) -> None:
    """48 reads in 2000 instructions are 96 in a gap of 4000, more than the 64 lines of the cache; 24 in one of 1000."""
    found, _ = of(tmp_path, again(OLD), flows.gap(gap), again(OLD + NEW))
    before, behind = len(OLD) / RUNS, len(NEW) / RUNS  # reads of an instruction
    reads = len(OLD) + len(NEW) + gap * (before + behind) / 2
    cold = len(NEW) + gap * behind / 2
    assert found.in_doubt == pytest.approx((reads, cold, gone * (1 + gap / RUNS / 2)))


@pytest.mark.parametrize(("used", "cold"), [((), 16), (OLD, 16), (OLD + NEW, 0)])
def test_a_read_into_a_full_cache_is_in_doubt_if_a_line_of_its_set_is_stale(
    tmp_path: Path, used: Sequence[int], cold: int
) -> None:
    """The program may have one of the lines that are read in the place of a line that was not used since the gap."""
    stated = [flows.lines(*used), flows.gap(100, 0, 100)] if used else []
    other = [0x30000 + LINE * n for n in range(16)]
    found, _ = of(tmp_path, again(OLD + NEW), flows.gap(1000), *stated, again(other))
    gap = 1100 if used else 1000
    assert found.in_doubt[1] == pytest.approx(cold * (1 + gap / RUNS / 2))
