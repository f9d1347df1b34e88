"""Memory that is gone while the core works on it: an error with its place and status 3, and the session continues."""

import os
import re
from pathlib import Path

import pytest

from border import CPUS, Talk, refused

CPU = CPUS[0]


def cut(pid: int, name: str, size: int) -> None:
    """Shortens a file that a process has mapped and whose name is gone; skips where that is forbidden."""
    maps = Path(f"/proc/{pid}/maps").read_text()
    (place,) = re.findall(rf"^(\S+) .*/{name} \(deleted\)$", maps, flags=re.MULTILINE)
    try:
        os.truncate(f"/proc/{pid}/map_files/{place}", size)
    except PermissionError as error:
        pytest.skip(f"a mapped file cannot be cut here: {error}")


@pytest.mark.parametrize("command", ["measure seconds=20ms block=1ms", "check"])
def test_a_file_that_is_cut_is_an_error_with_its_place(tmp_path: Path, command: str) -> None:
    with Talk() as talk:
        talk.prepare(f"kernel=read target=file:{tmp_path}/precious cpus={CPU} footprint=4MiB")
        talk.say("measure seconds=5ms block=1ms")
        cut(talk.process.pid, "precious", 8192)
        fact = talk.say(command)
        assert fact["kind"] == "Fault", fact
        place = re.fullmatch(r"target file:\S+: byte (\d+) of its 4194304 cannot be read .*", fact["message"])
        assert place, fact
        assert int(place[1]) >= 8192
        talk.prepare(f"kernel=read target=node:0 cpus={CPU} footprint=1MiB")
        assert talk.say("measure seconds=5ms block=1ms")["fact"] == "measured"
        talk.process.communicate("")  # the end of its plan
        assert talk.process.returncode == 3


def test_memory_of_the_system_is_not_taken_for_persistent() -> None:
    shared = Path("/dev/shm/tierscope-no-dax")
    status, message = refused(f"group kernel=read target=fsdax:{shared} cpus={CPU} footprint=1MiB", "prepare")
    assert status == 3
    assert f"target=file:{shared}" in message
    assert not shared.exists()
