"""Hosts by OpenSSH: one multiplexed connection per host, and the payload in a folder that is named by its checksum.

ssh checks host keys and chooses keys; it never asks here, since nobody answers for a thousand hosts. A name of a host
goes to ssh alone, as one word, and never to a shell. All that a shell there reads is made of our own words.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from shlex import quote

from tierscope.errors import MachineError, UsageError
from tierscope.fleet.engines import Done, Job, Turn, deadline, engines, in_threads
from tierscope.fleet.payload import CORE, Payload
from tierscope.fleet.payload.process import LATE, read_until
from tierscope.remote.address import SCHEME, destination
from tierscope.remote.channel import Channel
from tierscope.remote.connection import Connection, last_line

READY_S = 20.0  # within which a shell there begins and finds its folder
CHUNK = 1 << 16
FIND = """
user=$(id -u)
for place in "${{XDG_CACHE_HOME:-$HOME/.cache}}" "${{TMPDIR:-/tmp}}/tierscope-$user" "/dev/shm/tierscope-$user"; do
  own="$place/tierscope/{digest}"
  mkdir -p -- "$own" 2>/dev/null && chmod 700 "$own" 2>/dev/null && [ -O "$own" ] || continue
  [ -f "$own/room" ] || head -c {size} /dev/zero >"$own/room" 2>/dev/null || {{ rm -f "$own/room"; continue; }}
  rm -f "$own/room"
  printf 'folder %s\\n' "$own"
  cd "$own" && sha256sum {names} 2>/dev/null
  exit 0
done
printf 'full\\n'
"""


class Ssh:
    """Hosts of a file, by OpenSSH."""

    name = "ssh"
    summary = "hosts of a file by OpenSSH, one connection each; they need a shell, awk and sha256sum"

    def hosts(self, named: Sequence[str]) -> tuple[str, ...]:
        if not named:
            raise UsageError("--via ssh needs names; write one on each line of a file, and give --hosts FILE")
        for one in named:
            destination(SCHEME + one)
        return tuple(named)

    def address(self, host: str) -> str:
        return SCHEME + host

    def measure(self, job: Job, hosts: Sequence[str], done: Done) -> None:
        def one(host: str, turn: Turn) -> bytes:
            with _connected(host, job) as connection:
                folder = _copied(connection, job.payload)
                turn.ready()
                return _run(connection, folder, job)

        in_threads(job, hosts, one, done)


@contextmanager
def _connected(host: str, job: Job) -> Iterator[Connection]:
    """Yield a connection that ends at the deadline, whatever waits for it."""
    connection = Connection(SCHEME + host, batch=True)
    watch = threading.Timer(job.limit_s + 2 * READY_S, connection.close)
    watch.daemon = True
    watch.start()
    try:
        yield connection
    finally:
        watch.cancel()
        connection.close()


def _copied(connection: Connection, payload: Payload) -> str:
    """Return the folder there, with all files whole; those that are there are not sent again."""
    folder, there = _look(connection, payload)
    missing = [name for name, own in payload.sums.items() if there.get(name) != own]
    for name in missing:
        _send(connection, f"{folder}/{name}", payload.files[name])
    if missing:
        folder, there = _look(connection, payload)
        if broken := [name for name, own in payload.sums.items() if there.get(name) != own]:
            raise MachineError(f"the copy of {', '.join(broken)} in {folder} there is not whole; is its disk full?")
    return folder


def _look(connection: Connection, payload: Payload) -> tuple[str, dict[str, str]]:
    """Return the folder for the payload there, and the checksums of what it contains."""
    size = sum(map(len, payload.files.values()))
    script = FIND.format(digest=payload.digest, size=size, names=" ".join(map(quote, payload.files)))
    said = _ask(connection, script, READY_S).decode(errors="replace")
    lines = said.strip().splitlines()
    if "full" in lines[-1:]:
        raise MachineError(f"no folder there has {size} bytes of free space: disk full, or read-only; free some")
    start = next((n for n, line in enumerate(lines) if line.startswith("folder /")), None)
    if start is None:
        raise MachineError(f"its shell sent an unexpected answer: {last_line(said.encode())!r}")
    sums = (line.split() for line in lines[start + 1 :])
    return lines[start].removeprefix("folder "), {words[1]: words[0] for words in sums if len(words) == 2}


def _send(connection: Connection, path: str, content: bytes) -> None:
    mode = "700" if path.endswith(CORE) else "600"
    script = f"umask 077; cat > {quote(path)}.part && chmod {mode} {quote(path)}.part && mv -f {quote(path)}.part "
    channel = Channel(connection, f"exec sh -c {quote(script + quote(path))}", READY_S)
    try:
        for at in range(0, len(content), CHUNK):
            channel.send(content[at : at + CHUNK])
    except BrokenPipeError:
        pass  # it ended; its last output states the reason
    try:
        if channel.finish():
            raise MachineError(f"{path} there cannot be written: {last_line(channel.last_words())}")
    finally:
        channel.close()


def _run(connection: Connection, folder: str, job: Job) -> bytes:
    words = ["exec", "sh", f"{folder}/host.sh", folder, f"{job.limit_s:.0f}"]
    return _ask(connection, " ".join(map(quote, words)), deadline(job) - time.monotonic())


def _ask(connection: Connection, script: str, longest_s: float) -> bytes:
    """Return what a line for a shell there prints."""
    until = time.monotonic() + longest_s
    channel = Channel(connection, f"exec sh -c {quote(script)}", READY_S)
    try:
        assert channel.process.stdin is not None
        assert channel.process.stdout is not None
        channel.process.stdin.close()
        found = read_until(channel.process.stdout.fileno(), until)
        if not found:
            raise MachineError(f"the connection ended: {last_line(channel.last_words())}")
        return found
    except ValueError as error:
        raise MachineError(LATE) from error
    finally:
        channel.close()


engines.add(Ssh())
