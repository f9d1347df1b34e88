"""Main numbers of a run are judged once, and again as soon as anything changes that they come from."""

import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from made import Maker, Teamwork, one_group
from tierscope.compare import kept
from tierscope.compare.kept import Number, Numbers
from tierscope.compare.points import points
from tierscope.record.result import Run
from tierscope.units import GiB

NUMBERS: Numbers = {"stream": {"triad, threads 1": Number(2e10, 1.9e10, 2.1e10, conclusive=True)}}


@pytest.fixture
def run(tmp_path: Path) -> Run:
    maker = Maker(tmp_path / "run")
    maker.add("stream", {"kernel": "triad", "threads": 1}, (one_group("triad", (0,), GiB),), (Teamwork((1e8,)),))
    return maker.save("stream")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache/tierscope/numbers"


@pytest.fixture
def judged() -> list[Run]:
    """Return the runs that were judged, in their order."""
    return []


@pytest.fixture
def numbers(judged: list[Run]) -> Callable[[Run], Numbers]:
    def judge(run: Run) -> Numbers:
        judged.append(run)
        return NUMBERS

    return lambda run: kept.kept(run, judge)


def test_a_run_is_judged_once(run: Run, numbers: Callable[[Run], Numbers], judged: list[Run], folder: Path) -> None:
    assert [numbers(run), numbers(run), numbers(run)] == [NUMBERS] * 3
    assert judged == [run]
    assert len(list(folder.iterdir())) == 1


def touched(run: Run) -> Run:
    (sample, *_) = (run.path / "samples").iterdir()
    os.utime(sample, ns=(1, 1))
    return run


def restarted(run: Run) -> Run:
    return msgspec.structs.replace(run, result=msgspec.structs.replace(run.result, started="2026-01-01T00:00:00+00:00"))


@pytest.mark.parametrize("change", [touched, restarted])
def test_what_changed_is_judged_again(
    run: Run, numbers: Callable[[Run], Numbers], judged: list[Run], change: Callable[[Run], Run]
) -> None:
    numbers(run)
    numbers(change(run))
    assert len(judged) == 2


def test_other_code_judges_again(
    run: Run, numbers: Callable[[Run], Numbers], judged: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers(run)
    monkeypatch.setattr(kept, "_code", lambda: "changed")
    numbers(run)
    assert len(judged) == 2


@pytest.mark.parametrize("content", [b"", b"[1]", b'{"stream": {"triad": {"value": null}}}', b"\xff\xfe"])
def test_a_damaged_file_is_replaced(
    run: Run, numbers: Callable[[Run], Numbers], judged: list[Run], folder: Path, content: bytes
) -> None:
    numbers(run)
    (file,) = folder.iterdir()
    file.write_bytes(content)
    assert [numbers(run), numbers(run)] == [NUMBERS] * 2
    assert len(judged) == 2


def test_without_a_place_to_keep_them_they_are_judged_each_time(
    run: Run, numbers: Callable[[Run], Numbers], judged: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)
    assert [numbers(run), numbers(run)] == [NUMBERS] * 2
    assert len(judged) == 2


def test_the_oldest_half_makes_room(
    run: Run, numbers: Callable[[Run], Numbers], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "MOST", 4)
    folder.mkdir(parents=True)
    for age in range(4):
        (folder / f"{age}.json").touch()
        os.utime(folder / f"{age}.json", ns=(age, age))
    numbers(run)
    left = {file.name for file in folder.iterdir()}
    assert {"2.json", "3.json"} < left
    assert len(left) == 3


def test_numbers_that_were_kept_are_those_that_were_judged(run: Run, folder: Path) -> None:
    first = points([run, run])
    assert first
    assert folder.is_dir()
    assert points([run, run]) == first
