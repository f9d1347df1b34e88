r"""The answer of a host: parts of known sizes between a first and a last line, which reveal cut or foreign text.

    tierscope-bundle 1
    part NAME SIZE\n  SIZE bytes \n      repeated
    end STATUS                           of the core

Before the first line, a login shell may greet. A host that refuses sends `tierscope-refused REASON` instead.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from tierscope.errors import MachineError
from tierscope.printable import printable

BEGIN = b"tierscope-bundle 1\n"
REFUSED = re.compile(rb"^tierscope-refused (.{1,600})$", re.MULTILINE)
PART = re.compile(rb"part ([A-Za-z0-9_./-]{1,200}) ([0-9]{1,10})\n")
END = re.compile(rb"end ([0-9]{1,3})\n?")
MOST_BYTES = 256 << 20  # of a bundle: more is not a bundle
SHOWN = 120


@dataclass(frozen=True, slots=True)
class Bundle:
    """Parts by name, and the status of the core."""

    parts: dict[str, bytes]
    status: int

    def text(self, name: str) -> str:
        """Return a part as text, "" without it."""
        return self.parts.get(name, b"").decode(errors="replace").strip()

    def root(self, folder: Path) -> Path:
        """Write the files of that system below `folder`, for `host.system.System`; return it."""
        for name, content in self.parts.items():
            path = folder / name.removeprefix("root/")
            if name.startswith("root/") and ".." not in path.parts:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
        return folder


def read_bundle(content: bytes) -> Bundle:
    """Return the parts; MachineError for what is cut off, refused or no bundle at all."""
    start = content.find(BEGIN)
    if start < 0:
        if refused := REFUSED.search(content):
            raise MachineError(f"the host refused: {printable(refused[1].decode(errors='replace').strip())}")
        raise MachineError(_garbage(content))
    at, parts = start + len(BEGIN), dict[str, bytes]()
    while found := PART.match(content, at):
        begin, size = found.end(), int(found[2])
        parts[found[1].decode()] = content[begin : begin + size]
        at = begin + size + 1
        if at > len(content):
            raise MachineError(f"the answer is cut off after {len(content)} bytes; resume repeats this host")
    if not (end := END.match(content, at)):
        raise MachineError(f"the answer is cut off or damaged after {at} of {len(content)} bytes; resume repeats it")
    return Bundle(parts, int(end[1]))


def _garbage(content: bytes) -> str:
    if not content.strip():
        return "the host answered nothing; check whether its shell and its disk work"
    shown = printable(content[:SHOWN].decode(errors="replace").strip())
    return f"the host answered {len(content)} bytes of something else: {shown!r}"
