"""fio as a program: which is taken, what its failures mean, and that a session gives its numbers unchanged."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from fake_fio import DOCUMENT, FakeFio
from tierscope.errors import MachineError
from tierscope.fio import Session
from tierscope.fio import process as fio
from tierscope.fio.place import Place, file_system_of, in_folder
from tierscope.fio.program import find
from tierscope.host.system import System
from tierscope.record.experiment import Group, Target, Team, Workload
from tierscope.record.result import BLOCK
from tierscope.record.work.job import JobWork
from tierscope.units import KiB, MiB

RAW = json.loads(DOCUMENT.read_text())["jobs"][0]


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeFio:
    return FakeFio(tmp_path, monkeypatch)


def group(folder: Path, words: str = "rw=randrw iodepth=16 ioengine=auto direct=0", size: int = MiB) -> Group:
    job = JobWork(block_bytes=4 * KiB, order="random", arguments=words)
    work = Workload(kernel="fio", footprint_bytes=size, work=job)
    target = Target(name="storage", where=str(folder), pages="4k")
    return Group(workload=work, target=target, team=Team(cpus=(0,)), role="job")


# --- which fio ---


def test_without_fio_the_line_that_brings_it_is_named(fake: FakeFio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(fake.folder / "empty"))
    with pytest.raises(MachineError, match="not on PATH: sudo apt-get install -y fio"):
        Session()


@pytest.mark.parametrize(
    ("version", "why"),
    [
        ("fio-2.21", "is fio 2.21, and 3.30 or newer is needed"),
        ("fio-3.29", "is fio 3.29, and 3.30"),
        ("flexible I/O", "is not fio: it calls itself 'flexible I/O'"),
        ("", "is not fio"),
    ],
)
def test_an_old_fio_or_another_program_is_refused(fake: FakeFio, version: str, why: str) -> None:
    fake.put(version=f"'{version}'")
    with pytest.raises(MachineError, match=why):
        find()


@pytest.mark.parametrize("version", ["fio-3.30", "fio-3.42", "fio-4.0-12-gabc", "fio-3.100-dirty"])
def test_a_new_fio_is_taken(fake: FakeFio, version: str) -> None:
    fake.put(version=version)
    assert find() == (str(fake.folder / "fio"), version.removeprefix("fio-"))


# --- failures ---


@pytest.mark.parametrize(
    ("case", "why"),
    [
        ("*) kill -9 $$ ;;", "fio was killed by signal SIGKILL"),
        ("*) head -c 4000 '{document}'; kill -15 $$ ;;", "fio was killed by signal SIGTERM"),
        ("*) head -c 4000 '{document}'; exit 0 ;;", "fio wrote no JSON document of fio that ends too early"),
        ("*) echo 'fio: engine x not loadable' >&2; exit 1 ;;", "status 1: fio: engine x not loadable"),
        ("*) echo 'fio: io_u error: No space left on device' >&2; cat '{document}'; exit 1 ;;", "the storage is full"),
        ("*) echo hello; exit 0 ;;", "fio wrote no JSON document of fio: it begins with 'hello'"),
    ],
    ids=["killed", "killed midway", "cut", "engine", "disk full", "nonsense"],
)
def test_a_fio_that_fails_states_why(fake: FakeFio, case: str, why: str) -> None:
    fake.put(cases=[case.replace("{document}", str(fake.document))])
    with pytest.raises(MachineError) as caught:
        fio.run(str(fake.folder / "fio"), {"name": "x"}, (), 1)
    assert why in str(caught.value)


def test_a_fio_that_hangs_is_ended(fake: FakeFio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fio, "SLACK_S", 0.2)
    fake.put(cases=["*) exec sleep 60 ;;"])
    with pytest.raises(MachineError, match="did not end"):
        fio.run(str(fake.folder / "fio"), {"name": "x"}, (), 0.0)


def test_a_job_with_an_error_in_its_document_is_refused(fake: FakeFio) -> None:
    fake.document.write_text(DOCUMENT.read_text().replace('"error": 0', '"error": 5'))
    with pytest.raises(MachineError, match="try another engine"):
        fio.run(str(fake.folder / "fio"), {"name": "x"}, (), 1)


def test_warnings_in_front_of_the_document_are_kept(fake: FakeFio, tmp_path: Path) -> None:
    fake.document.write_text(f"fio: warning of something\n{DOCUMENT.read_text()}")
    session = Session()
    session.prepare((group(tmp_path),))
    session.measure(0.1, 0.0)
    program, _ = session.told()
    assert program.said == ("fio: warning of something",)
    session.close()


# --- the session ---


def test_numbers_are_those_of_fio(fake: FakeFio, tmp_path: Path) -> None:
    session = Session()
    (facts,) = session.prepare((group(tmp_path),))
    blocks = np.concatenate([session.measure(0.1, 0.0), session.measure(0.1, 0.0)])
    program, bins = session.told()
    assert blocks.dtype == BLOCK
    assert blocks["batch"].tolist() == [0, 1]
    assert blocks["operations"].tolist() == [RAW["read"]["total_ios"] + RAW["write"]["total_ios"]] * 2
    rates = blocks["operations"] * session.clock.hz / (blocks["stop_ticks"] - blocks["start_ticks"])
    assert rates[0] == pytest.approx(RAW["read"]["iops"] + RAW["write"]["iops"], rel=1e-9)
    assert len(program.repeats) == 2
    for moved in program.repeats[1].moved:
        own = RAW[moved.side]
        assert f"{moved.operations / moved.seconds:.6f}" == f"{own['iops']:.6f}"
        assert moved.bytes == own["io_bytes"]
        assert moved.latency_mean_s == pytest.approx(own["lat_ns"]["mean"] / 1e9)
        number = 0 if moved.side == "read" else 1
        mine = bins[(bins["side"] == number) & (bins["batch"] == 1)]
        found = {str(row["nanoseconds"]): int(row["operations"]) for row in mine}
        assert found == own["lat_ns"]["bins"]
    assert program.repeats[0].cpu_system == pytest.approx(RAW["sys_cpu"] / 100)
    assert session.check()[0] == 0.0
    assert facts.target == f"storage:{tmp_path}"
    assert (facts.kernel, facts.store) == ("fio", "plain")
    session.close()


def test_the_file_has_no_name_and_is_filled_once(fake: FakeFio, tmp_path: Path) -> None:
    place = tmp_path / "disk"
    place.mkdir()
    session = Session()
    for words in ("rw=randread iodepth=1 ioengine=auto direct=0", "rw=write iodepth=4 ioengine=auto direct=0"):
        session.prepare((group(place, words),))
        assert list(place.iterdir()) == []
        session.measure(0.1, 0.0)
    fills = [call for call in fake.calls if "--end_fsync=1" in call]
    assert len(fills) == 1
    files = {word for call in fake.calls for word in call.split() if word.startswith("--filename=/proc/self/fd/")}
    assert len(files) == 1
    session.close()
    session.close()


def test_the_first_engine_that_works_is_taken_and_why_not_the_others(fake: FakeFio, tmp_path: Path) -> None:
    fake.put(cases=["*ioengine=io_uring*) echo 'fio: io_uring: Operation not permitted' >&2; exit 1 ;;"])
    session = Session()
    session.prepare((group(tmp_path),))
    session.measure(0.1, 0.0)
    program, _ = session.told()
    assert (program.engine, program.threads) == ("libaio", 1)
    assert "Operation not permitted" in program.refused["io_uring"]
    session.close()


def test_an_engine_without_a_queue_gets_a_thread_for_each_operation(fake: FakeFio, tmp_path: Path) -> None:
    fake.put(cases=["*ioengine=io_uring*|*ioengine=libaio*) echo 'fio: not loadable' >&2; exit 1 ;;"])
    session = Session()
    session.prepare((group(tmp_path),))
    session.measure(0.1, 0.0)
    program, _ = session.told()
    assert (program.engine, program.threads, list(program.refused)) == ("psync", 16, ["io_uring", "libaio"])
    assert {"--iodepth=1", "--numjobs=16", "--group_reporting"} <= set(fake.calls[-1].split())
    session.close()


def test_a_queue_too_deep_for_threads_does_not_fall_back_to_them(fake: FakeFio, tmp_path: Path) -> None:
    fake.put(cases=["*ioengine=io_uring*|*ioengine=libaio*) echo 'fio: not loadable' >&2; exit 1 ;;"])
    session = Session()
    session.prepare((group(tmp_path, "rw=randread iodepth=256 ioengine=auto direct=0"),))
    with pytest.raises(MachineError, match=r"psync: a depth of 257 would be as many threads.*depths up to 256"):
        session.prepare((group(tmp_path, "rw=randread iodepth=257 ioengine=auto direct=0"),))
    session.close()


def test_without_any_engine_all_reasons_are_reported(fake: FakeFio, tmp_path: Path) -> None:
    fake.put(cases=["*) echo 'fio: no such engine' >&2; exit 1 ;;"])
    session = Session()
    with pytest.raises(MachineError, match=r"io_uring: .*no such engine.*libaio: .*psync: "):
        session.prepare((group(tmp_path),))
    with pytest.raises(MachineError, match="try engine=auto"):
        session.prepare((group(tmp_path, "rw=read ioengine=psync direct=0"),))
    session.close()


def test_repeats_differ_in_their_seed_alone(fake: FakeFio, tmp_path: Path) -> None:
    session = Session()
    session.prepare((group(tmp_path),))
    session.measure(0.1, 0.0)
    session.measure(0.1, 0.0)
    one, other = (set(call.split()) for call in fake.calls[-2:])
    assert {word.partition("=")[0] for word in one ^ other} == {"--randseed"}
    session.close()


def test_the_command_that_is_kept_names_a_file_that_a_person_has(fake: FakeFio, tmp_path: Path) -> None:
    session = Session()
    session.prepare((group(tmp_path),))
    session.measure(0.1, 0.0)
    program, _ = session.told()
    assert f"--filename={tmp_path}/FILE" in program.command
    assert "/proc/self" not in program.command
    session.close()


def test_a_repeat_in_which_nothing_was_done_is_an_error(fake: FakeFio, tmp_path: Path) -> None:
    session = Session()
    session.prepare((group(tmp_path),))
    fake.only(read=0, write=0)
    with pytest.raises(MachineError, match="give a longer repeat="):
        session.measure(0.1, 0.0)
    fake.document.write_text(DOCUMENT.read_text().replace('"runtime": 3', '"runtime": 0, "was": 3'))
    with pytest.raises(MachineError, match="give a longer repeat="):
        session.measure(0.1, 0.0)
    session.close()


# --- the place ---


def test_a_too_small_folder_is_reported_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(MachineError, match="has no space for"):
        in_folder(str(tmp_path), 1 << 60, System())
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(MachineError, match="no file can be made"):
        in_folder(str(tmp_path / "absent"), MiB, System())


def test_without_nameless_files_the_name_is_removed_immediately(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "O_TMPFILE", os.O_DIRECTORY)  # as on a file system that does not know it: EISDIR
    place = in_folder(str(tmp_path), MiB, System())
    assert list(tmp_path.iterdir()) == []
    assert os.fstat(place.handle).st_size == MiB
    place.close()


def test_files_in_memory_take_no_direct_io(tmp_path: Path) -> None:
    assert "keeps its files in memory" in Place(0, MiB, "tmpfs", "tmpfs").refuses_direct(4096)


def test_the_file_system_is_that_of_the_longest_mount(tmp_path: Path) -> None:
    table = "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 8:2 / /home rw - xfs /dev/sdb rw\n3 1 8:3 / /ho rw - btrfs x rw\n"
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/mountinfo").write_text(table)
    system = System(tmp_path)
    assert file_system_of("/home", system) == ("xfs", "/dev/sdb")
    assert file_system_of("/home/a/b", system) == ("xfs", "/dev/sdb")
    assert file_system_of("/homes", system) == ("ext4", "/dev/sda1")
    assert file_system_of("/home", System(tmp_path / "none")) == ("unknown", "unknown")
