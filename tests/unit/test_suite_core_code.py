"""The probe of code of the suite core on made answers: lines in flight, jump targets, and what a model takes of it."""

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from made import Maker
from made_core import MadeCore, add_core, asked
from made_machine import made_machine
from tierscope.plans.live import describe
from tierscope.record.work.code import CodeWork
from tierscope.simulated.fetch import AHEAD
from tierscope.simulated.fetched import NOT_PROBED, fetched
from tierscope.suites.core.code import DENSE, FEW_JUMPS, Jump, jumps, levels, next_jumps, targets
from tierscope.suites.core.row import CoreRow
from tierscope.tables import tables
from tierscope.units import KiB

CYCLE_S = 0.25e-9


def rows_of(folder: Path, made: MadeCore) -> list[CoreRow]:
    maker = Maker(folder)
    add_core(maker, made, probes="code")
    return list(tables["core_parameters"].rows(maker.save("core", made_machine(2))))


def one(rows: list[CoreRow], parameter: str, level: str = "") -> CoreRow:
    return next(row for row in rows if (row.parameter, row.level) == (parameter, level))


def words(text: str) -> dict[str, int]:
    return {key: int(value) for key, value in re.findall(r"core\.fetch\.(\w+)=(\d+)", text)}


@pytest.mark.parametrize("lines", [1.0, 3.0, 5.0])
def test_lines_of_code_in_flight_are_those_of_a_made_core(tmp_path: Path, lines: float) -> None:
    row = one(rows_of(tmp_path, MadeCore(code_lines=lines)), "lines of code in flight", "L2")
    assert row.answer == "known"
    assert row.value
    assert row.value.low <= lines <= row.value.high
    assert row.value.high - row.value.low < 0.8 * lines


def test_code_that_nothing_delays_is_a_bound(tmp_path: Path) -> None:
    row = one(rows_of(tmp_path, MadeCore(code_lines=1000)), "lines of code in flight", "L2")
    assert row.answer == "at least"
    assert row.value
    assert row.value.low <= 1000


@pytest.mark.parametrize("count", [600, 4096, 5120])
def test_targets_are_bounded_by_the_jumps_that_were_asked_for(tmp_path: Path, count: int) -> None:
    rows = rows_of(tmp_path, MadeCore(targets=count))
    row, cost = one(rows, "jump targets"), one(rows, "unknown target")
    assert row.answer == cost.answer == "known"
    assert row.value
    assert row.value.low <= count < row.value.high <= 1.4 * row.value.low
    assert cost.value
    assert cost.value.low <= 8 <= cost.value.high


def test_a_core_that_knows_all_targets_has_a_bound(tmp_path: Path) -> None:
    row = one(rows_of(tmp_path, MadeCore(targets=10**9)), "jump targets")
    assert row.answer == "at least"
    assert "may be, too" in row.why


def test_a_step_where_code_leaves_the_nearest_cache_shows_no_targets(tmp_path: Path) -> None:
    """A cheap redirect hides that targets are not known, until each jump also waits for its line."""
    row = one(rows_of(tmp_path, MadeCore(targets=128, redirect=0)), "jump targets")
    assert row.answer == "not known"
    assert "leaves the nearest cache" in row.why


def test_targets_that_contradict_each_other_are_not_known() -> None:
    points = [Jump(512, 2, 0, 0.1), Jump(1024, 12, 10, 0.1), Jump(2048, 2, 0, 0.1), Jump(4096, 12, 10, 0.1)]
    assert targets(points).why
    assert targets(points).low == 0
    assert next_jumps(points) is None
    assert targets([Jump(512, 12, 10, 0.1)]).why.startswith("the fewest jumps")
    assert targets([Jump(512, 12, 6, 2.0)]).why == "no point is sure"


def test_jumps_that_are_known_in_part_are_between_both_bounds() -> None:
    points = [Jump(512, 2, 0, 0.1), Jump(1024, 2, 0.5, 0.1), Jump(2048, 6, 4, 0.1), Jump(4096, 12, 10, 0.1)]
    found = targets(points)
    assert (found.low, found.high, found.why) == (1024, 4096, "")
    assert next_jumps(points) in (1408, 1536, 2816, 2944)


def test_jumps_without_a_control_are_left_out() -> None:
    times = {(DENSE, 64 * KiB): (1e-5, 0.0), (DENSE, 32 * KiB): (1e-5, 0.0), (FEW_JUMPS, 32 * KiB): (5e-6, 0.0)}
    (point,) = jumps(times, CYCLE_S)
    assert point.count == 1024
    assert point.more == pytest.approx((1e-5 - 5e-6) / 1024 / CYCLE_S)


