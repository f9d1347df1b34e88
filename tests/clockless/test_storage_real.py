"""`run storage` with a real fio on small files: fio's own numbers, nothing left behind, every way to be stopped."""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from shell import Shell, ended, records, wait_for
from tierscope.errors import MachineError
from tierscope.fio import Session
from tierscope.fio import process as fio
from tierscope.fio.answer import Document
from tierscope.fio.job import fill
from tierscope.fio.place import Place
from tierscope.fio.program import find
from tierscope.record.experiment import Group, Target, Team, Workload
from tierscope.record.result import load
from tierscope.record.work.job import JobWork
from tierscope.suites.neighbors import fio as neighbor_fio
from tierscope.suites.storage.bins import percentiles
from tierscope.tables import tables

FIO = shutil.which("fio")
DONE = (0, 4)
pytestmark = pytest.mark.skipif(FIO is None, reason="no fio: sudo apt-get install -y fio")
SMALL = ["run", "storage", "size=16MiB", "repeat=100ms", "ramp=0", "budget=0.2"]
ONE = [*SMALL, "blocks=4KiB", "mixes=mix", "orders=random", "depths=4"]
KEEP = """#!/bin/sh
[ "$1" != --version ] || exec '{fio}' --version
'{fio}' "$@" >'{folder}/now'
status=$?
case "$*" in *time_based*) cp '{folder}/now' "$(mktemp '{folder}/kept-XXXXXX')" ;; esac
cat '{folder}/now'
exit $status
"""


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder on a disk, where direct I/O may be asked for."""
    folder = tmp_path / "disk"
    folder.mkdir()
    return folder


def direct(folder: Path) -> str:
    """The word for it: temporary files may be in memory."""
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_DIRECT, 0o600))
    except OSError:
        return "direct=no"
    kind = subprocess.run(["stat", "-f", "-c", "%T", folder], capture_output=True, text=True, check=True).stdout
    return "direct=no" if kind.strip() == "tmpfs" else "direct=yes"


def children(number: int) -> list[int]:
    return [int(c) for t in Path(f"/proc/{number}/task").glob("*/children") for c in t.read_text().split()]


def named(number: int, name: str) -> bool:
    try:
        return Path(f"/proc/{number}/comm").read_text().strip() == name
    except OSError:
        return False


def fios_of(number: int) -> list[int]:
    return [child for child in children(number) if named(child, "fio")]


def kill_fios_of(number: int) -> None:
    """Kill what is there, again and again: one that ends by itself at this moment was not killed."""
    for child in fios_of(number):
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)


# --- fio's own numbers ---


def test_our_numbers_are_those_that_fio_writes(shell: Shell, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fio in front of the real one keeps its documents; rows and repeats must be equal to the digit."""
    front, kept = place.parent / "bin", place.parent / "kept"
    front.mkdir()
    kept.mkdir()
    (front / "fio").write_text(KEEP.format(fio=FIO, folder=kept))
    (front / "fio").chmod(0o755)
    shell.environment["PATH"] = f"{front}:{os.environ['PATH']}"
    out = place.parent / "run"
    status, text, _ = shell(*ONE, f"path={place}", direct(place), "--out", str(out), "--json", "-")
    assert status in DONE
    run = load(out)
    (record,) = run.result.records
    assert record.program is not None
    raw = [json.loads(path.read_text()[path.read_text().index("{\n") :])["jobs"][0] for path in kept.glob("kept-*")]
    wrote = sorted(f"{job['read']['iops']:.6f} {job['write']['iops']:.6f}" for job in raw)
    ours = sorted(
        " ".join(f"{one.operations / one.seconds:.6f}" for one in repeat.moved) for repeat in record.program.repeats
    )
    assert ours == wrote
    blocks = run.blocks(record)
    rates = blocks["operations"] * 1e9 / (blocks["stop_ticks"] - blocks["start_ticks"])
    totals = sorted(job["read"]["iops"] + job["write"]["iops"] for job in raw)
    same = all(job["read"]["runtime"] == job["write"]["runtime"] for job in raw)
    assert sorted(rates) == pytest.approx(totals, rel=1e-6 if same else 0.05)
    rows = json.loads(text)["rows"]
    assert [row["part"] for row in rows] == ["both", "read", "write"]
    assert rows[0]["iops"] == pytest.approx(float(np.median(totals)), rel=1e-6)
    assert list(place.iterdir()) == []


