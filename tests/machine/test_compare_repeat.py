"""The script that asks `compare --rerun` again and again: what it counts, and that it runs here."""

import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from scripts import module_of
from shell import LONGEST_S
from tierscope.errors import Exit

SCRIPT = Path(__file__).parents[2] / "benchmarks/compare_repeat.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return module_of(SCRIPT, "compare_repeat")


def rows(**words: int) -> list[dict[str, Any]]:
    named = {"same": "no difference shown", "slower": "slower", "inconclusive": "inconclusive"}
    return [
        {"verdict": named[word], "ratio": 0.97, "ratios": [0.96, 0.97, 0.98]}
        for word, count in words.items()
        for _ in range(count)
    ]


@pytest.mark.parametrize(
    ("hits", "count", "low", "high"),
    [(19, 20, 0.7639, 0.9911), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (0, 0, 0, 1)],
)
def test_the_bounds_are_wilsons(script: ModuleType, hits: int, count: int, low: float, high: float) -> None:
    assert script.wilson(hits, count) == pytest.approx((low, high), abs=5e-5)


def test_an_inconclusive_slowdown_is_kept_and_a_row_compared_with_itself_is_not(script: ModuleType) -> None:
    found = rows(slower=18, same=1, inconclusive=6)
    line = script.told("planted", script.SLOWER, found)
    assert "18 slower, 6 inconclusive, 1 no difference shown" in line
    assert "18 of 19 (0.75 to 0.99)" in line
    assert "| 0.9700 | 1.03 % |" in line
    assert script.verdict(script.SLOWER, found) == Exit.GOOD
    assert script.verdict(script.SAME, rows(same=16, slower=4)) == Exit.FAILED
    assert script.verdict(script.SAME, rows(same=19, inconclusive=1)) == Exit.GOOD
    assert script.verdict(script.SAME, rows(same=18, inconclusive=2)) == Exit.FAILED
    assert script.verdict(script.SLOWER, rows(slower=8, same=1)) == Exit.FAILED
    assert script.verdict(script.SAME, rows(inconclusive=9)) == Exit.INCONCLUSIVE


@pytest.mark.machine
@pytest.mark.slow
def test_it_compares_for_real() -> None:
    command = [sys.executable, str(SCRIPT), "--repeats", "1", "--rounds", "3"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_S, check=False)
    assert done.returncode in (Exit.GOOD, Exit.FAILED, Exit.INCONCLUSIVE), done.stderr
    alone, planted = done.stdout.splitlines()[2:]
    assert alone.startswith("| with itself | 1 ")
    assert planted.startswith("| with 3 % slower (0.9709) | 1 ")