def test_each_size_is_asked_for_once_and_described() -> None:
    experiments = [one for one in asked(MadeCore(), probes="code") if one.table == "core_code"]
    works = [(one.groups[0].workload.work, one.groups[0].workload.footprint_bytes) for one in experiments]
    assert len(set(works)) == len(works)
    assert all(bytes_ % 4096 == 0 for _, bytes_ in works)
    assert describe(experiments[0]) == "code: 16 KiB, runs of 4 lines"
    assert any("2 jumps in a line" in describe(one) for one in experiments)


def test_levels_have_runs_of_two_lengths_and_more_code_than_the_caches_before() -> None:
    found = {level: (bytes_, works) for level, bytes_, works in levels(made_machine(2))}
    assert list(found) == ["L2", "L3"]
    assert found["L2"][0] == 384 * KiB
    assert found["L3"][0] == 3 * 2048 * KiB
    assert [[work.straight for work in works] for _, works in found.values()] == [[4, 16], [16, 64]]


def test_a_level_that_is_hardly_larger_than_the_one_before_is_left_out() -> None:
    machine = made_machine(2)
    caches = tuple(
        replace(cache, size_bytes=96 * KiB) if cache.level == 2 else cache for cache in machine.identity.caches
    )
    small = replace(machine, identity=replace(machine.identity, caches=caches))
    assert [level for level, _, _ in levels(small)] == ["L3"]


def test_a_larger_cache_of_instructions_than_reported_shows_no_lines(tmp_path: Path) -> None:
    machine = made_machine(2)
    caches = tuple(
        replace(cache, size_bytes=256 * KiB) if cache.level == 2 else cache for cache in machine.identity.caches
    )
    small = replace(machine, identity=replace(machine.identity, caches=caches))
    maker = Maker(tmp_path)
    add_core(maker, MadeCore(nearest=192 * KiB, code_lines=1), small, probes="code")
    row = one(list(tables["core_parameters"].rows(maker.save("core", small))), "lines of code in flight", "L2")
    assert row.answer == "not known"
    assert "may contain all of it" in row.why


@pytest.mark.parametrize("nearest", [32 * KiB, 64 * KiB, 128 * KiB])
@pytest.mark.parametrize(("count", "redirect"), [(600, 8.0), (600, 14.0), (3000, 10.0)])
def test_the_cost_of_an_unknown_target_is_bounded_whatever_the_cache_of_instructions_contains(
    tmp_path: Path, count: int, redirect: float, nearest: int
) -> None:
    rows = rows_of(tmp_path, MadeCore(targets=count, redirect=redirect, nearest=nearest))
    cost = next((row for row in rows if row.parameter == "unknown target"), None)
    if cost is not None and cost.answer == "known":
        assert cost.value
        assert cost.value.low <= redirect <= cost.value.high


def test_shorter_runs_that_take_longer_give_a_bound(tmp_path: Path) -> None:
    """Their jumps take time, too, so that the lines are not what limits them."""
    maker = Maker(tmp_path)
    add_core(maker, MadeCore(code_lines=3), probes="code", slower=CodeWork(straight=4))
    row = one(
        list(tables["core_parameters"].rows(maker.save("core", made_machine(2)))), "lines of code in flight", "L2"
    )
    assert row.answer == "at least"
    assert "jumps may be the limit" in row.why


def test_what_was_found_bounds_how_early_and_how_late_code_comes(tmp_path: Path) -> None:
    found = fetched(rows_of(tmp_path, MadeCore(code_lines=3, targets=5000)))
    early, late = words(found.early), words(found.late)
    assert late["ahead"] <= 3 <= early["ahead"]
    assert early["targets"] == late["targets"]
    assert 0.8 * 5000 < early["targets"] < 1.2 * 5000
    assert early["redirect"] <= 8 <= late["redirect"]
    assert found.sure


def test_lines_from_the_second_cache_alone_leave_open_what_limits_them(tmp_path: Path) -> None:
    """Either few lines are in flight, or that cache delivers one every few cycles."""
    rows = [row for row in rows_of(tmp_path, MadeCore(code_lines=3, targets=5000)) if row.level != "L3"]
    found = fetched(rows)
    early, late = words(found.early), words(found.late)
    assert late["ahead"] <= 3
    assert early["ahead"] >= AHEAD
    assert early["between"] == pytest.approx(5e-9 / 3 / CYCLE_S, rel=0.1)
    assert not found.sure


def test_a_bound_of_lines_is_open_above(tmp_path: Path) -> None:
    found = fetched(rows_of(tmp_path, MadeCore(code_lines=1000)))
    assert words(found.early)["ahead"] >= AHEAD
    assert not found.sure
    assert fetched([]) == NOT_PROBED
