"""Footprints on a path follow its free space, which is found before the run begins; absent paths are refused."""

from pathlib import Path

import msgspec
import pytest

from fake_core import HELD_IN, FakeCore, put_in_place
from made_machine import made_machine
from tierscope.errors import MachineError
from tierscope.host.persistent.facts import DaxDevice, Mount, Persistent
from tierscope.host.system import System
from tierscope.plans import suites
from tierscope.plans.options import own_options
from tierscope.record.experiment import Experiment, Group, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.record.result import load_manifest
from tierscope.record.work.line import LineWork
from tierscope.run import planned, start
from tierscope.run.expected import imagine
from tierscope.run.room import POOL_BYTES, with_rooms
from tierscope.units import GiB, KiB, MiB

SUITES = {
    "stream": {"threads": "1"},
    "latency": {"pages": "thp"},
    "loaded-latency": {"mixes": "read", "delays": "0"},
    "blocks": {"threads": "1"},
    "flush": {"chunks": "4KiB"},
}


class Disk(System):
    """A tree whose file systems have a room of their own."""

    def __init__(self, root: Path, room: int | None) -> None:
        super().__init__(root)
        self._room = room

    def room_bytes(self, folder: str) -> int | None:
        return self._room if self.is_folder(folder) else None


def machine(*, free: int = 20 * GiB, dax: dict[str, int] | None = None, direct: str = "") -> Machine:
    seen = Persistent(
        dax=tuple(DaxDevice(name=name, mode="devdax", size_bytes=size) for name, size in (dax or {}).items()),
        mounts=(Mount(device="pmem0", path=direct, file_system="ext4", dax="always"),) if direct else (),
    )
    return msgspec.structs.replace(made_machine(), state={"available_bytes": free}, persistent=seen)


def uses(word: str, source: str | None = None) -> list[Experiment]:
    group = Group(
        workload=Workload(kernel="copy", footprint_bytes=MiB, work=LineWork()),
        target=Target.parse(word), team=Team(cpus=(0,)),
        source=None if source is None else Target.parse(source),
    )  # fmt: skip
    return [Experiment(table="stream", groups=(group,))]


def rooms(on: Machine, root: Path, *words: str, room: int | None = 3 * GiB) -> dict[str, int]:
    (root / "mnt").mkdir(exist_ok=True)
    return with_rooms(on, uses(*words), HELD_IN, Disk(root, room)).rooms


def test_a_new_file_has_what_its_file_system_has_free(tmp_path: Path) -> None:
    assert rooms(machine(), tmp_path, "fsdax:/mnt/x") == {"fsdax:/mnt/x": 3 * GiB}
    assert rooms(machine(), tmp_path, "node:0", "file:/mnt/x") == {"file:/mnt/x": 3 * GiB}
    assert rooms(machine(), tmp_path, "pool:/mnt/x") == {"pool:/mnt/x": 3 * GiB - POOL_BYTES}
    assert rooms(machine(), tmp_path, "node:0") == {}


def test_jobs_through_the_page_cache_are_bounded_by_the_memory(tmp_path: Path) -> None:
    small = machine(free=GiB, direct="/mnt")
    assert rooms(small, tmp_path, "file:/mnt/x") == {"file:/mnt/x": GiB}
    assert rooms(machine(free=GiB), tmp_path, "pool:/mnt/x") == {"pool:/mnt/x": GiB}
    for word in ("fsdax:/mnt/x", "pool:/mnt/x"):  # DAX takes no memory
        assert rooms(small, tmp_path, word)[word] >= 3 * GiB - POOL_BYTES


