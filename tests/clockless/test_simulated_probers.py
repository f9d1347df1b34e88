"""`run tlb` and `run stride` on simulated machines with known parameters: they find what is there, and no more."""

from pathlib import Path

import pytest

from tiers import first
from tierscope.cli.main import main
from tierscope.record.result import Run, load
from tierscope.tables import tables

pytestmark = pytest.mark.slow

MADE = """
name = "made"
summary = "two levels of cache and of TLB"
source = "made"
default = "flat"
[cpu]
count = 4
issue = "0.25ns"
loads = 16
stores = 16
combining = 12
[pages]
bytes = "4KiB"
[[cache]]
name = "L1d"
size = "48KiB"
ways = 12
policy = "lru"
latency = "1.6ns"
shared = 1
[[cache]]
name = "L2"
size = "2MiB"
ways = 16
policy = "lru"
latency = "5ns"
shared = 1
[[tlb]]
name = "DTLB"
entries = 16
ways = 4
latency = "0ns"
[[tlb]]
name = "STLB"
entries = 128
ways = 8
latency = "3ns"
[walk]
base = "12ns"
[memory.flat]
kind = "flat"
size = "64GiB"
read = "100ns"
write = "100ns"
bandwidth = "50GB/s"
slots = 32
"""


def run(directory: Path, *words: str) -> Run:
    assert main(["run", *words, "--out", str(directory), "--quiet"]) == 0
    return load(directory)


def said(found: Run, table: str) -> dict[str, float | None]:
    return {one.name: one.value for one in tables[table].insights(found, tables[table].rows(found))}


@pytest.mark.parametrize("noise", first(1, ["1", "0"]))
def test_the_tlb_that_was_put_in_is_found(tmp_path: Path, noise: str) -> None:
    (tmp_path / "made.toml").write_text(MADE)
    target = f"target=sim:{tmp_path}/made.toml,noise={noise}"
    found = run(tmp_path / "run", "tlb", target, "pages=4k", "to=1024")
    first, second, beyond = tables["tlb_levels"].rows(found)
    assert (first.entries_round, second.entries_round) == (16, 128)
    assert second.extra.middle == pytest.approx(3e-9, rel=0.05)
    walk = 12e-9 + 1.6e-9  # its entry is read from the nearest cache
    assert beyond.extra.middle == pytest.approx(walk, rel=0.3)


@pytest.mark.parametrize(
    ("split", "known"), [("0", (16, 64, None)), ("0.1", None), ("0.6", None), ("1", (16, 64, 4096))]
)
def test_large_pages_that_a_host_maps_in_parts_are_noticed(
    tmp_path: Path, split: str, known: tuple[int, int, int | None] | None
) -> None:
    """All in parts: the entries of parts. Some in parts: levels are not known, since no page has the time of both."""
    (tmp_path / "made.toml").write_text(MADE)
    words = f"pages.split={split},tlb.1.entries=64,cache.1.size=512KiB"
    found = run(tmp_path / "run", "tlb", f"target=sim:{tmp_path}/made.toml,{words}", "pages=2m", "to=512")
    levels = [row for row in tables["tlb_levels"].rows(found) if row.certain]
    if known is None:
        assert levels == []
        assert said(found, "tlb") == {"tlb_none 2MiB": None}
        return
    assert (levels[0].entries_round, levels[1].entries_round, levels[0].part_bytes) == known


def test_page_tables_that_outgrow_a_cache_are_not_a_certain_level(tmp_path: Path) -> None:
    words = ("tlb.0.entries=4", "tlb.1.entries=16", "cache.0.size=6KiB", "cache.1.size=128KiB", "walk.base=4ns")
    (tmp_path / "made.toml").write_text(MADE)
    target = ",".join((f"target=sim:{tmp_path}/made.toml", *words))
    found = run(tmp_path / "run", "tlb", target, "pages=4k", "to=640", "per_octave=3")
    certain = [row for row in tables["tlb_levels"].rows(found) if row.certain]
    assert [row.entries_round for row in certain] == [4, 16]
    assert "tlb_doubt 3 4KiB" in said(found, "tlb")


def test_where_nothing_is_translated_no_tlb_is_found(tmp_path: Path) -> None:
    found = run(tmp_path / "run", "tlb", "target=sim:flat", "pages=4k", "to=4096")
    assert tables["tlb_levels"].rows(found) == []
    assert said(found, "tlb") == {"tlb_none 4KiB": 0.0}


WORDS = ("strides=64B,128B,256B,512B,1KiB,2KiB,4KiB", "access=64B,256B")


def test_the_unit_of_the_simulated_dimm_is_found(tmp_path: Path) -> None:
    found = said(run(tmp_path / "run", "stride", "target=sim:optane100", *WORDS), "stride")
    assert found["stride_unit read sequential 4"] == found["stride_unit nt sequential 4"] == 256
    assert found["stride_access read sequential 4"] == 256


def test_a_memory_without_structure_has_no_unit(tmp_path: Path) -> None:
    found = said(run(tmp_path / "run", "stride", "target=sim:flat", *WORDS), "stride")
    assert found["stride_unit read sequential 4"] is None
    assert found["stride_unit nt sequential 4"] is None
    assert found["stride_access read sequential 4"] == 64
