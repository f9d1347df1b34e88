"""A host that maps some large pages in parts: no level of their size is known, and rows state the share."""

from pathlib import Path

import numpy as np
import pytest

from made import Maker
from made_tlb import TWO, MadeTlb, add_probe, add_tlb
from tierscope.record.result import Run
from tierscope.tables import tables
from tierscope.units import MiB

LARGE = MadeTlb(((32, 4), (1024, 8)), (2e-9, 6e-9), page_bytes=2 * MiB)


def made(folder: Path, share: float) -> Run:
    maker = Maker(folder)
    add_tlb(maker, LARGE, pages="2m")
    add_tlb(maker, TWO, pages="4k")
    add_probe(maker, list(np.arange(96) < share * 96))
    return maker.save("tlb")


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_no_level_is_known_where_pages_differ(tmp_path: Path, share: float) -> None:
    run = made(tmp_path, share)
    rows = tables["tlb"].rows(run)
    (found,) = {row.in_parts for row in rows if row.page_bytes == 2 * MiB}
    assert found == pytest.approx(share, abs=0.02)
    assert {row.page_bytes for row in tables["tlb_levels"].rows(run)} == {4096}
    said = {one.name: one for one in tables["tlb"].insights(run, rows)}
    assert not said["tlb_none 2MiB"].conclusive
    assert "some of these pages are translated in parts" in said["tlb_none 2MiB"].text
    assert "tlb_entries 1 4KiB" in said


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_levels_are_known_where_pages_are_alike(tmp_path: Path, share: float) -> None:
    run = made(tmp_path, share)
    assert {row.in_parts for row in tables["tlb"].rows(run) if row.page_bytes == 2 * MiB} == {0.0}
    levels = [row for row in tables["tlb_levels"].rows(run) if row.page_bytes == 2 * MiB]
    assert [row.entries_round for row in levels] == [32, 1024, None]


def test_too_few_passes_show_nothing(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_tlb(maker, LARGE, pages="2m")
    add_probe(maker, [True, False] * 40, passes=2)
    run = maker.save("tlb")
    rows = tables["tlb"].rows(run)
    assert {row.in_parts for row in rows} == {None}
    assert tables["tlb_levels"].rows(run) == []
    (said,) = tables["tlb"].insights(run, rows)
    assert not said.conclusive
    assert "not timed often enough" in said.text


@pytest.mark.parametrize("order", [(96, 60), (60, 96)])
def test_one_of_two_probes_with_a_mixture_is_enough(tmp_path: Path, order: tuple[int, int]) -> None:
    """The first probe and that of the pages of the curve may be of other memory; either may have more lines."""
    maker = Maker(tmp_path)
    add_tlb(maker, LARGE, pages="2m")
    for pages in order:
        add_probe(maker, [pages == 96 and page < 20 for page in range(pages)])
    run = maker.save("tlb")
    assert tables["tlb_levels"].rows(run) == []


def test_pages_that_were_not_timed_keep_their_levels(tmp_path: Path) -> None:
    """Runs of earlier versions have no such probe."""
    maker = Maker(tmp_path)
    add_tlb(maker, LARGE, pages="2m")
    assert [row.entries_round for row in tables["tlb_levels"].rows(maker.save("tlb"))] == [32, 1024, None]
