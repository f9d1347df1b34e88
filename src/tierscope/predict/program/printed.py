"""The output of a program, as a digest and its end: one that prints something else in the tracer took another path.

It prints to a pipe, in every run: programs such as grep do less if they print to /dev/null.
"""

import hashlib
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

PIECE = 1 << 16
TOLD = 200  # bytes of the end that are kept
SOON_S = 2.0  # for what is still in the pipe; a process that lives on keeps its end open


class Printed:
    """descriptor: where to print; digest: of all of it, known behind the context, "" where its end was not seen.

    last: the last bytes so far.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.digest = ""
        self.last = b""

    def read(self, end: int) -> None:
        """Read until nobody can write any more."""
        found = hashlib.sha256()
        with open(end, "rb", buffering=0) as pipe:
            while piece := pipe.read(PIECE):
                found.update(piece)
                self.last = (self.last + piece)[-TOLD:]
        self.digest = found.hexdigest()

    @property
    def last_line(self) -> str:
        """Return the last line that is not empty, as text that no terminal obeys; "" where there is none."""
        lines = [line.strip() for line in self.last.decode(errors="replace").splitlines() if line.strip()]
        return "".join(letter for letter in lines[-1] if letter.isprintable()) if lines else ""


@contextmanager
def printed() -> Iterator[Printed]:
    """Yield a descriptor for a child alone: whoever else has it open delays the digest."""
    reading, writing = os.pipe()
    made = Printed(writing)
    reader = threading.Thread(target=made.read, args=(reading,), daemon=True)
    reader.start()
    try:
        yield made
    finally:
        os.close(writing)
        reader.join(SOON_S)
