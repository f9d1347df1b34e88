"""The score of predictions: cells that are kept, and figures with their goals."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from scripts import with_neighbours
from tierscope.predict.program.native import Native
from tierscope.simulated.replay import Traced
from tierscope.stats.median import Interval

FOLDER = Path(__file__).parents[2] / "benchmarks" / "predict"
CORES = 13


@pytest.fixture(scope="module")
def script() -> Iterator[ModuleType]:
    with with_neighbours(FOLDER / "score.py") as module:
        yield module


@pytest.fixture
def pages(script: ModuleType) -> Any:
    return sys.modules["pages"]


@pytest.fixture
def rivals(script: ModuleType) -> Any:
    return sys.modules["rivals"]


def ran(seconds: float) -> Native:
    exact = Interval(seconds * 0.99, seconds, seconds * 1.01, 9)
    return Native(exact, exact, 0.0, 9)


def traced(seconds: float) -> Traced:
    return Traced(
        machine="sim:m", instructions=1_000_000, untraced_instructions=3_000_000, loads=1, stores=1, ended=0,
        counters={"walks": 500_000}, seconds=seconds,
    )  # fmt: skip


def measured(pages: Any, there: float = 0.8) -> Any:
    """Return a cell of 1 s whose model knows that it takes 0.8 s with the other pages."""
    every = (*[traced(1.0)] * CORES, *[traced(0.8)] * CORES)
    return pages.Measured(
        native=ran(1.0), there=ran(there), again=ran(1.02), traced=every, memory_s=100e-9, walk_s=50e-9
    )


def test_a_cell_is_scored_with_the_noise_floor_and_the_rivals(script: ModuleType, pages: Any) -> None:
    row = pages.scored(measured(pages))
    assert row.model == 1.0
    assert row.told == (0.8, 0.8, row.told.low, row.told.high, row.noise)
    assert row.told.low < 0.8 < row.told.high
    assert row.itself == 1.02
    assert row.wall == 0.8
    assert row.noise == pytest.approx(0.01 * 2**0.5)
    assert row.misses == pytest.approx(1 - 2_000_000 * 50e-9)
    assert row.latencies == pytest.approx(100 / 150)
    assert script.line("sort", row).startswith("| sort | 1.00 | 0.800 | 0.78")
    assert script.line("sort", row).count("|") == len(script.HEAD) + 1


def test_page_faults_that_larger_pages_save_are_not_a_part_of_the_truth(pages: Any) -> None:
    """The kernel takes 0.3 s of 1.3 s with small pages, and 0.1 s of 0.9 s with large ones."""

    def of(user: float, wall: float) -> Native:
        return Native(Interval(wall, wall, wall, 9), Interval(user, user, user, 9), wall - user, 9)

    kept = as_dict(measured(pages)) | {"native": of(1.0, 1.3), "there": of(0.8, 0.9), "again": of(1.0, 1.2)}
    row = pages.scored(pages.Measured(**kept))
    assert row.told.truth == pytest.approx(1.1 / 1.3)
    assert row.wall == pytest.approx(0.9 / 1.3)
    assert row.itself == pytest.approx(1.0)


def test_a_cell_without_an_answer_is_a_row_and_counts_as_not_known(script: ModuleType, pages: Any) -> None:
    refused = pages.scored(pages.Measured(refused="sort ended with status 2"))
    off = pages.scored(measured(pages).__class__(**{**as_dict(measured(pages)), "native": ran(0.5)}))
    for row, why in ((refused, "refused: sort ended with status 2"), (off, "not known: the model takes 2.00x")):
        assert why in script.line("sort", row)
        assert script.line("sort", row).count("|") == len(script.HEAD) + 1
    lines = script.scores([refused, off, pages.scored(measured(pages))])
    assert lines[0] == "1 of 3 cells could not be measured"
    assert lines[1] == "tierscope: 1 of 2 cells answered; 50% not known (goal: at most 25%)"
    assert lines[2].startswith("tierscope: error of 1 cells: median 0.0% (goal: 5%), p90 0.0% (goal: 12%)")
    assert lines[3].startswith("tierscope: bounds contain 1 of 1, 100% (goal: 87% to 93%); mean half-width ")


def as_dict(one: Any) -> dict[str, Any]:
    return {name: getattr(one, name) for name in one.__struct_fields__}


def test_bounds_may_contain_a_noisy_truth(script: ModuleType, pages: Any) -> None:
    off = pages.scored(measured(pages, 0.815))
    assert "0.811 (!) | 0.815" in script.line("sort", off)
    assert "may contain 1 of 1, 100%, with the noise of the measured ratio, 1.4% on average" in script.scores([off])[3]


def test_a_kept_cell_is_not_measured_again(
    script: ModuleType, pages: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []

    def measure(words: list[str], known: Any, limit_s: float) -> Any:
        calls.append(words[0])
        return measured(pages, 0.9)

    monkeypatch.setattr(script, "measured", measure)
    path = tmp_path / "out" / "sort.json"
    first = script.kept_or_measured("sort", ["sort"], {"core": "a"}, path, None, 60.0)
    again = script.kept_or_measured("sort", ["sort"], {"core": "a"}, path, None, 60.0)
    assert calls == ["sort"]
    assert pages.scored(again) == pages.scored(first)
    assert json.loads(path.read_text())["load"]["seconds"] >= 0
    script.kept_or_measured("sort", ["sort"], {"core": "b"}, path, None, 60.0)
    assert calls == ["sort", "sort"]


def test_the_scaling_law_finds_its_own_coefficients(rivals: Any) -> None:
    import numpy as np

    law = rivals.Usl(0.03, 0.001)
    threads = np.arange(1.0, 17.0)
    bandwidth = np.array([law.predict(2e9, n) for n in threads])
    found = rivals.Usl.fit(threads, bandwidth)
    assert (found.contention, found.coherence) == pytest.approx((0.03, 0.001))
    assert rivals.Usl.fit(threads, 2e9 * threads).predict(1.0, 8.0) == pytest.approx(8.0)
