"""The command line on the real core: short runs, every way to fail, every way to be stopped.

Speeds are not asserted; a busy machine may make any point inconclusive, so a run that is done ends with 0 or 4.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from asked import KEYS
from shell import CPUS, PLAIN, ROOT, Shell, cores_of, ended, records, wait_for
from tiers import first
from tierscope.record.result import load
from tierscope.run.start import resume

DONE = (0, 4)
STREAM = ["run", "stream", "kernels=triad", "threads=1", "array=16MiB", "budget=0.2", "visits=0"]
VISITED = ["run", "latency", "from=16KiB", "to=256KiB", "per_octave=1", "pages=4k", "budget=0.1"]
LATENCY = [*VISITED, "visits=0"]
LOADED = ["run", "loaded-latency", "mixes=read", "delays=0,1000", "array=16MiB", "budget=0.1", "visits=0"]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory in which nothing may be made."""
    place = tmp_path_factory.mktemp("closed")
    place.chmod(0o555)
    return place


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, closed: Path) -> tuple[Path, str]:
    """One point of a triad, measured without any privilege from a closed directory; its place, and what it printed."""
    shell = Shell(tmp_path_factory.mktemp("real"))
    shell.environment["WHOLE_PAGE"] = "1"
    place = shell.folder / "größe a"
    status, out, _ = shell(*STREAM, "--out", str(place), "--json", "-", before=PLAIN, cwd=closed)
    assert status in DONE
    return place, out


def check(directory: Path, out: str, table: str, count: int) -> None:
    """Standard output is one document with that many rows; every page was found on a node, every answer right."""
    rows = [row for row in json.loads(out)["rows"] if row["table"] == table]
    assert len(rows) == count
    assert all(KEYS[table] <= row.keys() for row in rows)
    for record in load(directory).result.records:
        for facts in record.groups:
            assert sum(facts.nodes.values()) > 0
            assert facts.placement
        assert record.largest_relative_error <= 1e-15


def test_stream_prints_its_rows_and_nothing_else(run: tuple[Path, str]) -> None:
    check(*run, "stream", 1)
    assert (run[0] / "report.html").stat().st_size > 300_000  # with the libraries that draw its figures


@pytest.mark.skipif(len(CPUS) < 2, reason="needs two CPUs")
def test_loaded_latency_prints_its_rows_and_nothing_else(shell: Shell) -> None:
    status, out, _ = shell(*LOADED, "--out", "run", "--json", "-")
    assert status in DONE
    check(shell.folder / "run", out, "loaded_latency", 3)


@pytest.mark.parametrize(
    ("words", "status", "why"),
    [
        ("stream target=node:99", 2, "node 99 is not online; online nodes: "),
        ("stream target=node:zero", 2, "'zero' is not a number"),
        ("stream target=disk", 2, "unknown target 'disk' (known: "),
        ("stream target=file", 2, "needs a path"),
        ("stream isa=avx9", 2, "unknown isa 'avx9'"),
        ("stream array=1TiB", 3, "over the free memory"),
        ("stream array=32B", 2, "4KiB or more is needed"),
        ("stream target=file:nowhere/x", 3, "target file:nowhere/x: there is no folder "),
        ("latency target=null to=64KiB", 3, "target null has no memory for kernel chase"),
        ("latency element=100B to=64KiB", 2, "not a multiple of a cache line"),
    ],
)
def test_a_refusal_of_the_core_is_one_line_and_leaves_nothing(shell: Shell, words: str, status: int, why: str) -> None:
    suite, *options = words.split()
    small = [] if suite == "latency" or "array" in words else ["array=16MiB"]
    short = ["kernels=read", "threads=1", *small] if suite == "stream" else []
    found, line = shell.refused("run", suite, *short, *options, "--out", "run")
    assert found == status
    assert why in line
    assert not (shell.folder / "run").exists()


def test_a_cpu_that_may_not_be_used(shell: Shell) -> None:
    status, line = shell.refused(*STREAM, f"cpus={max(CPUS) + 1000}")
    assert status == 2
    assert f"usable: {','.join(map(str, CPUS))}" in line or "usable: " in line


