"""How much a thread must do before its private cache is its own again."""

import pytest

from made import made_facts, made_machine, one_group
from tierscope.stats.walks import walks
from tierscope.units import GiB, KiB, MiB

CACHES = made_machine().identity.caches  # 48 KiB, 2 MiB, 480 MiB


@pytest.mark.parametrize(
    ("footprint", "lines"), [(4 * KiB, 64), (2 * MiB, 32768), (4 * MiB, 65536), (4 * MiB + 64, 0), (1 * GiB, 0)]
)
def test_a_chase_walks_its_lines_up_to_twice_the_private_cache(footprint: int, lines: int) -> None:
    group = one_group("chase", (0,), footprint)
    assert walks([made_facts(group, program_bytes_per_operation=8.0)], CACHES) == (lines,)


def test_threads_share_the_walk_and_wide_operations_shorten_it() -> None:
    group = one_group("triad", (0, 1), 6 * MiB)
    assert walks([made_facts(group)], CACHES) == (3 * MiB / 192,)


def test_the_shared_cache_is_not_waited_for_and_without_caches_nothing_is_asked() -> None:
    facts = made_facts(one_group("chase", (0,), 16 * MiB))
    assert walks([facts, facts], CACHES) == (0, 0)
    assert walks([made_facts(one_group("chase", (0,), 4 * KiB))], ()) == (0,)


@pytest.mark.parametrize(("store", "lines"), [("nt", 0), ("direct", 0), ("plain", 1024)])
def test_stores_past_the_caches_have_nothing_to_bring_back(store: str, lines: int) -> None:
    group = one_group("flush_nt", (0,), 64 * KiB)
    facts = made_facts(group, operation="block", store=store, element_bytes=64, program_bytes_per_operation=64.0)
    assert walks([facts], CACHES) == (lines,)
