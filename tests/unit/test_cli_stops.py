"""Runs by the command line that fail: the status, the one line, and the files for a later resume."""

import os
import signal
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

from asked import LATENCY, LOADED, STREAM
from fake_core import FakeCore, made_topology, put_in_place
from made_machine import made_machine
from said import refused, say
from tierscope import core, duck
from tierscope.cli import finish
from tierscope.errors import Exit
from tierscope.plans import suites
from tierscope.record import samples
from tierscope.record.result import load, save_result


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeCore:
    """In an empty current directory; pages come without their libraries, which take a second to pack."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tierscope.report.formats.html.bundle", lambda: "")
    return put_in_place(FakeCore(), monkeypatch)


def test_a_request_beyond_the_machine_ends_with_3(
    fake: FakeCore, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(core, "topology", lambda: made_topology(made_machine(1)))
    status, line = refused(capfd, *LOADED)
    assert status == Exit.CANNOT
    assert "loaded latency needs two CPUs" in line
    assert os.listdir(tmp_path) == []


def test_one_cpu_runs_quick_and_notes_what_is_left_out(
    fake: FakeCore, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core, "topology", lambda: made_topology(made_machine(1)))
    monkeypatch.setattr(
        "tierscope.suites.quick.experiments.suites", dict.fromkeys(suites, suites["stream"]), raising=True
    )
    monkeypatch.setattr("tierscope.suites.quick.experiments.latency.measure", lambda *_: (yield from ()))
    monkeypatch.setattr("tierscope.suites.stream.experiments.STREAM", ("triad",))
    status, out, _ = say(capfd, "run", "quick")
    assert status == Exit.GOOD
    assert "Note: loaded latency is left out: it needs two CPUs" in out.replace("\n", " ")


def test_a_core_that_dies_immediately_ends_with_70_and_leaves_nothing(
    fake: FakeCore, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    fake.dies_at = 0
    status, line = refused(capfd, *STREAM)
    assert status == Exit.INTERNAL
    assert "Segmentation fault" in line
    assert not (tmp_path / "runs").exists()


def test_a_core_that_dies_later_ends_with_70_and_how_to_continue(
    fake: FakeCore, capfd: pytest.CaptureFixture[str]
) -> None:
    fake.dies_at = 3
    status, line = refused(capfd, *LATENCY, "--out", "my run")
    assert status == Exit.INTERNAL
    assert line.endswith("what was measured is kept, continue with: tierscope resume 'my run'")
    fake.dies_at = -1
    assert say(capfd, "resume", "my run", "--quiet")[0] == Exit.GOOD
    assert len(load(Path("my run")).result.records) == 7


def test_a_wrong_answer_ends_with_70(fake: FakeCore, capfd: pytest.CaptureFixture[str]) -> None:
    fake.error = lambda group: 1e-3
    status, line = refused(capfd, *STREAM)
    assert status == Exit.INTERNAL
    assert "memory differs from scalar code by 0.001" in line


def test_ctrl_c_ends_with_130_and_how_to_continue(
    fake: FakeCore, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(group: object) -> float:
        if fake.measured > 3:
            raise KeyboardInterrupt
        return 0.0

    fake.error = interrupt
    status, line = refused(capfd, *LATENCY, "--out", "run")
    assert (status, line) == (Exit.INTERRUPTED, "interrupted; continue with: tierscope resume run")
    fake.error = lambda group: 0.0
    assert say(capfd, "resume", "run", "--quiet")[0] == Exit.GOOD


def test_ctrl_c_before_anything_is_measured_ends_with_130(
    fake: FakeCore, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt() -> dict[str, Any]:
        raise KeyboardInterrupt

    monkeypatch.setattr(core, "topology", interrupt)
    assert say(capfd, *STREAM) == (Exit.INTERRUPTED, "", "\ntierscope: interrupted\n")  # click ends the line of ^C


def test_a_json_file_that_cannot_be_written_does_not_lose_the_run(
    fake: FakeCore, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("rows.json").mkdir()
    status, _, err = say(capfd, *STREAM, "--out", "run", "--quiet", "--json", "rows.json")
    assert status == Exit.CANNOT
    assert "cannot write rows.json: " in err
    assert "; the run itself is safe" in err
    assert load(Path("run")).result.complete


def test_a_json_file_in_a_folder_that_is_not_there_is_refused_before_anything_is_measured(
    fake: FakeCore, capfd: pytest.CaptureFixture[str]
) -> None:
    status, _, err = say(capfd, *STREAM, "--out", "run", "--json", "nowhere/rows.json")
    assert status == Exit.USAGE
    assert "--json nowhere/rows.json: nowhere is not a folder; make it, or name another file" in err
    assert not Path("run").exists()


def test_a_full_disk_is_reported_with_how_to_continue(
    fake: FakeCore, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(directory: Path, result: Any) -> None:
        if len(result.records) == 3:
            raise OSError(28, "No space left on device", str(directory / "result.json"))
        save_result(directory, result)

    monkeypatch.setattr("tierscope.run.runner.save_result", full)
    status, line = refused(capfd, *LATENCY, "--out", "run")
    assert status == Exit.CANNOT
    assert line.startswith("run/result.json: No space left on device; what was measured is kept, continue with: ")


def test_ctrl_c_waits_until_native_modules_are_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB aborts the process when it is interrupted while it loads."""
    (tmp_path / "made_native.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nloaded = True\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    before = signal.getsignal(signal.SIGINT)  # a job in the background is born deaf to Ctrl-C
    with pytest.raises(KeyboardInterrupt):
        finish._load_undisturbed("made_native")
    assert sys.modules.pop("made_native").loaded
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_each_signal_that_ends_a_run_states_how_to_continue(
    fake: FakeCore, capfd: pytest.CaptureFixture[str], number: signal.Signals
) -> None:
    before = signal.signal(number, signal.SIG_DFL)  # this process may run under nohup, or in the background

    def stop(group: object) -> float:
        if fake.measured > 3:
            signal.raise_signal(number)
        return 0.0

    fake.error = stop
    try:
        status, line = refused(capfd, *LATENCY, "--out", "run")
    finally:
        signal.signal(number, before)
    assert (status, line) == (128 + number, "interrupted; continue with: tierscope resume run")
    fake.error = lambda group: 0.0
    assert say(capfd, "resume", "run", "--quiet")[0] == Exit.GOOD


def test_a_stop_while_samples_are_read_is_not_reported_as_damage(
    fake: FakeCore, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert say(capfd, *LATENCY, "--out", "run", "--quiet")[0] == Exit.GOOD
    store = duck.store()
    samples._remembered.cache_clear()  # or nothing is read

    class Asked:
        """DuckDB asks for signals while it works; it makes an error of what it hears."""

        def execute(self, words: str) -> object:
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt as error:
                raise duckdb.InvalidInputException(f"samples: {error!r}") from error
            return store.execute(words)

    monkeypatch.setattr(duck, "store", Asked)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert say(capfd, "show", "run") == (Exit.INTERRUPTED, "", "\ntierscope: interrupted\n")
    finally:
        signal.signal(signal.SIGINT, before)


class PanicException(BaseException):
    """As pyo3 names it."""


def test_a_panic_of_the_figure_library_is_one_line(
    fake: FakeCore, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import vl_convert

    def panic(*_: object, **__: object) -> str:
        os.write(2, b"thread '<unnamed>' panicked at src/lib.rs:30:14:\nstack backtrace:\n")
        raise PanicException("called `Result::unwrap()` on an `Err` value:\n Too many open files")

    assert say(capfd, *LATENCY, "--out", "run", "--quiet")[0] == Exit.GOOD
    for name in ("vegalite_to_svg", "vegalite_to_png"):
        monkeypatch.setattr(vl_convert, name, panic)
    for form in ("svg", "png"):
        status, line = refused(capfd, "report", "run", "--format", form)
        assert status == Exit.CANNOT
        assert line.startswith(f"a figure cannot be drawn as {form.upper()}: called `Result::unwrap()`")


def test_a_panic_anywhere_is_one_line(
    fake: FakeCore, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def panic() -> dict[str, Any]:
        raise PanicException("index out of bounds")

    monkeypatch.setattr(core, "topology", panic)
    status, line = refused(capfd, *STREAM)
    assert status == Exit.INTERNAL
    assert "PanicException: index out of bounds" in line


def test_a_system_error_without_a_path_does_not_print_none(
    fake: FakeCore, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for error, said in (
        (OSError(28, "No space left on device"), "No space left on device"),
        (OSError("no words of the system"), "no words of the system"),
    ):
        refuse = pytest.MonkeyPatch()
        refuse.setattr("tierscope.run.runner.save_result", lambda *_, error=error: (_ for _ in ()).throw(error))
        assert refused(capfd, *STREAM) == (Exit.CANNOT, said)
        refuse.undo()
