"""A pool target leaves nothing behind, refuses foreign files, and does not change the content of a pool.

Needs libpmemobj, no persistent memory. Pools are made and read by libpmemobj itself, as another program would.
"""

import ctypes
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from border import CPUS, Talk, refused, run
from made import one_group
from tierscope import core
from tierscope.errors import MachineError
from tierscope.record.experiment import Target

MIB = 1 << 20
WORD = b"precious"


class Library:
    """libpmemobj, as little of it as it takes to make a pool with one word in its root."""

    class Oid(ctypes.Structure):
        _fields_ = (("pool", ctypes.c_uint64), ("offset", ctypes.c_uint64))

    def __init__(self) -> None:
        self._so = ctypes.CDLL("libpmemobj.so.1")
        for name in ("create", "open"):
            getattr(self._so, f"pmemobj_{name}").restype = ctypes.c_void_p
        self._so.pmemobj_root.restype = self.Oid
        off = ctypes.c_int(0)
        self._so.pmemobj_ctl_set(None, b"sds.at_create", ctypes.byref(off))

    def make(self, path: Path, layout: str = "tierscope", size: int = 32 * MIB) -> Path:
        name = str(path).encode()
        self._with(self._so.pmemobj_create(name, layout.encode(), ctypes.c_size_t(size), 0o600), WORD)
        return path

    def word(self, path: Path) -> bytes:
        """The word in the root of a pool that libpmemobj finds consistent."""
        name = str(path).encode()
        assert self._so.pmemobj_check(name, b"tierscope") == 1
        return self._with(self._so.pmemobj_open(name, b"tierscope"), None)

    def _with(self, pool: int | None, word: bytes | None) -> bytes:
        assert pool
        root = self._so.pmemobj_root(ctypes.c_void_p(pool), ctypes.c_size_t(64))
        at = pool + root.offset
        if word is not None:
            ctypes.memmove(at, word, len(word))
            self._so.pmemobj_persist(ctypes.c_void_p(pool), ctypes.c_void_p(at), ctypes.c_size_t(64))
        found = ctypes.string_at(at)
        self._so.pmemobj_close(ctypes.c_void_p(pool))
        return found