def test_a_pool_that_is_there_has_its_size_and_a_set_that_of_its_parts(tmp_path: Path) -> None:
    (tmp_path / "mnt").mkdir()
    for name, size in (("a", 64 * MiB), ("b", 32 * MiB)):
        with (tmp_path / "mnt" / name).open("wb") as file:
            file.truncate(size)
    (tmp_path / "mnt/set").write_text("PMEMPOOLSET\n64M /mnt/a\n32M /mnt/b\nREPLICA\n96M /mnt/c\n")
    assert rooms(machine(), tmp_path, "pool:/mnt/a,open") == {"pool:/mnt/a,open": 64 * MiB - POOL_BYTES}
    assert rooms(machine(), tmp_path, "pool:/mnt/set,open") == {"pool:/mnt/set,open": 96 * MiB - POOL_BYTES}
    (tmp_path / "mnt/b").unlink()
    assert rooms(machine(), tmp_path, "pool:/mnt/set,open") == {}


def test_a_device_has_its_own_size(tmp_path: Path) -> None:
    for word in ("devdax:/dev/dax1.0", "devdax:/dev/dax1.0:overwrite"):
        assert rooms(machine(dax={"dax1.0": 62 * MiB}), tmp_path, word) == {word: 62 * MiB}
    assert rooms(machine(), tmp_path, "devdax:/dev/by-name/mine") == {}


def test_a_file_system_that_counts_no_blocks_has_the_memory(tmp_path: Path) -> None:
    assert rooms(machine(), tmp_path, "file:/mnt/x", room=None) == {}
    assert (System().room_bytes("/proc"), System().room_bytes("/no/such/place")) == (None, None)
    assert (System().room_bytes(str(tmp_path)) or 0) > 0


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("word", ["fsdax:/mnt/x", "devdax:/dev/dax1.0", "pool:/mnt/x", "file:/mnt/x"])
def test_no_footprint_is_larger_than_half_of_the_room(suite: str, word: str) -> None:
    small = msgspec.structs.replace(machine(), rooms={word: 96 * MiB})
    experiments = imagine(suites[suite].plan(small, suites[suite].read({"target": word, **SUITES[suite]})))
    for experiment in experiments:
        taken = {group.target.word: group.workload.footprint_bytes for group in experiment.groups}
        assert max(taken.values()) <= 48 * MiB
    assert f"half of the free space of {word}" in experiments[-1].note


def test_contention_and_neighbours_keep_to_the_room_too() -> None:
    small = msgspec.structs.replace(machine(), rooms={"file:/mnt/x": 96 * MiB})
    words = {"contention": {"b": "file:/mnt/x"}, "neighbors": {"aggressor": "copy", "aggressor_target": "file:/mnt/x"}}
    for suite, chosen in words.items():
        for experiment in imagine(suites[suite].plan(small, suites[suite].read(chosen))):
            there = [g.workload.footprint_bytes for g in experiment.groups if g.target.word == "file:/mnt/x"]
            assert sum(there) <= 48 * MiB
        assert "half of the free space of file:/mnt/x" in experiment.note


def test_more_room_than_memory_is_used_where_it_takes_no_memory() -> None:
    large = msgspec.structs.replace(machine(free=64 * MiB), rooms={"fsdax:/mnt/x": 100 * GiB})
    (experiment,) = imagine(suites["stream"].plan(large, suites["stream"].read(
        {"target": "fsdax:/mnt/x", "kernels": "copy", "threads": "1"})))[-1:]  # fmt: skip
    assert experiment.groups[0].workload.footprint_bytes > 64 * MiB


@pytest.mark.parametrize("suite", ["stream", "contention"])
@pytest.mark.parametrize("word", ["file:/no/where/x", "fsdax:/no/where/x", "pool:/no/x,open", "devdax:/dev/dax77.7"])
def test_a_path_that_is_not_there_is_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suite: str, word: str
) -> None:
    fake = put_in_place(FakeCore(), monkeypatch)
    options = suites[suite].read({"b" if suite == "contention" else "target": word})
    with pytest.raises(MachineError, match=f"target {word}: there is no (folder /no|dax77)"):
        start.begin(suite, options, "", ("tierscope",), tmp_path / "run")
    assert (list(tmp_path.iterdir()), fake.log) == ([], [])


def begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suite: str, room: int, **words: str) -> list[Experiment]:
    """The plan of a run on a machine with 1 GiB of free memory, and a file system or a device with `room`."""
    put_in_place(FakeCore(), monkeypatch)
    small = machine(free=GiB, dax={"dax1.0": room})
    monkeypatch.setattr(planned, "machine_for", lambda *_: small)
    monkeypatch.setattr(System, "room_bytes", lambda *_: room)
    return planned.imagined(suite, suites[suite].read(words), "")[1]


def test_a_file_of_storage_may_be_larger_than_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = begun(tmp_path, monkeypatch, "storage", 100 * GiB, path=str(tmp_path), size="30GiB")
    assert {experiment.groups[0].workload.footprint_bytes for experiment in found} == {30 * GiB}


def test_a_file_of_storage_is_limited_by_its_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MachineError, match="has 100 GiB, fewer than size=101 GiB"):
        begun(tmp_path, monkeypatch, "storage", 100 * GiB, path=str(tmp_path), size="101GiB")
    assert list(tmp_path.iterdir()) == []


def test_a_file_system_in_memory_is_limited_by_the_memory(tmp_path: Path) -> None:
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/mountinfo").write_text("1 0 0:1 / /mnt rw - tmpfs shm rw\n")
    assert rooms(machine(free=GiB), tmp_path, "storage:/mnt") == {"storage:/mnt": GiB}
    (tmp_path / "proc/self/mountinfo").write_text("1 0 0:1 / /mnt rw - ext4 /dev/vda rw\n")
    assert rooms(machine(free=GiB), tmp_path, "storage:/mnt") == {"storage:/mnt": 3 * GiB}


def test_the_content_of_a_device_is_known_before_its_strides_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = {"target": "devdax:/dev/dax1.0", "to": "1MiB"}  # 2048 lines at 1 MiB need 2 GiB: more than the memory
    assert begun(tmp_path, monkeypatch, "policy", 64 * GiB, **words)


@pytest.mark.parametrize("suite", list(suites))
def test_the_paths_that_options_name_are_those_of_the_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suite: str
) -> None:
    names = {option.name for option in own_options(suites[suite].options)}
    word = f"fsdax:{tmp_path}/x"
    chosen: dict[str, str] = {name: word for name in ("target", "aggressor_target", "a", "b") if name in names}
    if suite == "storage":
        chosen = {"path": str(tmp_path)}
    found = {
        target.word for target in suites[suite].read(chosen).named_targets() if target.where and target.name != "node"
    }
    assert found == ({word} if word in chosen.values() else {f"storage:{tmp_path}"} if suite == "storage" else set())


def test_the_room_is_kept_so_that_a_resumed_run_has_the_same_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_in_place(FakeCore(), monkeypatch)
    word = f"file:{tmp_path}/x"
    _, manifest = start.begin("stream", suites["stream"].read({"target": word}), "", ("t",), tmp_path / "run")
    assert load_manifest(tmp_path / "run").machine.rooms.keys() == {word}
    assert imagine(planned.plan_of(manifest)()) == imagine(planned.plan_of(load_manifest(tmp_path / "run"))())


def test_a_mount_point_counts_as_a_folder_in_a_recorded_tree(tmp_path: Path) -> None:
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/mounts").write_text("/dev/pmem3 /mnt/far ext4 rw 0 0\n")
    assert with_rooms(machine(), uses("fsdax:/mnt/far/x"), HELD_IN, System(tmp_path)).rooms == {}
    with pytest.raises(MachineError, match="there is no folder /mnt/farther"):
        with_rooms(machine(), uses("fsdax:/mnt/farther/x"), HELD_IN, System(tmp_path))


def test_a_footprint_of_some_kib_is_none_of_ours(tmp_path: Path) -> None:
    """A room that is nearly full still gives a plan; the core refuses what does not fit."""
    full = msgspec.structs.replace(machine(), rooms={"file:/mnt/x": 4 * KiB})
    options = suites["stream"].read({"target": "file:/mnt/x", "kernels": "copy", "threads": "1"})
    assert imagine(suites["stream"].plan(full, options))
