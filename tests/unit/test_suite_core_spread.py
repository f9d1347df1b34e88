"""How much the latency varies: the factor of a window with retirement in order, and when the spread is known."""

from pathlib import Path

import numpy as np
import pytest

from made import Maker
from made_core import MadeCore, add_core, asked
from tierscope.record.work.loop import LoopWork
from tierscope.simulated.core import spread_of as setting
from tierscope.suites.core.row import CoreRow
from tierscope.suites.core.spread import LOADS, PARAMETER, PROBE, factors, fillers_of, spread_of, windows_of
from tierscope.suites.core.step import Step
from tierscope.suites.core.table import Core


def row_of(folder: Path, made: MadeCore, probes: str = "width,window,spread") -> CoreRow:
    maker = Maker(folder)
    add_core(maker, made, probes=probes)
    (row,) = (row for row in Core().rows(maker.save("core")) if row.parameter == PARAMETER)
    return row


@pytest.mark.parametrize("loads", LOADS)
def test_the_factor_is_that_of_loads_one_by_one(loads: int) -> None:
    """Without a spread, loads come each latency / K. With one, a queue that is simulated load by load agrees."""
    assert factors(loads)[0] == pytest.approx(1.0, rel=0.001)
    assert np.all(np.diff(factors(loads)) > 0)
    rng = np.random.default_rng(7)
    retired = [0.0]
    for number in range(40_000):
        begins = retired[number - loads + 1] if number >= loads else 0.0
        retired.append(max(retired[-1], begins + 0.7 + 0.3 * float(rng.exponential())))
    measured = retired[-1] / 40_000 * loads
    assert spread_of(measured, loads) == pytest.approx(0.3, abs=0.02)


@pytest.mark.parametrize("window", [64, 97, 160, 238, 497])
@pytest.mark.parametrize("loads", LOADS)
def test_a_window_that_is_a_little_off_has_as_many_loads(window: int, loads: int) -> None:
    each = fillers_of(window, loads) + 1
    for off in (0.95, 1.0, 1.05):
        assert np.ceil(window * off / each) == loads


def test_results_are_the_fillers_if_their_window_is_known() -> None:
    known, open_ = Step(100, 104), Step(100, None, "beyond")
    assert next(iter(windows_of({"nop": Step(200, 202), "result": known}).items())) == ("result", 101)
    assert windows_of({"result": open_, "nop": Step(200, 202)}) == {"nop": 201}
    assert windows_of({"result": open_}) == {}


@pytest.mark.parametrize("registers", [96, 4000])
@pytest.mark.parametrize("spread", [0.0, 0.15, 0.35])
def test_the_spread_is_known_within_its_interval(tmp_path: Path, spread: float, registers: int) -> None:
    row = row_of(tmp_path, MadeCore(spread=spread, files=True, vectors=registers))
    assert row.answer == "known"
    assert row.value
    assert row.value.low - 0.01 <= spread <= row.value.high + 0.01
    assert row.value.middle == pytest.approx(spread, abs=0.02)
    assert setting([row]) == row.value.middle


def test_without_a_window_nothing_is_asked_and_nothing_known(tmp_path: Path) -> None:
    probes = {one.labels["probe"] for one in asked(MadeCore(), probes="spread")}
    assert PROBE not in probes
    maker = Maker(tmp_path)
    add_core(maker, MadeCore(), probes="spread")
    assert PARAMETER not in {row.parameter for row in Core().rows(maker.save("core"))}


def test_instructions_that_take_as_long_as_the_loads_leave_it_open(tmp_path: Path) -> None:
    row = row_of(tmp_path, MadeCore(latency_s=8e-9, files=True))
    assert row.answer == "not known"
    assert row.why == "the instructions take as long as the loads"
    assert setting([row]) is None


def test_a_window_that_was_found_too_small_leaves_it_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As while another hardware thread takes registers: then more loads are in a window later."""
    time_s = MadeCore.time_s

    def faster(made: MadeCore, work: LoopWork, level: str = "memory", threads: int = 1) -> float:
        return time_s(made, work, level, threads) * (0.85 if work.chains > 2 and work.fillers else 1.0)

    monkeypatch.setattr(MadeCore, "time_s", faster)
    row = row_of(tmp_path, MadeCore(files=True))
    assert (row.answer, row.why) == ("not known", "more loads are in a window than its step shows")


def test_windows_of_two_sizes_that_disagree_leave_it_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where something else than retirement in order limits one of them."""
    time_s = MadeCore.time_s

    def slower(made: MadeCore, work: LoopWork, level: str = "memory", threads: int = 1) -> float:
        few = work.chains > 2 and work.fillers == fillers_of(made.vectors + 1, LOADS[0])
        return time_s(made, work, level, threads) * (1.3 if few else 1.0)

    monkeypatch.setattr(MadeCore, "time_s", slower)
    row = row_of(tmp_path, MadeCore(files=True))
    assert (row.answer, row.why) == ("not known", "windows of two sizes do not agree")
