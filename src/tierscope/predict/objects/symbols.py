"""Functions and lines of code behind the addresses of a call stack, by addr2line of binutils where it is installed.

Blind to: modules that are no longer where the traced program found them, and stripped ones, which keep their offsets.
"""

import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

TOOL = "addr2line"
LIMIT_S = 60.0  # of one module, whose debug information may be large
UNKNOWN = "??"


@dataclass(frozen=True, slots=True)
class Frame:
    """A place within a module: 'program+0x1171'. function, where: "" if no symbol is known."""

    module: str
    offset: int
    function: str = ""
    where: str = ""  # 'file.c:12'

    @property
    def text(self) -> str:
        """Return it for people: 'make (file.c:12)', 'make', or 'program+0x1171'."""
        if not self.function:
            return f"{Path(self.module).name}+{self.offset:#x}"
        return f"{self.function} ({self.where})" if self.where else self.function


def parsed(text: str) -> Frame:
    """Return the frame that the tracer wrote as 'module+0x1171'."""
    module, _, offset = text.rpartition("+")
    try:
        return Frame(module, int(offset, 16))
    except ValueError:
        return Frame(text, 0)


def named(frames: Iterable[Frame]) -> dict[Frame, Frame]:
    """Return each frame -> the same with its function and line, where these are known."""
    found = {frame: frame for frame in frames}
    tool = shutil.which(TOOL)
    for module in {frame.module for frame in found} if tool else ():
        of_module = [frame for frame in found if frame.module == module]
        for frame, (function, where) in zip(of_module, _asked(str(tool), module, of_module), strict=False):
            if not function.startswith(UNKNOWN):
                found[frame] = Frame(frame.module, frame.offset, function, _line(where))
    return found


def _asked(tool: str, module: str, frames: Iterable[Frame]) -> list[tuple[str, str]]:
    if not Path(module).is_file():
        return []
    given = "".join(f"{frame.offset:#x}\n" for frame in frames)
    try:
        done = subprocess.run([tool, "-f", "-C", "-e", module], input=given, capture_output=True, text=True,
                              errors="replace", timeout=LIMIT_S, check=False)  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return []
    lines = done.stdout.splitlines()
    return list(zip(lines[::2], lines[1::2], strict=False))


def _line(where: str) -> str:
    """Return 'file.c:12' for '/path/file.c:12 (discriminator 2)'."""
    name = where.split(" (", maxsplit=1)[0].rpartition("/")[2]
    return "" if name.startswith(UNKNOWN) or name.endswith((":0", ":?")) else name
