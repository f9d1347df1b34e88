"""Runs from their words: what is written first, what is kept, what is removed again."""

import errno
import fcntl
import json
import os
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from fake_core import FakeCore, made_topology, put_in_place
from made_machine import made_machine
from tierscope import core
from tierscope.errors import MachineError, ResultError, UsageError
from tierscope.plans import suites
from tierscope.record.result import load, load_manifest, save_manifest, save_result
from tierscope.run import planned, start
from tierscope.run.expected import imagine
from tierscope.run.owned import release
from tierscope.run.place import new_directory

SMALL = {"kernels": "triad", "threads": "1,2", "array": "64MiB"}


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeCore:
    return put_in_place(FakeCore(), monkeypatch)


def begin(out: Path | None, suite: str = "stream", **words: str) -> Path:
    options = suites[suite].read(words or SMALL)
    directory, _ = start.begin(suite, options, "", ("tierscope", "run", suite), out)
    return directory


def test_a_run_begins_with_a_manifest_and_an_empty_result(fake: FakeCore, tmp_path: Path) -> None:
    directory = begin(tmp_path / "a/b")
    assert directory == tmp_path / "a/b"
    manifest = load_manifest(directory)
    assert manifest.suite == "stream"
    assert manifest.options["kernels"] == "triad"
    assert load(directory).result.records == ()
    assert fake.log == []


