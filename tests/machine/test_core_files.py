"""A file target leaves nothing behind, however it ends, and touches nothing that was there."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from border import CPUS, Talk, refused, run

MIB = 1 << 20


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


def group(path: Path, footprint: str = "4MiB") -> str:
    return f"kernel=add target=file:{path} cpus={CPUS[0]} footprint={footprint} pages=4k"


def test_a_file_is_measured_and_gone(folder: Path) -> None:
    with Talk() as talk:
        (facts,) = talk.prepare(group(folder / "x"))
        assert list(folder.iterdir()) == []
        assert talk.say("measure seconds=0.01")["rows"] > 0
        assert talk.say("check")["largest_relative_error"] == [0]
    assert list(folder.iterdir()) == []
    assert facts["target"] == f"file:{folder}/x"
    assert sum(facts["pages"].values()) >= facts["footprint_bytes"] == 4 * MIB // 192 * 192
    assert facts["nodes"] == {}
    assert "page cache" in facts["placement"]


def test_a_kill_leaves_no_file_and_gives_the_room_back(folder: Path) -> None:
    def room() -> int:
        return os.statvfs(folder).f_bfree * os.statvfs(folder).f_frsize

    with Talk() as talk:
        before = room()
        talk.prepare(group(folder / "x", "64MiB"))
        assert before - room() > 32 * MIB  # others write to this file system, too
        talk.process.kill()
        talk.process.wait()
        assert list(folder.iterdir()) == []
        assert before - room() < 32 * MIB


def test_a_file_that_exists_is_refused_and_left_as_it_was(folder: Path) -> None:
    mine = folder / "mine"
    mine.write_text("precious")
    before = mine.stat()
    status, message = refused(f"group {group(mine)}", "prepare")
    assert status == 3
    assert message == f"create {mine} (name a file that does not exist yet): File exists"
    assert mine.read_text() == "precious"
    assert (mine.stat().st_mtime_ns, mine.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def test_a_link_is_not_followed(folder: Path) -> None:
    (folder / "link").symlink_to(folder / "elsewhere")
    assert refused(f"group {group(folder / 'link')}", "prepare")[0] == 3
    assert not (folder / "elsewhere").exists()


def test_a_file_without_room_is_refused_and_gone(folder: Path) -> None:
    status, message = refused(f"group {group(folder / 'x', '1000TiB')}", "prepare")
    assert status == 3
    assert f"has no space at {folder}/x" in message
    assert "MiB free; use a smaller footprint or another file system" in message
    assert list(folder.iterdir()) == []


def test_a_file_where_none_can_be_is_refused(tmp_path: Path) -> None:
    status, message = refused(f"group {group(tmp_path / 'no/x')}", "prepare")
    assert status == 3
    assert message.endswith("No such file or directory")
    assert refused("group kernel=read target=file cpus=0 footprint=1MiB", "prepare")[0] == 2
    assert refused(f"group kernel=read target=file:{tmp_path}/x cpus=0 footprint=1MiB pages=2m", "prepare")[0] == 3


def test_a_session_continues_after_a_refusal(tmp_path: Path) -> None:
    lines = [f"group {group(tmp_path / 'no/x')}", "prepare", f"group {group(tmp_path / 'x')}", "prepare", "check"]
    status, facts = run(*lines)
    assert [fact["fact"] for fact in facts] == ["hello", "error", "prepared", "checked"]
    assert status == 3, "the first error gives the status"
