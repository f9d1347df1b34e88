"""Writers: what is replaced, what is written into, what is refused, and what a kill leaves."""

import errno
import fcntl
import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tierscope import files, stops
from tierscope.files import write_atomically, write_to

ROOT = os.geteuid() == 0
LEFT = ".tierscope-0123456789abcdef.part"


def a_device(folder: Path) -> Path:
    """A null device of our own, so that no fault of ours can reach that of the machine."""
    path = folder / "null"
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        path.write_bytes(b"probe")
    except PermissionError:
        pytest.skip("device nodes need root and a file system that serves them; run the tests as root")
    return path


def test_a_device_is_written_into_and_stays(tmp_path: Path) -> None:
    path = a_device(tmp_path)
    write_to(path, b"table,row\n")
    assert stat.S_ISCHR(path.lstat().st_mode)
    assert os.listdir(tmp_path) == ["null"]


@pytest.mark.parametrize("kind", ["device", "pipe"])
def test_a_name_of_ours_is_not_taken_from_a_device_or_a_pipe(tmp_path: Path, kind: str) -> None:
    path = a_device(tmp_path) if kind == "device" else tmp_path / "pipe"
    if kind == "pipe":
        os.mkfifo(path)
    with pytest.raises(OSError, match="a pipe, a device or a socket has this name") as caught:
        write_atomically(path, b"{}")
    assert caught.value.filename == str(path)
    assert not path.is_file()
    assert len(os.listdir(tmp_path)) == 1


def test_a_pipe_gets_what_is_written(tmp_path: Path) -> None:
    path, got = tmp_path / "pipe", []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: got.append(path.read_bytes()))
    reader.start()
    write_to(path, b"x" * 200_000)  # more than a pipe takes in one write
    reader.join()
    assert got == [b"x" * 200_000]
    assert path.is_fifo()


def test_the_target_of_a_link_is_written_and_the_link_stays(tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"a longer old text")
    (tmp_path / "link").symlink_to("there")
    write_to(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there").read_bytes() == b"new"
    (tmp_path / "dangling").symlink_to("made")
    write_to(tmp_path / "dangling", b"new")
    assert (tmp_path / "made").read_bytes() == b"new"


def test_a_link_in_the_place_of_a_file_of_ours_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"of somebody else")
    (tmp_path / "report.html").symlink_to("there")
    write_atomically(tmp_path / "report.html", b"new")
    assert not (tmp_path / "report.html").is_symlink()
    assert (tmp_path / "there").read_bytes() == b"of somebody else"


def test_a_block_device_keeps_what_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = a_device(tmp_path)
    monkeypatch.setattr(stat, "S_ISBLK", stat.S_ISCHR)  # a node for a disk of this machine is not made, not even here
    with pytest.raises(OSError, match="a block device would lose what it contains"):
        write_to(path, b"table,row\n")


def test_standard_output_by_its_name_is_appended_to(tmp_path: Path, root: Path) -> None:
    (tmp_path / "log").write_text("before\n")
    code = (
        "from pathlib import Path; from tierscope.files import write_to; print('first');"
        " write_to(Path('/dev/stdout'), b'second\\n')"
    )
    with (tmp_path / "log").open("ab") as log:
        environment = {**os.environ, "PYTHONPATH": str(root / "src")}
        subprocess.run([sys.executable, "-c", code], stdout=log, check=True, env=environment)
    assert (tmp_path / "log").read_text() == "before\nfirst\nsecond\n"


def test_leftovers_of_killed_writers_are_removed_and_those_of_live_ones_stay(tmp_path: Path) -> None:
    (tmp_path / LEFT).write_bytes(b"half")
    with (tmp_path / LEFT.replace("0", "f")).open("wb") as live:
        fcntl.flock(live, fcntl.LOCK_EX)
        (tmp_path / ".tierscope-notes.part").write_bytes(b"mine")
        write_atomically(tmp_path / "a", b"")
        names = sorted(os.listdir(tmp_path))
    assert names == [LEFT.replace("0", "f"), ".tierscope-notes.part", "a"]


def test_a_temporary_name_that_is_there_is_neither_followed_nor_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "victim").write_bytes(b"of somebody else")
    (tmp_path / LEFT).symlink_to("victim")
    monkeypatch.setattr("secrets.token_hex", lambda _: LEFT[11:27])
    with pytest.raises(FileExistsError):
        write_atomically(tmp_path / "a", b"new")
    assert (tmp_path / "victim").read_bytes() == b"of somebody else"


def test_the_folder_is_flushed_after_the_rename(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log: list[str] = []
    fsync, replace = os.fsync, os.replace

    def synced(handle: int) -> None:
        log.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        fsync(handle)

    def replaced(old: Path, new: Path) -> None:
        log.append("rename")
        replace(old, new)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    write_atomically(tmp_path / "a", b"")
    assert log == ["file", "rename", "folder"]


def test_a_folder_that_cannot_be_flushed_is_not_an_error_and_a_disk_that_fails_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = errno.EINVAL

    def refuse(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", refuse)
    write_atomically(tmp_path / "a", b"")
    number = errno.EIO
    with pytest.raises(OSError, match="Input/output error"):
        write_atomically(tmp_path / "a", b"")


def test_a_stop_waits_until_a_file_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fsync = os.fsync

    def stopped(handle: int) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        fsync(handle)

    monkeypatch.setattr(os, "fsync", stopped)
    with stops.heard(), pytest.raises(stops.Stop) as caught:
        write_atomically(tmp_path / "a", b"whole")
    assert stops.status_of(caught.value) == 128 + signal.SIGTERM
    assert (tmp_path / "a").read_bytes() == b"whole"
    assert os.listdir(tmp_path) == ["a"]


def test_ignored_signals_stay_ignored_and_handlers_are_restored() -> None:
    before = {number: signal.getsignal(number) for number in stops.SIGNALS}
    ignored = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stops.heard():
            os.kill(os.getpid(), signal.SIGHUP)
            with pytest.raises(stops.Stop):
                os.kill(os.getpid(), signal.SIGINT)
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, ignored)
    assert {number: signal.getsignal(number) for number in stops.SIGNALS} == before


def test_an_interruption_without_a_number_is_that_of_ctrl_c() -> None:
    assert stops.status_of(KeyboardInterrupt()) == 130
    assert stops.status_of(None) == 130


def test_a_stop_is_found_behind_the_error_it_became() -> None:
    try:
        try:
            raise stops.Stop(signal.SIGHUP)
        except KeyboardInterrupt as error:
            raise RuntimeError from error
    except RuntimeError as error:
        assert stops.status_of(error) == 129


def test_a_write_in_pieces_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(files.os, "write", lambda handle, data: write(handle, data[:3]))
    write_atomically(tmp_path / "a", b"0123456789")
    assert (tmp_path / "a").read_bytes() == b"0123456789"
