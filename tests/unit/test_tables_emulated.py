"""An emulated floor or ceiling hides what is faster: a missing effect is not known, and a visible one is real."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from made import Maker
from made_buffers import Device, add_regions
from made_machine import made_machine
from made_stride import add_stride
from made_tlb import COARSE, NONE, TWO, add_tlb
from tierscope.record.result import Run
from tierscope.stats.interleave import Interleave
from tierscope.stats.median import Interval
from tierscope.stats.pairs import UNMEASURED, Pairs
from tierscope.suites.latency.findings import said
from tierscope.suites.latency.row import LatencyRow
from tierscope.suites.policy.table import _rows
from tierscope.tables import Insight, emulated, tables
from tierscope.tables.policy_found import Found
from tierscope.tables.policy_rows import InterleaveRow

FLOORED, CAPPED = "emu:node=0,latency=350ns", "emu:bandwidth=8GB/s"
BOTH = "emu:latency=350ns,bandwidth=8GB/s"


def words(table: str, run: Run, target: str) -> dict[str, Insight]:
    rows = [replace(row, target=target) for row in tables[table].rows(run)]
    return {one.name: one for one in tables[table].insights(run, rows)}


@pytest.mark.parametrize(
    ("word", "floor", "ceiling"),
    [(FLOORED, 350e-9, 0), (CAPPED, 0, 8e9), (BOTH, 350e-9, 8e9), ("node:0", 0, 0), ("file:/x,latency=1s", 0, 0)],
)
def test_the_name_of_a_tier_shows_what_it_hides(word: str, floor: float, ceiling: float) -> None:
    assert (emulated.floor_s(word), emulated.ceiling(word)) == (pytest.approx(floor), pytest.approx(ceiling))
    assert bool(emulated.hidden_by_floor(word)) == bool(floor)
    assert bool(emulated.hidden_by_ceiling(word)) == bool(ceiling)


def chases(target: str, pair_s: float = 351e-9, small_s: float = 352e-9) -> list[LatencyRow]:
    """Both orders with large pages, and the global one with 4 KiB pages."""
    kinds = (("global", "thp", 2 << 20, 350e-9), ("pair", "thp", 2 << 20, pair_s), ("global", "4k", 4096, small_s))
    return [
        LatencyRow(
            footprint_bytes=1 << 30, page_bytes=page, latency=Interval(wait * 0.99, wait, wait * 1.01, 60),
            probe="cycle", order=order, locality_bytes=0, element_bytes=64, target=target, pages=pages,
            conclusive=True, reasons=(), blocks=60, left_out_share=0.0, origin="emulated",
        )
        for order, pages, page, wait in kinds
    ]  # fmt: skip


def test_a_floor_hides_the_adjacent_line_and_the_page_walk() -> None:
    found = {one.name: one for one in said(chases(FLOORED), ())}
    for name in ("adjacent_line_prefetch", "page_walk"):
        assert "unknown, because the emulated floor of 350 ns" in found[name].text
        assert found[name].value is None
    assert "absent" not in found["adjacent_line_prefetch"].text


def test_a_prefetch_that_shows_under_a_floor_is_present() -> None:
    found = {one.name: one for one in said(chases(FLOORED, pair_s=200e-9), ())}
    assert "present" in found["adjacent_line_prefetch"].text


@pytest.mark.parametrize("target", ["node:0", CAPPED])
def test_without_a_floor_the_same_times_are_an_answer(target: str) -> None:
    found = {one.name: one for one in said(chases(target), ())}
    assert "absent" in found["adjacent_line_prefetch"].text
    assert "no difference shown" in found["page_walk"].text


def test_a_floor_hides_the_tlb(tmp_path: Path) -> None:
    for name, made in (("none", NONE), ("two", TWO)):
        maker = Maker(tmp_path / name)
        add_tlb(maker, made, COARSE)
        run = maker.save("tlb")
        (only,) = words("tlb", run, FLOORED).values()
        assert "unknown, because the emulated floor" in only.text
        assert only.value is None
        assert len(words("tlb", run, "node:0")) == (1 if made is NONE else 3)


def test_a_floor_hides_buffers_and_a_ceiling_joined_writes(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_regions(maker, Device((), 100e-9))
    run = maker.save("buffers", made_machine(2))
    found = words("buffers", run, FLOORED)["buffers"]
    assert "unknown, because the emulated floor" in found.text
    assert found.value is None
    assert words("buffers", run, "node:0")["buffers"].value == 0


def test_a_ceiling_hides_the_unit_that_memory_moves(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_stride(maker, 64)
    run = maker.save("stride")
    name = "stride_unit read sequential 4"
    assert "unknown, because the emulated ceiling of 8.00 GB/s" in words("stride", run, CAPPED)[name].text
    assert "no unit larger than a line" in words("stride", run, "node:0")[name].text


@pytest.mark.parametrize(("target", "sure"), [(CAPPED, False), (FLOORED, True), ("node:0", True)])
def test_no_interleaving_under_a_ceiling_is_not_a_conclusion(target: str, sure: bool) -> None:
    stride = InterleaveRow(
        stride_bytes=4096, control=False, bandwidth=None, ratio=None, fitted=None, threads=2, target=target,
        conclusive=True, reasons=(), blocks=9, left_out_share=0.0, origin="real",
    )  # fmt: skip
    none = Interleave(1, 0, ((1, 0),), 0.0, 1.0, 0.0, np.ones(1))
    alone = Pairs(1.0, 0.95, 1.0)  # each pair of reads waits, as in one memory
    seen = Found([stride], [], [], [], none, None, None, True, {"interleave": "flat"}, [], alone)
    (row,) = _rows(target, seen)
    assert row.conclusive is sure
    assert ("ceiling" in "".join(row.reasons)) is not sure
    two = dataclasses.replace(none, ways=2, grain_bytes=4096, likely=((2, 4096),))
    seen = Found([stride], [], [], [], two, None, None, True, {"interleave": ""}, [], UNMEASURED)
    (row,) = _rows(target, seen)
    assert row.conclusive is True