@pytest.fixture(autouse=True)
def linked(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The core with libpmemobj stands for the core, also for those that talk to it by hand.

    In a build with sanitizers, leaks of the library are its own: PMDK 1.12 loses 8 MB when a pool cannot be opened.
    """
    try:
        found = core.find_pool_core()
    except MachineError as error:
        pytest.skip(str(error))
    monkeypatch.setenv("TIERSCOPE_CORE", str(found))
    leaks = tmp_path_factory.mktemp("sanitizer") / "leaks"
    leaks.write_text("leak:libpmemobj\n")
    monkeypatch.setenv("LSAN_OPTIONS", f"suppressions={leaks}:print_suppressions=0")
    return found


@pytest.fixture
def library() -> Library:
    return Library()


@pytest.fixture(params=["disk", "tmpfs"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """On the file system of temporary files, and on one that is memory."""
    if request.param == "disk":
        yield tmp_path
        return
    if "/dev/shm tmpfs" not in Path("/proc/mounts").read_text():
        pytest.skip("no tmpfs at /dev/shm")
    with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="tierscope-test-") as name:
        yield Path(name)


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Mounts a tmpfs with options; skips where that is not allowed."""
    places: list[Path] = []

    def mount(options: str) -> Path:
        place = tmp_path / f"mount{len(places)}"
        place.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
        if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode != 0:
            pytest.skip("this process may not mount; run the tests as root")
        places.append(place)
        return place

    yield mount
    for place in places:
        subprocess.run(["umount", place], check=True)


def group(where: Path | str, footprint: str = "4MiB") -> str:
    return f"kernel=add target=pool:{where} cpus={CPUS[0]} footprint={footprint} pages=4k"


def refusal(where: Path | str, footprint: str = "4MiB") -> str:
    status, message = refused(f"group {group(where, footprint)}", "prepare")
    assert status == 3
    return message


def room(folder: Path) -> int:
    return os.statvfs(folder).f_bfree * os.statvfs(folder).f_frsize


def test_a_pool_is_measured_and_gone(folder: Path) -> None:
    with Talk() as talk:
        (facts,) = talk.prepare(group(folder / "x"))
        assert list(folder.iterdir()) == []
        assert talk.say("measure seconds=0.01")["rows"] > 0
        assert talk.say("check")["largest_relative_error"] == [0]
    assert facts["target"] == f"pool:{folder}/x"
    assert sum(facts["pages"].values()) >= facts["footprint_bytes"] == 4 * MIB // 192 * 192
    assert "libpmemobj" in facts["placement"]
    assert facts["persistence"] in ("none", "msync")
    assert facts["persistence_how"].startswith("pmem_is_pmem returned 0")


def test_a_kill_leaves_no_pool_and_gives_the_room_back(folder: Path) -> None:
    with Talk() as talk:
        before = room(folder)
        talk.prepare(group(folder / "x", "64MiB"))
        assert before - room(folder) > 32 * MIB  # others write to this file system, too
        talk.process.kill()
        talk.process.wait()
        assert list(folder.iterdir()) == []
        assert before - room(folder) < 32 * MIB


def test_forced_persistence_is_called_forced(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PMEM_IS_PMEM_FORCE", "1")
    with Talk() as talk:
        (facts,) = talk.prepare(group(folder / "x"))
    assert facts["persistence"] in ("adr", "eadr")
    assert "pmem_is_pmem returned 1, forced by PMEM_IS_PMEM_FORCE" in facts["persistence_how"]


def test_an_existing_file_is_refused_and_unchanged(folder: Path) -> None:
    mine = folder / "mine"
    mine.write_text("precious")
    assert f"create {mine} (name a file that does not exist yet)" in refusal(mine)
    assert f"open pool {mine}: it has 8 bytes, and the smallest pool 8 MiB" in refusal(f"{mine},open")
    assert mine.read_text() == "precious"
    assert list(folder.iterdir()) == [mine]


@pytest.mark.parametrize(
    ("layout", "cut", "why"),
    [
        ("other", 32 * MIB, 'wrong layout ("tierscope"), pool created with layout "other"'),
        ("tierscope", 16 * MIB, "pool initialization failed"),
        ("tierscope", 3 * MIB, "it has 3145728 bytes"),
        ("tierscope", 0, "it has 0 bytes"),
    ],
)
def test_a_pool_of_others_or_cut_short_is_refused(
    tmp_path: Path, library: Library, layout: str, cut: int, why: str
) -> None:
    pool = library.make(tmp_path / "pool", layout)
    os.truncate(pool, cut)
    message = refusal(f"{pool},open")
    assert f"open pool {pool}: {why}" in message
    assert "pmempool create obj --layout=tierscope" in message


def test_a_pool_that_is_open_elsewhere_is_refused(tmp_path: Path, library: Library) -> None:
    pool = library.make(tmp_path / "pool")
    with Talk() as talk:
        talk.prepare(group(f"{pool},open"))
        assert f"open pool {pool}: " in refusal(f"{pool},open")


def test_an_opened_pool_keeps_its_content(folder: Path, library: Library) -> None:
    """Two groups on it at the same time, and a kill."""
    pool = library.make(folder / "pool")
    status, facts = run(f"group {group(f'{pool},open')}")
    assert (status, facts[-1]["largest_relative_error"]) == (0, [0])
    assert library.word(pool) == WORD
    with Talk() as talk:
        both = talk.prepare(group(f"{pool},open"), group(f"{pool},open").replace("add", "read"))
        assert [fact["target"] for fact in both] == [f"pool:{pool},open"] * 2
        talk.say("measure seconds=0.01 groups=0")
        talk.process.kill()
        talk.process.wait()
    assert library.word(pool) == WORD
    assert f"pool {pool} has no space for an object of 66 MiB" in refusal(f"{pool},open", "64MiB")


def test_a_file_system_that_is_full_or_read_only_is_refused(mounted: Callable[[str], Path]) -> None:
    small, closed = mounted("size=16m"), mounted("ro")
    assert f" has no space at {small}/x: 16 MiB free" in refusal(small / "x", "32MiB")
    assert "mounted read-only" in refusal(closed / "x")
    assert [*small.iterdir(), *closed.iterdir()] == []


def test_a_session_continues_with_the_linked_core(folder: Path, linked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIERSCOPE_CORE", str(linked.with_name(linked.name.removesuffix(core.LINKED))))
    plain = one_group("add", (CPUS[0],), 1 * MIB, pages="4k")
    pooled = [
        type(plain)(
            workload=plain.workload, team=plain.team, target=Target.parse(f"pool:{folder}/x", "4k"), source=source
        )
        for source in (None, Target.parse("node:0", "4k"))
    ]
    with core.Session() as session:
        for one, target in ((plain, "node:0"), *((each, f"pool:{folder}/x") for each in pooled), (plain, "node:0")):
            (facts,) = session.prepare([one])
            assert facts.target == target
            assert len(session.measure(0.01, 1e-3)) > 0
            assert session.check()[0] == 0
    assert list(folder.iterdir()) == []
