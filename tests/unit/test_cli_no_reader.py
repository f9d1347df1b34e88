"""Commands whose reader goes away, as `| head -1` does: the work is done to its end, and the status is its own."""

import io
import itertools
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from asked import STREAM
from fake_core import FakeCore, put_in_place
from tierscope import core
from tierscope.cli import progress
from tierscope.cli.main import main
from tierscope.errors import Exit, MachineError
from tierscope.record.result import load
from tierscope.report import picture

FOREIGN = BrokenPipeError(32, "Broken pipe")


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeCore:
    """In an empty current directory; a minute passes between two looks at the clock, such that progress is printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tierscope.report.formats.html.bundle", lambda: "")
    minutes = itertools.count(0, 60)
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: next(minutes)))
    return put_in_place(FakeCore(), monkeypatch)


@pytest.fixture
def unread(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Return what replaces streams, by name, with pipes that nobody reads."""
    streams: list[io.TextIOWrapper] = []

    def replace(*names: str) -> None:
        for name in names:
            reader, writer = os.pipe()
            os.close(reader)
            buffer = io.BufferedWriter(io.FileIO(writer, "w"))
            streams.append(io.TextIOWrapper(buffer, "utf-8", line_buffering=True))
            monkeypatch.setattr(sys, name, streams[-1])

    yield replace
    monkeypatch.undo()
    for stream in streams:
        with suppress(OSError):
            stream.close()


@pytest.mark.parametrize("names", [("stdout",), ("stderr",), ("stdout", "stderr")], ids=" and ".join)
@pytest.mark.parametrize("more", [(), ("--json", "-")], ids=["tables", "json"])
def test_a_run_without_a_reader_is_completed(
    fake: FakeCore, unread: Callable[..., None], names: tuple[str, ...], more: tuple[str, ...]
) -> None:
    unread(*names)
    assert main([*STREAM, "--out", "run", *more]) == Exit.GOOD
    assert load(Path("run")).result.complete
    assert Path("run/report.html").is_file()


@pytest.mark.parametrize("more", [(), ("--json", "-")], ids=["tables", "json"])
def test_a_run_without_a_reader_ends_with_the_status_of_its_rows(
    fake: FakeCore, unread: Callable[..., None], monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...]
) -> None:
    unread("stdout", "stderr")
    monkeypatch.setattr("tierscope.cli.finish.status_of", lambda rows, strict: Exit.INCONCLUSIVE)
    assert main([*STREAM, "--out", "run", *more]) == Exit.INCONCLUSIVE


def test_an_interrupted_run_without_a_reader_is_resumed(fake: FakeCore, unread: Callable[..., None]) -> None:
    def interrupt(group: object) -> float:
        if fake.measured > 3:
            raise KeyboardInterrupt
        return 0.0

    fake.error = interrupt
    unread("stdout", "stderr")
    assert main([*STREAM, "--out", "run"]) == 130
    assert not json.loads(Path("run/result.json").read_bytes())["complete"]
    fake.error = lambda group: 0.0
    assert main(["resume", "run"]) == Exit.GOOD
    assert load(Path("run")).result.complete


def test_a_pipe_of_ours_that_breaks_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Not every broken pipe is a reader of standard output that went away."""

    def gone() -> None:
        raise FOREIGN

    monkeypatch.setattr(core, "topology", gone)
    assert main(["topology"]) == Exit.CANNOT
    assert capfd.readouterr().err == "tierscope: the system refused: Broken pipe\n"


def test_an_error_without_a_reader_keeps_its_status(
    unread: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise MachineError("no memory")

    unread("stdout", "stderr")
    monkeypatch.setattr(core, "topology", refuse)
    assert main(["topology"]) == Exit.CANNOT


def test_a_figure_is_drawn_where_standard_error_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = ""
    with suppress(OSError), Path("/dev/full").open("w", encoding="utf-8") as full, monkeypatch.context() as patch:
        full.write("what was not said yet")
        patch.setattr(sys, "stderr", full)
        with picture.panics("a figure cannot be drawn"):
            drawn = "a figure"
    assert drawn == "a figure"
