"""Whole runs of another machine, on the real core behind a made ssh. The files of that machine are partly made."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from fake_ssh import Far, far_machine
from tierscope.errors import UsageError
from tierscope.host.others import Others
from tierscope.host.system import System
from tierscope.plans import suites
from tierscope.record.result import load, load_manifest
from tierscope.report.formats import write
from tierscope.run import start
from tierscope.run.hosts import connected, same_host
from tierscope.run.quiet import quiet_file

WORDS = {"kernels": "triad", "threads": "1", "array": "16MiB", "budget": "0.2", "visits": "1"}
BUSYBOX = shutil.which("busybox")
CAT = """for p; do case $p in
/proc/sys/kernel/hostname) echo far-away; exit ;;
/proc/loadavg) echo 7.25 3.00 1.00 1/100 4242; exit ;;
esac; done
exec /bin/cat "$@\""""


@pytest.fixture
def far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Far:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    far = far_machine(tmp_path, monkeypatch)
    far.program("cat", CAT)
    return far


def never(*_: object) -> object:
    raise AssertionError("this machine was asked, and another one is measured")


def shut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every question to this machine fail."""
    monkeypatch.setattr(System, "place", never)
    monkeypatch.setattr("glob.glob", never)
    monkeypatch.setattr(Others, "mark", never)
    monkeypatch.setattr("tierscope.core.launch.LocalCore.__init__", never)
    monkeypatch.setattr("tierscope.core.launch.Local.ask", never)


def measure(out: Path, suite: str = "stream", *, begun: bool = False, **words: str) -> Path:
    """Return the directory of a run; `begun`: of one that was stopped before its first point."""
    with connected("ssh:far") as host:
        options = suites[suite].read(words or WORDS)
        directory, manifest = start.begin(suite, options, "", ("tierscope",), out, host=host)
        if not begun:
            start.execute(directory, manifest, None, host)
    return directory


def test_a_run_is_of_the_other_machine_in_everything(far: Far, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shut(monkeypatch)
    run = load(measure(tmp_path / "run"))
    machine = run.result.machine
    assert machine.reached == "ssh:far"
    assert machine.hostname == "far-away"
    assert machine.state["load_1min"] == 7.25
    assert machine.state["available_bytes"]
    (load_check,) = [finding for finding in run.result.findings if finding.name == "load"]
    assert load_check.state.startswith("7.25")
    assert run.result.complete
    (record,) = run.result.records
    assert record.largest_relative_error <= 1e-15
    assert record.background is not None
    assert record.background.cpus is not None
    assert len(run.blocks(record)) == record.blocks > 0
    assert far.left() == []
    page = write("html", run, run.path)[0].read_text()
    assert "far-away over ssh:far" in page
    assert "Measured over" in page


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suite", "words"),
    [
        ("latency", {"from": "16KiB", "to": "64KiB", "per_octave": "1", "pages": "4k", "budget": "0.1", "visits": "1"}),
        ("loaded-latency", {"mixes": "read", "delays": "0", "array": "16MiB", "budget": "0.2", "visits": "1"}),
        ("neighbors", {"victim": "cmd echo done", "aggressors": "0", "budget": "0.3", "visits": "1"}),
    ],
)
def test_other_suites_need_only_the_core(
    far: Far, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suite: str, words: dict[str, str]
) -> None:
    shut(monkeypatch)
    run = load(measure(tmp_path / "run", suite, **words))
    assert run.result.complete
    assert run.result.machine.reached == "ssh:far"


@pytest.mark.skipif(BUSYBOX is None, reason="no busybox: sudo apt-get install -y busybox-static")
@pytest.mark.slow
def test_a_machine_that_has_busybox_alone(far: Far, tmp_path: Path) -> None:
    (far.root / "bin/cat").unlink()
    subprocess.run([str(BUSYBOX), "--install", "-s", str(far.root / "bin")], check=True)
    ssh = far.root / "ours/ssh"
    ssh.write_text(ssh.read_text().replace(":$PATH", "").replace("exec sh", f"exec {far.root}/bin/sh"))
    run = load(measure(tmp_path / "run"))
    assert run.result.complete
    assert run.result.records[0].background is not None
    assert not [one for one in run.result.findings if "the check itself failed" in one.state]
    assert far.left() == []


def test_a_run_is_continued_there(far: Far, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = measure(tmp_path / "run", begun=True)
    with pytest.raises(
        UsageError, match=r"was measured over ssh:far; name the machine: `tierscope resume .*--host ssh:far"
    ):
        same_host(None, directory, "resume")
    same_host("ssh:other", directory, "resume")
    same_host("here", directory, "resume")
    shut(monkeypatch)
    with connected("ssh:far") as host:
        again = start.resume(directory, None, host)
    assert again.complete
    assert len(again.records) == 1


def test_a_folder_is_removed_when_a_run_is_stopped(far: Far, tmp_path: Path) -> None:
    def stop() -> None:
        with connected("ssh:far") as host:
            host.session()
            assert len(far.left()) == 1
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stop()
    assert far.left() == []


def test_quiet_times_are_those_of_one_machine(tmp_path: Path, far: Far) -> None:
    names = {quiet_file("0123"), quiet_file("0123", "ssh:a"), quiet_file("0123", "ssh:b")}
    assert len(names) == 3


def test_storage_is_refused_before_anything_is_written(far: Far, tmp_path: Path) -> None:
    with pytest.raises(Exception, match="fio is not copied to ssh:far"):
        measure(tmp_path / "run", "storage", path=str(tmp_path))
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_a_manifest_states_how_it_was_reached(far: Far, tmp_path: Path) -> None:
    directory = measure(tmp_path / "run")
    assert load_manifest(directory).machine.reached == "ssh:far"
    assert json.loads((directory / "manifest.json").read_text())["machine"]["reached"] == "ssh:far"
