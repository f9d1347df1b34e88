"""The kind of machine that an executable is made for, read from its header.

Source: System V ABI, "ELF Header" (e_machine); Linux, uname(2), whose names these are.
"""

from pathlib import Path

from tierscope.errors import MachineError, reason

KINDS = {3: "i686", 21: "ppc64le", 22: "s390x", 40: "armv7l", 62: "x86_64", 183: "aarch64", 243: "riscv64"}
HEADER_BYTES = 20
CROSS = ("aarch64", "riscv64")
"""Kinds that a preset of CMake builds for."""


def kind_of(path: Path) -> str:
    """Return what `uname -m` prints where it runs; "" for a file that is not an executable of Linux."""
    try:
        with path.open("rb") as stream:
            head = stream.read(HEADER_BYTES)
    except OSError as error:
        raise MachineError(f"{path} cannot be read: {reason(error)}; build it or correct TIERSCOPE_CORE") from error
    if len(head) < HEADER_BYTES or not head.startswith(b"\x7fELF"):
        return ""
    code = int.from_bytes(head[18:20], "big" if head[5] == 2 else "little")
    return KINDS.get(code, f"machine {code}")


def made_for(path: Path, kind: str, word: str) -> Path:
    """Return the core for a kind of machine: `path`, or its neighbour `tierscope-core-KIND`; MachineError for none."""
    own = kind_of(path)
    if not own or own == kind:
        return path
    beside = path.with_name(f"{path.name}-{kind}")
    if beside.is_file() and kind_of(beside) == kind:
        return beside
    build = f"cmake --preset {kind} && cmake --build --preset {kind}" if kind in CROSS else "build one there"
    raise MachineError(
        f"{word} is {kind}, and {path} is for {own}; bring a core for {kind} of the same version ({build}), as {beside}"
    )