@pytest.mark.skipif(not shutil.which("taskset"), reason="no taskset: sudo apt-get install -y util-linux")
def test_a_process_on_one_cpu(shell: Shell) -> None:
    one = ("taskset", "-c", str(CPUS[0]))
    status, line = shell.refused(*LOADED, before=one)
    assert status == 3
    assert "loaded latency needs two CPUs" in line
    status, line = shell.refused("run", "stream", "threads=2", before=one)
    assert status == 2
    assert f"threads=2 does not fit the CPUs that may be used, {CPUS[0]}; try threads=1" in line
    status, out, _ = shell("run", "quick", "--dry-run", before=one)
    assert status == 0
    assert "triad, 1 thread" in out
    assert "beside" not in out


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MiB."""
    place = tmp_path / "small"
    place.mkdir()
    if not ROOT or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", place], check=False).returncode:
        pytest.skip("needs root to mount a small file system")
    yield place
    subprocess.run(["umount", place], check=True)


def test_a_file_target_without_room(shell: Shell, small_disk: Path) -> None:
    status, line = shell.refused(*STREAM, f"target=file:{small_disk}/bytes")
    assert status == 3
    assert "bytes" in line
    assert "No space left" in line or "free" in line
    assert list(small_disk.iterdir()) == []


def test_a_run_directory_without_room(shell: Shell, small_disk: Path) -> None:
    (small_disk / "filler").write_bytes(b"\0" * 930 * 1024)  # the manifest and a few records fit, not all
    words = [word for word in LATENCY if not word.startswith("per_octave")]
    status, line = shell.refused(*words, "per_octave=8", "--quiet", "--out", str(small_disk / "run"))
    assert status == 3
    assert "No space left" in line or "could not write" in line.lower()
    assert f"continue with: tierscope resume {small_disk}/run" in line
    there = records(small_disk / "run")
    assert there > 0
    (small_disk / "filler").unlink()
    process = shell.start("resume", str(small_disk / "run"), "--quiet")
    wait_for(lambda: records(small_disk / "run") > there or process.poll() is not None)
    process.kill()
    process.communicate()
    assert records(small_disk / "run") > there


@pytest.mark.skipif(ROOT and not PLAIN, reason="no setpriv: sudo apt-get install -y util-linux")
@pytest.mark.parametrize(
    ("words", "where", "why"),
    [
        (
            ("--out", "{closed}/run"),
            ".",
            "cannot create {closed}/run: Permission denied; choose another place with --out",
        ),
        ((), "{closed}", "cannot create runs/"),
        (
            ("target=file:{closed}/bytes", "--out", "run"),
            ".",
            "{closed}/bytes (name a folder that you may write to): Permission denied",
        ),
    ],
)
def test_a_place_without_permission(shell: Shell, closed: Path, words: tuple[str, ...], where: str, why: str) -> None:
    words = tuple(word.format(closed=closed) for word in words)
    place = shell.folder / where.format(closed=closed)
    status, line = shell.refused(*STREAM, *words, before=PLAIN, cwd=place)
    assert status == 3
    assert why.format(closed=closed) in line


def test_a_finished_run_is_shown_compared_and_reported(shell: Shell, run: tuple[Path, str]) -> None:
    directory = str(run[0])
    assert "triad" in shell("show", directory)[1]
    status, out, _ = shell("compare", directory, directory, "--json")
    assert status in DONE
    assert [row["kernel"] for row in json.loads(out)] == ["triad"]
    status, out, _ = shell("report", directory, "--format", "csv", "--to", "tables")
    assert (status, bool(out)) == (0, True)


def finished(directory: Path) -> None:
    """Continues to the end; all records and samples are there."""
    result = resume(directory)
    assert result.complete
    assert [record.number for record in result.records] == list(range(6))
    assert all(len(load(directory).blocks(record)) == record.blocks for record in result.records)


def test_ctrl_c_ends_with_130_leaves_no_core_and_can_be_resumed(shell: Shell) -> None:
    directory = shell.folder / "run"
    process = shell.start(*LATENCY, "--out", "run")
    wait_for(lambda: records(directory) >= 2)
    numbers = cores_of(process.pid)  # one, or two in the moment when the next one starts
    assert numbers
    process.send_signal(signal.SIGINT)
    out, err = ended(process)
    assert (process.returncode, out) == (130, "")
    assert err == "tierscope: interrupted; continue with: tierscope resume run\n"
    assert not any(Path(f"/proc/{number}").exists() for number in numbers)
    assert list(shell.tmp.iterdir()) == []
    status, out, _ = shell("resume", "run", "--json", "-")
    assert status in DONE
    check(directory, out, "latency", 6)
    finished(directory)


@pytest.mark.parametrize(
    ("words", "seed"),
    first(1, [(VISITED, 0), (LATENCY, 1), (LATENCY, 2)]),
    ids=["visited", "1", "2"],
)
def test_killed_at_any_moment_it_can_be_resumed(shell: Shell, words: list[str], seed: int) -> None:
    directory = shell.folder / "run"
    process = shell.start(*words, "--out", "run")
    wait_for((directory / "result.json").exists)
    time.sleep(random.Random(seed).uniform(0, 1.2))
    children = cores_of(process.pid)
    process.kill()
    process.communicate()
    wait_for(lambda: not any(Path(f"/proc/{number}").exists() for number in children))
    for left in shell.tmp.iterdir():
        shutil.rmtree(left)  # killed in the instant between the core's start and its first word
    finished(directory)


def test_a_killed_core_is_reported_with_how_to_continue(shell: Shell) -> None:
    directory = shell.folder / "run"
    process = shell.start(*LATENCY, "--out", "run")
    wait_for(lambda: records(directory) >= 1)
    for number in cores_of(process.pid):  # between two visits a second one looks for other programs
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
    out, err = ended(process)
    assert (process.returncode, out, err.count("\n")) == (3, "", 1)
    assert "killed from outside" in err
    assert "continue with: tierscope resume run" in err
    finished(directory)


def test_two_processes_do_not_write_one_run(shell: Shell) -> None:
    process = shell.start(*LATENCY, "--out", "run")
    wait_for(lambda: records(shell.folder / "run") >= 1)
    process.send_signal(signal.SIGSTOP)  # it keeps the run for as long as this takes
    beside = shell.start("resume", "run")
    _, err = ended(beside)
    process.kill()
    process.communicate()
    assert beside.returncode == 2
    assert "is being written by another tierscope; wait for it" in err
