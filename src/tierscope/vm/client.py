"""Stands for `ssh`: connects standard input, output and error with a shell inside a virtual machine.

    python client.py PORT

Ends with the status of the shell; 255 where the machine does not answer or a signal ended the process inside, as ssh
does. A machine that is silent is asked for a sign of life. It needs only Python's own library, so it starts fast.
"""

import os
import secrets
import select
import socket
import sys
import threading
import time

LOST = 255
SIGNALED = 128  # a shell's status of a process that a signal ended is this and more
SILENT_S = 30.0  # after which a sign of life is asked for
HALF_S = 1.0  # the same, once one of two streams has ended: a connection that was reset may end like one that is done
ALIVE_S = 60.0  # for the answer; an emulated machine on a busy host takes its time
CHUNK = 1 << 16


def connect(port: int, line: str, patience_s: float | None = None) -> socket.socket:
    """Return the connection of a service inside that runs a line of shell. patience_s: of each step, None for ever."""
    link = socket.create_connection(("127.0.0.1", port), timeout=ALIVE_S)
    link.sendall(line.encode() + b"\n")
    link.settimeout(patience_s)
    return link


def answers(port: int) -> bool:
    """Return whether the machine runs a line of shell in time."""
    try:
        with connect(port, "echo alive", ALIVE_S) as link:
            return link.recv(CHUNK).startswith(b"alive")
    except OSError:
        return False


def copy_in(link: socket.socket) -> None:
    """Pass standard input on as it comes, then its end."""
    try:
        while part := os.read(0, CHUNK):
            link.sendall(part)
        link.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # the connection is gone, which its reader finds, too


def copy_out(port: int, streams: dict[socket.socket, int]) -> bool:
    """Pass what comes on to descriptors until all streams end; False where the machine is lost."""
    heard, patience_s = time.monotonic(), SILENT_S
    while streams:
        ready, _, _ = select.select(list(streams), [], [], patience_s)
        if not ready and time.monotonic() - heard >= patience_s:
            if not answers(port):
                os.write(2, b"the virtual machine does not answer\n")
                return False
            heard, patience_s = time.monotonic(), SILENT_S
        for link in ready:
            try:
                part = link.recv(CHUNK)
            except OSError as error:
                os.write(2, f"the virtual machine does not answer: {error}\n".encode())
                return False
            if not part:
                del streams[link]
                patience_s = HALF_S
            while part:
                part = part[os.write(streams[link], part) :]
            heard = time.monotonic()
    return True


def main(port: int) -> int:
    """Return the status of the shell inside."""
    name = secrets.token_hex(8)
    pipe = f"/tmp/errors.{name}"  # noqa: S108 (inside)
    try:
        errors = connect(port, f"mkfifo {pipe} && exec cat {pipe}")
        shell = connect(port, f"exec /session {name}")
    except OSError as error:
        os.write(2, f"the virtual machine does not answer: {error}\n".encode())
        return LOST
    threading.Thread(target=copy_in, args=(shell,), daemon=True).start()
    if not copy_out(port, {shell: 1, errors: 2}):
        return LOST
    try:
        with connect(port, f"cat /tmp/status.{name}; rm -f /tmp/status.{name} {pipe}", ALIVE_S) as link:
            status = int(link.makefile("rb").read().split(b"\n")[0])
    except (OSError, ValueError):
        os.write(2, b"the virtual machine ended\n")
        return LOST
    return LOST if status > SIGNALED else status


if __name__ == "__main__":
    ended = main(int(sys.argv[1]))
    os._exit(ended)  # does not wait for the thread that reads