def test_percentiles_are_those_of_fio(place: Path) -> None:
    """The session's bins, by our rule, against the list that fio computed of the same run."""
    documents: list[Document] = []
    session = Session()
    try:
        session.prepare(job(place, 4 << 20, f"direct={int(direct(place) == 'direct=yes')}"))
        real = fio.run

        def noted(*words: object) -> Document:
            documents.append(real(*words))  # type: ignore[arg-type]
            return documents[-1]

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(fio, "run", noted)
            session.measure(0.2, 0.0)
        _, bins = session.told()
    finally:
        session.close()
    for number, side in enumerate(documents[0].jobs[0].sides.values()):
        own = bins[bins["side"] == number]
        wanted = side.latency["total"].percentiles
        found = percentiles(own["nanoseconds"].astype(int), own["operations"].astype(int), list(wanted), tail=0)
        assert found == [round(value * 1e9) for value in wanted.values()]
        assert len(wanted) > 10


# --- the file, and every way to be stopped ---


def free_bytes(folder: Path) -> int:
    found = os.statvfs(folder)
    return found.f_bfree * found.f_frsize


def test_a_killed_fio_and_ctrl_c_keep_what_was_measured_and_no_file(shell: Shell, place: Path) -> None:
    out = place.parent / "run"
    words = [*SMALL, f"path={place}", direct(place), "blocks=4KiB", "mixes=read", "orders=random", "depths=1,2,3"]
    process = shell.start(*words, "--out", str(out))
    wait_for(lambda: records(out) >= 1)
    wait_for(lambda: kill_fios_of(process.pid) or process.poll() is not None)
    _, err = ended(process)
    assert process.returncode == 3, err
    assert "fio was killed by signal SIGKILL" in err
    assert "what was measured is kept, continue with: tierscope resume" in err
    first = load(out).result.records[0]
    process = shell.start("resume", str(out))
    wait_for(lambda: any("time_based" in _command(one) for one in fios_of(process.pid)))
    process.send_signal(signal.SIGINT)
    _, err = ended(process)
    assert process.returncode == 130, err
    assert "continue with: tierscope resume" in err
    assert list(place.iterdir()) == []
    assert shell("resume", str(out))[0] in DONE
    result = load(out).result
    assert result.complete
    assert len(result.records) == 3
    assert result.records[0] == first
    assert len(tables["storage"].rows(load(out))) == 3


def test_a_kill_leaves_neither_file_nor_fio(shell: Shell, place: Path) -> None:
    out = place.parent / "run"
    words = [*SMALL[:2], "size=64MiB", "repeat=60s", "ramp=0", "budget=120", "blocks=4KiB", "mixes=read"]
    process = shell.start(*words, f"path={place}", direct(place), "depths=1", "--out", str(out))
    wait_for(lambda: any("time_based" in _command(one) for one in fios_of(process.pid)))
    (running,) = fios_of(process.pid)
    process.kill()
    ended(process)
    wait_for(lambda: not named(running, "fio"))
    assert list(place.iterdir()) == []
    assert load(out).result.records == ()


