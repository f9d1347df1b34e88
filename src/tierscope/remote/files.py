"""The files of another machine's system: the same questions as of this machine's, asked through its shell.

Each answer is asked for once and kept, but for files that count time. A question costs a round trip, so `gather` runs
what will ask, with empty answers, until all that it asks is known: a round trip for each step of its reasoning instead
of one for each file. It makes no difference to an answer whether it was gathered or not.
"""

import errno
import os
import secrets
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from shlex import quote

from tierscope.host.system import LARGEST_BYTES, System, natural, whole
from tierscope.remote.shell import Shell

LIVE = ("/proc/stat",)  # counts of time, which are asked for again and again
DEEPEST = 20  # steps of a reasoning: a glob, its files, the files that these name ...
ERRORS = {os.strerror(number): number for number in errno.errorcode}
Question = tuple[str, str]  # one of FUNCTIONS, and a path or a pattern
FUNCTIONS = """
R() { [ -e "$1" ] || { echo absent; return; }; if [ -d "$1" ]; then echo 'error Is a directory'; return; fi
  echo content; cat -- "$1" 2>/dev/null; printf '\\n%s %d\\n' "$T" $?; cat -- "$1" 2>&1 >/dev/null | head -n 1; }
G() { for p; do if [ -e "$p" ] || [ -L "$p" ]; then printf '%s\\n' "$p"; fi; done; }
L() { readlink "$1" 2>/dev/null; }
F() { stat -f -c '%s %a %b %S' -- "$1" 2>/dev/null; }
D() { if [ -d "$1" ]; then echo yes; else ls -d -- "$1" 2>&1 >/dev/null; fi; }
S() { [ -f "$1" ] && stat -L -c %s -- "$1" 2>/dev/null; }
"""
"""Read, glob, link, file system, directory, size. `cat` is asked again for its reason where a file cannot be read."""


class RemoteSystem(System):
    """The files that the shell there can read. name: of the machine, in its shown form."""

    def __init__(self, shell: Shell, name: str) -> None:
        super().__init__(Path("/") / name)  # a root that is not here: nothing of this machine can be read by it
        self._shell = shell
        self._known: dict[Question, bytes] = {}
        self._missed: set[Question] | None = None

    def gather(self, *works: Callable[[System], object]) -> None:
        """Learn all that these ask. They must be able to work with empty answers."""
        wait, self.wait = self.wait, lambda _: None
        try:
            for _ in range(DEEPEST):
                self._missed = set()
                for work in works:
                    with suppress(Exception):  # of answers that are empty for now
                        work(self)
                missed, self._missed = self._missed, None
                if not missed:
                    return
                self._ask(missed)
        finally:
            self.wait, self._missed = wait, None

    def _bytes(self, path: str, limit: int) -> bytes:
        if "\0" in path:
            raise ValueError(path)
        status, _, content = self._answer("R", path).partition(b"\n")
        if status == b"content":
            return content[: min(limit, LARGEST_BYTES)]
        if status.startswith(b"error "):
            why = status.removeprefix(b"error ").decode(errors="replace")
            raise OSError(ERRORS.get(why, errno.EIO), why, path)
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)

    def link(self, path: str) -> str:
        return Path(self._answer("L", path).decode(errors="replace").strip("\n")).name

    def block_bytes(self, path: str) -> int | None:
        return self._file_system(path, 0)

    def room_bytes(self, folder: str) -> int | None:
        free, total, size = (self._file_system(folder, field) for field in (1, 2, 3))
        return free * size if free is not None and size is not None and total else None

    def is_folder(self, path: str) -> bool:
        answer = self._answer("D", path)
        return answer.strip() == b"yes" or b"Permission denied" in answer

    def file_bytes(self, path: str) -> int | None:
        return whole(self._answer("S", path).decode(errors="replace").strip())

    def glob(self, pattern: str) -> list[str]:
        found = self._answer("G", "/" + pattern.lstrip("/")).decode(errors="replace").splitlines()
        return sorted(found, key=natural)

    def _file_system(self, path: str, field: int) -> int | None:
        words = self._answer("F", path).decode(errors="replace").split()
        return whole(words[field]) if len(words) == 4 else None

    def _answer(self, function: str, path: str) -> bytes:
        question = (function, os.path.normpath(path) if function != "G" else path)
        if question not in self._known or (path in LIVE and self._missed is None):
            if self._missed is not None:
                self._missed.add(question)
                return b""
            self._ask([question])
        return self._known[question]

    def _ask(self, questions: Iterable[Question]) -> None:
        """Ask all of them in one command. Each answer begins with a mark that no file contains."""
        mark, asked = secrets.token_hex(16), list(questions)
        lines = [f"printf '\\n%s\\n' {mark}; {name} {_words(name, path)}" for name, path in asked]
        said = self._shell.run("\n".join([f"T={mark}", FUNCTIONS, *lines, f"printf '\\n%s\\n' {mark}"]))
        answers = said.out.split(f"\n{mark}\n".encode())[1:-1]
        for (name, path), answer in zip(asked, answers, strict=True):
            self._known[name, path] = _content(answer, mark.encode()) if name == "R" else answer


def _words(function: str, path: str) -> str:
    """Return the argument for the shell: a pattern keeps what the shell expands, anything else is quoted."""
    if function != "G":
        return quote(path)
    return "".join(letter if letter in "*?[]-" or letter.isalnum() else quote(letter) for letter in path)


def _content(answer: bytes, mark: bytes) -> bytes:
    """Return the content of a file that was read, else the reason. The status of `cat` follows its output."""
    if not answer.startswith(b"content\n"):
        return answer.strip()
    content, _, rest = answer.rpartition(b"\n" + mark + b" ")
    status, _, why = rest.partition(b"\n")
    if status.strip() == b"0":
        return content
    return b"error " + why.strip().rpartition(b": ")[2]
