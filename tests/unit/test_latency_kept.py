"""A last cache that others use: fast passes show it, and a preset has the time for which it keeps a line."""

import tomllib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from made_latency import asked, saved
from made_machine import made_machine
from tierscope.predict.program.here import _is_slow
from tierscope.record.machine import Machine
from tierscope.record.result import Run
from tierscope.record.work.hop import HopWork
from tierscope.simulated.preset import preset
from tierscope.suites.latency import fast
from tierscope.suites.latency.kept import Kept, kept
from tierscope.suites.latency.table import Latency
from tierscope.units import KiB, MiB, parse_bytes

MACHINE = made_machine(2)
NEAR_S, MEMORY_S = 30e-9, 130e-9  # of a line
BLOCK_NEAR_S, BLOCK_MEMORY_S = 80e-9, 260e-9  # of sixteen


def step_s(footprint: int, element: int, size: int, keep_s: float) -> float:
    """Seconds of a step of 64 bytes or of a block; the last cache has `size`, and keeps a line for `keep_s`."""
    if footprint <= 48 * KiB:
        return 1.5e-9
    if footprint <= 512 * KiB:
        return 5e-9
    near, far = (NEAR_S, MEMORY_S) if element == 64 else (BLOCK_NEAR_S, BLOCK_MEMORY_S)
    lost = footprint > size or footprint / element * near > keep_s
    return far if lost else near


def run_of(
    folder: Path, size: int, keep_s: float, machine: Machine = MACHINE, *, blocks: bool = True,
    step: Callable[[int, int], float] | None = None,
) -> Run:  # fmt: skip
    """Return a run of the plan on a machine with this last cache. blocks: with its fast passes. step: seconds of a step
    by footprint and its bytes, in place of `step_s`.
    """

    def seconds(footprint: int, work: HopWork) -> float:
        element = work.element_bytes
        return step(footprint, element) if step else step_s(footprint, element, size, keep_s)

    points = asked(machine, seconds, to="512MiB", pages="thp")
    return saved(folder, [one for one in points if blocks or one[0].labels["order"] != "block"], machine)


def with_last_cache(size: int) -> Machine:
    caches = [replace(one, size_bytes=size) if one.level == 3 else one for one in MACHINE.identity.caches]
    return replace(MACHINE, identity=replace(MACHINE.identity, caches=tuple(caches)))


def found(run: Run) -> Kept | None:
    return kept(Latency().rows(run))


@pytest.mark.parametrize("keep_s", [0.7e-3, 1.5e-3, 2.2e-3])
def test_the_time_is_within_its_interval(tmp_path: Path, keep_s: float) -> None:
    one = found(run_of(tmp_path, 64 * MiB, keep_s))
    assert one
    assert one.low_s <= keep_s <= one.high_s
    assert one.fast_bytes > 2 * one.slow_bytes


def test_a_cache_that_is_only_smaller_than_reported_is_not_called_shared(tmp_path: Path) -> None:
    """Fast and slow passes lose their lines at the same footprint."""
    run = run_of(tmp_path, 4 * MiB, 1.0)
    assert any(row.order == "block" for row in Latency().rows(run))
    assert found(run) is None
    assert not any(one.name == "kept" for one in Latency().insights(run, Latency().rows(run)))


@pytest.mark.parametrize("size", [6, 8, 12])
@pytest.mark.parametrize("soft", [1, 2, 3])
def test_a_last_cache_without_a_plateau_is_not_called_shared(tmp_path: Path, size: int, soft: int) -> None:
    """The second cache has 2 MiB, and the third one ends softly behind it, over some octaves; nobody else uses it."""
    levels = {64: (7e-9, 60e-9, 120e-9), 64 * fast.LINES: (25e-9, 80e-9, 350e-9)}

    def step(footprint: int, element: int) -> float:
        second, third, memory = levels[element]
        if footprint <= 2 * MiB:
            return 1.5e-9 if footprint <= 48 * KiB else second
        share = min(max((np.log2(footprint / (size * MiB)) + soft / 2) / soft, 0.0), 1.0)
        return float(third + share * (memory - third))

    run = run_of(tmp_path, 0, 0.0, step=step)
    assert any(row.order == "block" for row in Latency().rows(run))
    assert found(run) is None


def test_a_cache_that_is_all_there_has_no_fast_passes(tmp_path: Path) -> None:
    run = run_of(tmp_path, 32 * MiB, 1.0, with_last_cache(32 * MiB))
    assert not any(row.order == "block" for row in Latency().rows(run))
    assert not _is_slow(run)


def test_a_run_without_fast_passes_does_not_serve_where_they_would_show_more(tmp_path: Path) -> None:
    assert _is_slow(run_of(tmp_path / "old", 64 * MiB, 1.5e-3, blocks=False))
    assert not _is_slow(run_of(tmp_path / "new", 64 * MiB, 1.5e-3))


def test_the_finding_and_the_preset_state_the_time(tmp_path: Path) -> None:
    run = run_of(tmp_path, 64 * MiB, 1.5e-3)
    (said,) = (one for one in Latency().insights(run, Latency().rows(run)) if one.name == "kept")
    assert said.text.startswith("Others use the last cache: it loses a line ")
    assert said.low
    assert said.high
    assert said.low <= 1.5e-3 <= said.high
    *nearer, last = tomllib.loads(preset([run], "mine"))["cache"]
    assert not any("keep" in one for one in nearer)
    assert said.low * 1e3 <= float(last["keep"].removesuffix("ms")) <= said.high * 1e3
    one = found(run)
    assert one
    assert one.slow_bytes < parse_bytes(last["size"]) <= one.fast_bytes


def test_fast_passes_that_lose_lines_sooner_are_not_explained_by_a_time(tmp_path: Path) -> None:
    """Others took far more while the fast passes ran."""
    rows = [
        row
        for folder, keep_s, order in (("slow", 2.2e-3, "global"), ("fast", 0.3e-3, "block"))
        for row in Latency().rows(run_of(tmp_path / folder, 64 * MiB, keep_s))
        if row.order == order
    ]
    assert {row.order for row in rows} == {"global", "block"}
    assert kept(rows) is None


@pytest.mark.parametrize("points", [{}, {4 * KiB: 1e-9}, {size * KiB: 1e-9 for size in (4, 8, 16, 32, 64, 128, 256)}])
def test_a_staircase_without_an_end_has_no_fast_passes(points: dict[int, float]) -> None:
    assert fast.footprints(points, 32 * MiB) == []
