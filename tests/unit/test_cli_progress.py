"""The live line that a person sees during a run."""

import io
import time

import pytest
from rich.console import Console

from tierscope.cli import progress


def lines(total: int, done: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    console = Console(file=io.StringIO(), width=100)
    shown = progress.Progress(console)
    shown.planned(total, 10.0)
    for _ in range(done):
        monkeypatch.setattr(shown, "_spoken", time.monotonic() - 60)
        shown.finished(None, None, False)  # type: ignore[arg-type]
    return console.file.getvalue().splitlines()  # type: ignore[attr-defined,no-any-return]


def test_points_are_counted_with_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lines(3, 2, monkeypatch)[-1].startswith("2 of 3 points, 0:0")
    assert lines(3, 3, monkeypatch)[-1] == "3 of 3 points, 0:00 left"


def test_a_plan_that_looks_closer_has_more_points_than_were_planned(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lines(3, 4, monkeypatch)[-1] == "4 points, a closer look at what was found"
