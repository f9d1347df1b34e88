"""The script that counts the inconclusive points of `quick`, on a run that is stored."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from scripts import with_neighbours
from stored import RUNS
from tierscope.record.result import load

FOLDER = Path(__file__).parents[2] / "benchmarks"
QUICK = RUNS["run-schema-1"]


@pytest.fixture(scope="module")
def script() -> Iterator[ModuleType]:
    with with_neighbours(FOLDER / "quick.py") as module:
        yield module


def made(script: ModuleType, points: int, inconclusive: int, seconds: float = 100.0) -> Any:
    return script.Once(points, inconclusive, seconds, script.Load(0.0, 0.0, 0.0, 200.0))  # the process takes longer


def test_points_are_counted_as_the_report_counts_them(script: ModuleType) -> None:
    found = script.once(load(QUICK), script.Load(0.0, 0.0, 0.0, 1.0))
    assert (found.inconclusive, found.points) == (21, 27)


def test_a_run_lasts_until_its_last_record_ends_whatever_its_process_took(script: ModuleType) -> None:
    found = script.once(load(QUICK), script.Load(0.0, 0.0, 0.0, 1000.0))
    assert found.seconds == pytest.approx(17.74, abs=0.01)  # from 01:09:20 to 01:09:36 and 1.74 s


def test_runs_without_points_have_a_line(script: ModuleType) -> None:
    assert "| no points |" in script.line("quiet", [made(script, 0, 0)])


def test_each_aim_is_missed_by_what_it_is_about(script: ModuleType) -> None:
    good, bad, slow = made(script, 100, 3), made(script, 100, 4), made(script, 100, 0, 106.0)
    assert script.missed({"quiet": [good], "cpu-2": [made(script, 100, 15)]}) == []
    assert script.missed({"quiet": [bad]}) == ["quiet: more than 3 % are inconclusive"]
    assert script.missed({"quiet": [good, slow]}) == ["quiet: a run took longer than 105 s"]
    assert script.missed({"cpu-2": [made(script, 100, 16, 200.0)]}) == ["cpu-2: more than 15 % are inconclusive"]
    assert script.missed({"memory-1": [made(script, 100, 100)]}) == []


def test_a_run_of_the_program_is_counted_and_one_is_a_trial(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "program"
    program.write_text(
        f'#!/bin/sh\nwhile [ "$1" != --out ]; do shift; done\ncp -r {QUICK} "$2"\nchmod -R u+w "$2"\nexit 4\n'
    )
    program.chmod(0o755)
    monkeypatch.setattr(sys.modules["covering.kept"], "TIERSCOPE", program)
    words = ["quick.py", "--runs", "1", "--states", "quiet", "--out", str(tmp_path / "out")]
    monkeypatch.setattr(sys, "argv", words)
    assert script.main() == 4
    found = script.once(load(QUICK), script.Load(0.0, 0.0, 0.0, 1.0))
    printed = capsys.readouterr().out
    assert f"% of {found.points} | at most 3 % |" in printed
    assert "A trial, and no verdict" in printed
