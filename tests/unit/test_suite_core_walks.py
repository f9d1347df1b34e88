"""Page walks at the same time: how they are asked for, and when their number is known."""

from pathlib import Path

import pytest

from made import Maker
from made_core import MadeCore, add_core, asked
from tierscope.simulated.core import settings
from tierscope.suites.core.row import CoreRow
from tierscope.suites.core.table import Core
from tierscope.suites.core.walks import APART, BESIDE, CHAINS, PAGE, PAGES, PARAMETER


def row_of(folder: Path, made: MadeCore) -> CoreRow:
    maker = Maker(folder)
    add_core(maker, made, probes="translation")
    (row,) = (row for row in Core().rows(maker.save("core")) if row.parameter == PARAMETER)
    return row


@pytest.mark.parametrize("walkers", [1, 2, 3, 4, 5])
def test_walkers_are_known_if_more_chains_do_not_help(tmp_path: Path, walkers: int) -> None:
    row = row_of(tmp_path, MadeCore(walkers=walkers))
    assert row.answer == "known"
    assert row.value
    assert row.value.low <= walkers <= row.value.high
    assert row.value.middle == pytest.approx(walkers, rel=0.02)
    (setting,) = (one for one in settings([row]) if one.section == "walk")
    assert (setting.key, setting.value) == ("parallel", str(walkers))


@pytest.mark.parametrize("walkers", [6, 7, 8, 64])
def test_walkers_that_eight_chains_do_not_fill_are_a_bound(tmp_path: Path, walkers: int) -> None:
    row = row_of(tmp_path, MadeCore(walkers=walkers))
    assert row.answer == "at least"
    assert row.value
    assert row.value.low <= walkers
    assert row.why == "8 chains still shorten the time of a load"


def test_walks_that_take_no_time_are_not_known(tmp_path: Path) -> None:
    row = row_of(tmp_path, MadeCore(walk_s=2e-9))
    assert row.answer == "not known"
    assert row.why == "a page walk takes too little time, or pages are not of 4 KiB"


def test_each_load_needs_a_walk_and_is_in_another_set_of_the_caches() -> None:
    points = [one for one in asked(MadeCore(), probes="translation") if one.labels["probe"] == "translation"]
    apart = [one for one in points if one.labels["level"] == APART]
    assert [one.groups[0].workload.work.chains for one in apart] == list(CHAINS)  # type: ignore[union-attr]
    assert {one.groups[0].workload.footprint_bytes for one in apart} == {PAGES * (PAGE + 64)}
    assert {one.groups[0].target.pages for one in apart} == {"4k"}
    (beside,) = (one for one in points if one.labels["level"] == BESIDE)
    assert beside.groups[0].workload.footprint_bytes == PAGES * 64
