"""The pass by windows of the suite latency: asked for where latency still rises, and what a preset makes of it."""

from pathlib import Path

import pytest

import made_latency
from made_latency import Asked
from made_machine import made_machine
from tierscope.errors import UsageError
from tierscope.record.experiment import Experiment
from tierscope.record.result import Run
from tierscope.record.work.hop import HopWork
from tierscope.simulated.measured import measured
from tierscope.units import GiB, KiB, MiB

MACHINE = made_machine(2)
WALKS_FROM = 512 * MiB


def access_s(footprint: int, window: int, per_octave: float) -> float:
    """Seconds of an access: caches of 48 KiB, 2 MiB and 16 MiB, memory, and page walks beyond WALKS_FROM."""
    levels = ((48 * KiB, 1.3e-9), (2 * MiB, 5e-9), (16 * MiB, 42e-9), (1 << 60, 170e-9))
    time = next(seconds for size, seconds in levels if footprint <= size)
    reach = (window or footprint) / WALKS_FROM
    while reach > 1:
        time *= 1 + per_octave * min(reach - 1, 1)
        reach /= 2
    return time


def asked(per_octave: float, **words: str) -> Asked:
    """Return the experiments of the plan on a machine with these page walks, and the seconds of an access."""

    def seconds(footprint: int, work: HopWork) -> float:
        return access_s(footprint, work.locality_bytes, per_octave)

    return made_latency.asked(MACHINE, seconds, **{"to": "2GiB", "pages": "thp", **words})


def saved(folder: Path, points: Asked) -> Run:
    return made_latency.saved(folder, points, MACHINE)


def windows(points: list[tuple[Experiment, float]]) -> list[Experiment]:
    return [one for one, _ in points if one.labels["order"] == "window"]


def test_a_staircase_that_ends_flat_has_no_pass_by_windows() -> None:
    assert windows(asked(0.0)) == []


def test_the_largest_footprint_is_visited_by_windows_if_latency_still_rises() -> None:
    (one,) = windows(asked(0.6))
    workload = one.groups[0].workload
    assert workload.footprint_bytes == 2 * GiB
    assert workload.of(HopWork).locality_bytes == 256 * MiB


@pytest.mark.parametrize("words", [{"order": "page"}, {"probe": "random"}, {"element": "256"}])
def test_other_series_have_no_pass_by_windows(words: dict[str, str]) -> None:
    assert windows(asked(0.6, **words)) == []


def test_a_preset_takes_the_plateau_for_memory_only_with_that_pass(tmp_path: Path) -> None:
    points = asked(0.6)
    found = measured([saved(tmp_path / "with", points)])
    assert found.memory_s == pytest.approx(170e-9, rel=0.05)
    assert found.rise > 1.0
    without = [(one, seconds) for one, seconds in points if one.labels["order"] != "window"]
    with pytest.raises(UsageError, match="does not reach memory"):
        measured([saved(tmp_path / "without", without)])