def test_a_place_is_chosen_below_runs(fake: FakeCore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first = begin(None)
    assert first.parent == Path("runs")
    assert "-stream-" in first.name


def test_runs_of_one_second_are_numbered(tmp_path: Path) -> None:
    now = datetime(2026, 11, 20, 23, 46, 1, tzinfo=UTC)
    names = [new_directory(tmp_path, "quick", "host", now).name for _ in range(3)]
    stem = "2026-11-20T234601-quick-host"
    assert names == [stem, f"{stem}-1", f"{stem}-2"]


def test_a_directory_with_content_is_not_taken(fake: FakeCore, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="is not empty; name a new directory, or continue it with `tierscope resume"):
        begin(tmp_path)
    assert os.listdir(tmp_path) == ["notes.txt"]


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_place_that_cannot_be_made(fake: FakeCore, tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MachineError, match="cannot create .*; choose another place with --out"):
        begin(tmp_path / place)


@pytest.mark.parametrize("name", [b"na\xefve", b"two\nlines"])
def test_a_name_that_is_not_text_is_refused(fake: FakeCore, tmp_path: Path, name: bytes) -> None:
    with pytest.raises(UsageError, match="contains bytes that are not text"):
        begin(tmp_path / os.fsdecode(name))
    assert os.listdir(tmp_path) == []


def test_wrong_options_are_reported_before_anything_is_written(fake: FakeCore, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="threads=7"):
        begin(tmp_path / "run", threads="7", array="64MiB")
    assert os.listdir(tmp_path) == []


def test_a_run_is_executed_to_its_end(fake: FakeCore, tmp_path: Path) -> None:
    directory = begin(tmp_path / "run")
    result = start.execute(directory, load_manifest(directory))
    assert result.complete
    assert [record.experiment.labels["threads"] for record in result.records] == [1, 2]
    assert load(directory).result == result


def test_a_complete_run_is_not_changed(fake: FakeCore, tmp_path: Path) -> None:
    """Even where a later version plans it otherwise."""
    directory = begin(tmp_path / "run")
    result = start.execute(directory, load_manifest(directory))
    manifest = load_manifest(directory)
    save_manifest(directory, msgspec.structs.replace(manifest, options={**manifest.options, "kernels": "copy"}))
    fake.log.clear()
    assert start.resume(directory) == result
    assert fake.log == []


def test_a_run_continues_where_it_was_stopped(fake: FakeCore, tmp_path: Path) -> None:
    directory = begin(tmp_path / "run")
    whole = start.execute(directory, load_manifest(directory))
    save_result(directory, msgspec.structs.replace(whole, records=whole.records[:1], visits=(), complete=False))
    fake.log.clear()
    again = start.resume(directory)
    assert len(again.records) == 2
    assert fake.log.count("check") == 1 + len(again.visits)
    assert [visit.number for visit in again.visits] == [visit.number for visit in whole.visits]


def test_a_run_without_a_result_yet_continues(fake: FakeCore, tmp_path: Path) -> None:
    directory = begin(tmp_path / "run")
    (directory / "result.json").unlink()
    assert len(start.resume(directory).records) == 2


def test_a_damaged_result_is_not_overwritten(fake: FakeCore, tmp_path: Path) -> None:
    directory = begin(tmp_path / "run")
    (directory / "result.json").write_bytes(b'{"schema":')
    with pytest.raises(ResultError, match="is damaged"):
        start.resume(directory)
    assert (directory / "result.json").read_bytes() == b'{"schema":'


def test_another_machine_is_refused_with_what_differs(
    fake: FakeCore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = begin(tmp_path / "run")
    monkeypatch.setattr(core, "topology", lambda: {**made_topology(), "model": "Other Processor"})
    with pytest.raises(UsageError, match="differs in model; .*tierscope rerun"):
        start.resume(directory)


def test_fewer_allowed_cpus_are_another_machine(
    fake: FakeCore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = begin(tmp_path / "run")
    cpus = [dict(cpu, allowed=cpu["number"] == 0) for cpu in made_topology()["cpus"]]
    monkeypatch.setattr(core, "topology", lambda: {**made_topology(), "cpus": cpus})
    with pytest.raises(UsageError, match="differs in cpus"):
        start.resume(directory)


def test_two_processes_do_not_write_one_run(fake: FakeCore, tmp_path: Path) -> None:
    directory = begin(tmp_path / "run")
    release(directory)
    handle = os.open(directory, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    with pytest.raises(UsageError, match="is being written by another tierscope"):
        start.resume(directory)
    os.close(handle)
    assert start.resume(directory).complete


def test_a_manifest_of_an_unknown_suite(fake: FakeCore, tmp_path: Path) -> None:
    directory = begin(tmp_path / "run")
    save_manifest(directory, msgspec.structs.replace(load_manifest(directory), suite="streamx"))
    with pytest.raises(UsageError, match="unknown suite 'streamx'; did you mean stream"):
        start.resume(directory)


def test_a_manifest_with_a_wrong_option(fake: FakeCore, tmp_path: Path) -> None:
    directory = begin(tmp_path / "run")
    manifest = json.loads((directory / "manifest.json").read_bytes())
    manifest["options"]["precision"] = "very"
    (directory / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ResultError, match="the manifest's options are damaged: precision=very"):
        start.resume(directory)


def test_the_result_contains_what_a_machine_cannot_do(
    fake: FakeCore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core, "topology", lambda: made_topology(made_machine(1)))
    directory = begin(tmp_path / "run", "quick", limit="5")
    (warning,) = load(directory).result.warnings
    assert warning.code == "left_out"
    assert "it needs two CPUs" in warning.message


def test_a_run_without_a_record_can_be_removed_again(fake: FakeCore, tmp_path: Path) -> None:
    directory = begin(tmp_path / "run")
    (directory / "samples").mkdir()
    (directory / "samples/0000.parquet").write_bytes(b"")
    assert start.drop_if_empty(directory)
    assert os.listdir(tmp_path) == []


def test_a_run_with_a_record_is_kept(fake: FakeCore, tmp_path: Path) -> None:
    directory = begin(tmp_path / "run")
    start.execute(directory, load_manifest(directory))
    assert not start.drop_if_empty(directory)
    assert load(directory).result.complete


def test_files_of_others_are_not_removed(fake: FakeCore, tmp_path: Path) -> None:
    directory = begin(tmp_path / "run")
    (directory / "notes.txt").write_text("mine")
    assert start.drop_if_empty(directory)
    assert os.listdir(directory) == ["notes.txt"]


def test_a_damaged_run_is_not_removed(fake: FakeCore, tmp_path: Path) -> None:
    directory = begin(tmp_path / "run")
    (directory / "result.json").write_bytes(b"{")
    assert not start.drop_if_empty(directory)
    assert len(os.listdir(directory)) == 2


def test_the_command_is_kept_as_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["/x/tierscope", "run", "quick", os.fsdecode(b"na\xefve")])
    assert start.command_line() == ("tierscope", "run", "quick", "na\\xefve")


def test_a_directory_that_may_not_be_written(fake: FakeCore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, *_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(self))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(MachineError, match="cannot create .*: Permission denied; choose another place with --out"):
        begin(tmp_path / "run")
    with pytest.raises(MachineError, match="cannot create .*: Permission denied; choose another place with --out"):
        begin(None)


@pytest.mark.parametrize("name", ["../../escaped", "/escaped", "a\x1b[2J\u202eb", "..", "", "x" * 300, "a/b"])
def test_a_name_of_a_foreign_run_does_not_leave_the_folder(tmp_path: Path, name: str) -> None:
    path = start.new_directory(tmp_path / "runs", name, name, datetime.now(UTC))
    assert path.parent == tmp_path / "runs"
    assert path.name.isprintable()
    assert [one.name for one in tmp_path.iterdir()] == ["runs"]


TEMPORARY = ".tierscope-0123456789abcdef.part"


def test_a_folder_of_a_run_that_was_killed_before_its_manifest_is_taken_again(fake: FakeCore, tmp_path: Path) -> None:
    place = tmp_path / "run"
    place.mkdir()
    for name in (TEMPORARY, ".manifest.json.4711"):  # the second as earlier versions named them
        (place / name).write_bytes(b"half")
    with pytest.raises(ResultError, match=r"has no run: .* begin with `tierscope run SUITE --out "):
        start.resume(place)
    assert sorted(os.listdir(begin(place))) == ["manifest.json", "result.json"]


def test_leftovers_in_a_run_are_removed_when_it_continues(fake: FakeCore, tmp_path: Path) -> None:
    directory = begin(tmp_path / "run")
    (directory / "samples").mkdir()
    left = (TEMPORARY, f"samples/{TEMPORARY}", ".result.json.12", "samples/.0000.parquet.part")
    for name in left:
        (directory / name).write_bytes(b"half")
    release(directory)
    start.resume(directory)
    assert not any((directory / name).exists() for name in left)


def test_the_second_of_two_starts_in_one_folder_leaves_the_first_alone(fake: FakeCore, tmp_path: Path) -> None:
    directory = begin(tmp_path / "run")
    release(directory)
    handle = os.open(directory, os.O_RDONLY)  # the first, which has its manifest and no record yet
    fcntl.flock(handle, fcntl.LOCK_EX)
    with pytest.raises(UsageError, match="is being written by another tierscope; wait for it, or name another"):
        begin(directory)
    assert not start.drop_if_empty(directory)
    assert sorted(os.listdir(directory)) == ["manifest.json", "result.json"]
    os.close(handle)


def test_a_start_that_cannot_write_leaves_nothing(
    fake: FakeCore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(directory: Path, result: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(directory / "result.json"))

    monkeypatch.setattr(start, "save_result", full)
    with pytest.raises(MachineError, match=r"cannot write .*result.json: No space left on device; choose another"):
        begin(tmp_path / "run")
    assert os.listdir(tmp_path) == []


def test_folders_that_killed_starts_left_below_runs_are_removed(
    fake: FakeCore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("2026-01-02T030405-quick-host", "2026-01-02T030406-quick-host", "mine"):
        (tmp_path / "runs" / name).mkdir(parents=True)
    (tmp_path / "runs/2026-01-02T030405-quick-host" / TEMPORARY).write_bytes(b"half")
    (tmp_path / "runs/2026-01-02T030406-quick-host/notes.txt").write_bytes(b"mine")
    first, second = begin(None), begin(None)
    assert sorted(os.listdir("runs")) == sorted(["2026-01-02T030406-quick-host", "mine", first.name, second.name])


def test_a_lock_is_kept_from_the_start_to_the_end_of_a_run(fake: FakeCore, tmp_path: Path) -> None:
    directory = begin(tmp_path / "run")
    handle = os.open(directory, os.O_RDONLY)
    with pytest.raises(BlockingIOError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    start.execute(directory, load_manifest(directory))
    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(handle)


def test_a_run_of_a_version_that_kept_no_kernels_gets_those_of_the_build(fake: FakeCore, tmp_path: Path) -> None:
    manifest = load_manifest(begin(tmp_path / "run", kernels="read,triad", array="64MiB"))
    assert manifest.machine.kernels["triad"].arrays == 3
    old = msgspec.structs.replace(manifest, machine=msgspec.structs.replace(manifest.machine, kernels={}))
    plans = [imagine(planned.plan_of(one)()) for one in (manifest, old)]
    assert plans[0] == plans[1] != []