def _command(number: int) -> str:
    try:
        return Path(f"/proc/{number}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def test_fio_as_a_neighbour_does_its_work_and_leaves_nothing(place: Path) -> None:
    line = neighbor_fio.line(str(place), 1 << 20, "psync")
    line = line if direct(place) == "direct=yes" else line.replace("--direct=1", "--direct=0")
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert len([text for text in done.stdout.splitlines() if text.startswith("3;fio-")]) == 2  # both jobs
    assert list(place.iterdir()) == []


# --- places ---


def job(folder: Path, size: int, words: str = "direct=0", name: str = "storage") -> tuple[Group, ...]:
    work = Workload(
        kernel="fio",
        footprint_bytes=size,
        work=JobWork(block_bytes=4096, order="random", arguments=f"rw=randread iodepth=4 ioengine=auto {words}"),
    )
    return (Group(workload=work, target=Target(name=name, where=str(folder), pages="4k"), team=Team(cpus=(0,))),)


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of 16 MiB in memory."""
    folder = tmp_path / "small"
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(folder)]
    if subprocess.run(words, check=False, capture_output=True).returncode:
        pytest.skip("may not mount")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def test_memory_is_not_used_as_storage_unless_requested(small: Path) -> None:
    session = Session()
    with pytest.raises(MachineError, match="refuses direct I/O .tmpfs keeps its files in memory."):
        session.prepare(job(small, 4 << 20, "direct=1"))
    session.prepare(job(small, 4 << 20))
    session.measure(0.1, 0.0)
    program, _ = session.told()
    assert (program.direct, program.file_system) == (False, "tmpfs")
    session.close()


def test_a_full_disk_is_reported_and_its_space_released(small: Path) -> None:
    """Blocks are reserved first, so that fio never meets the end; if others take them, fio reports it."""
    before = free_bytes(small)
    session = Session()
    with pytest.raises(MachineError, match="has no space for 20 MiB: No space left on device"):
        session.prepare(job(small, 20 << 20))
    assert free_bytes(small) == before
    handle = os.open(small / "sparse", os.O_CREAT | os.O_RDWR)
    os.truncate(handle, 20 << 20)
    place = Place(handle, 20 << 20, "tmpfs", "tmpfs")
    with pytest.raises(MachineError, match="the storage is full"):
        fio.run(find()[0], fill(place, "psync", direct=False), (handle,), 10)
    place.close()
    session.close()


@pytest.fixture
def loop(tmp_path: Path) -> Iterator[str]:
    """A block device of 16 MiB that is a file."""
    image = tmp_path / "image"
    with image.open("wb") as stream:
        stream.truncate(16 << 20)
    made = subprocess.run(["losetup", "-f", "--show", image], capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip("may not make loop devices")
    try:
        yield made.stdout.strip()
    finally:
        subprocess.run(["losetup", "-d", made.stdout.strip()], check=True)


def test_a_block_device_is_overwritten_only_when_it_is_unused(loop: str, tmp_path: Path) -> None:
    session = Session()
    (facts,) = session.prepare(job(Path(loop), 16 << 20, name="blockdev"))
    session.measure(0.1, 0.0)
    program, _ = session.told()
    assert (facts.target, program.source, program.file_system) == (f"blockdev:{loop}", loop, "")
    with pytest.raises(MachineError, match="cannot be opened alone: Device or resource busy"):
        Session().prepare(job(Path(loop), 16 << 20, name="blockdev"))
    session.close()
    assert Path(loop).read_bytes()[:4096] != bytes(4096)
    subprocess.run(["mkfs.ext4", "-q", "-F", loop], check=True)
    with pytest.raises(MachineError, match="contains an ext2, ext3 or ext4 file system"):
        session.prepare(job(Path(loop), 16 << 20, name="blockdev"))
    (tmp_path / "mnt").mkdir()
    subprocess.run(["mount", loop, tmp_path / "mnt"], check=True)
    try:
        with pytest.raises(MachineError, match="is mounted at .*mnt"):
            session.prepare(job(Path(loop), 16 << 20, name="blockdev"))
    finally:
        subprocess.run(["umount", tmp_path / "mnt"], check=True)
