"""Stands for `tierscope-core`: passes words and input on to the core inside a virtual machine, its answers back.

    python core_inside.py PORT PROGRAM WORDS...

PROGRAM is its name inside: that of the core that serves pools is another.

Samples are fetched before the line that announces them is passed on, so `tierscope.core.Session` finds them where it
looks for them. The status is that of the core; 70 when the machine died.
"""

import os
import re
import shlex
import socket
import sys
import threading

HEADER_BYTES = 384  # of the samples file, see core/bench/samples.cpp
LOST = 70
PATIENCE_S = 600.0  # between two answers; a batch of an emulated machine under load may take its time
STATUS = re.compile(rb"\0status (\d+)\n\Z")
TIDY = "pidof tierscope-core tierscope-core-pmdk >/dev/null || rm -f /tmp/*.npy; "
"""Before a core: whoever ended a session here could not remove its samples inside."""


def connect(port: int, line: str) -> socket.socket:
    link = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
    link.sendall(line.encode() + b"\n")
    return link


class Samples:
    """A file here that follows one inside."""

    def __init__(self, port: int, path: str) -> None:
        self.inside = f"/tmp/{os.getpid()}.npy"
        self._port = port
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)

    def follow(self) -> None:
        """All that was appended since; the header in front shows the rows."""
        have = max(os.fstat(self._file).st_size, HEADER_BYTES)
        with connect(self._port, f"head -c {HEADER_BYTES} {self.inside}; tail -c +{have + 1} {self.inside}") as link:
            content = STATUS.sub(b"", link.makefile("rb").read())
        os.pwrite(self._file, content[:HEADER_BYTES], 0)
        os.pwrite(self._file, content[HEADER_BYTES:], have)


def pump(link: socket.socket) -> None:
    """Input goes in as it comes."""
    while part := os.read(0, 1 << 16):
        link.sendall(part)
    link.shutdown(socket.SHUT_WR)


def main(port: int, program: str, words: list[str]) -> int:
    samples = None
    if "--samples" in words:
        at = words.index("--samples") + 1
        samples = Samples(port, words[at])
        words = [*words[:at], samples.inside, *words[at + 1 :]]
    with connect(port, f"{TIDY}{program} {shlex.join(words)}") as link:
        threading.Thread(target=pump, args=(link,), daemon=True).start()
        for line in link.makefile("rb"):
            if end := STATUS.search(line):
                return int(end[1])
            if samples:
                samples.follow()
            os.write(1, line)
    return LOST


if __name__ == "__main__":
    status = main(int(sys.argv[1]), sys.argv[2], sys.argv[3:])
    os._exit(status)  # not waiting for the thread that reads
