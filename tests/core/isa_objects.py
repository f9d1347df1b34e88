"""No weak code in an object of an ISA, unless its name shows the ISA.

The linker keeps one of all weak copies of an inline function or template, perhaps the one built with -mavx512f,
which then runs on a CPU that lacks it. A name with the ISA in it cannot be chosen for another.
Blind to what is inlined, which is harmless, and to objects that were not built.
"""

import platform
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

BUILD = re.compile(r"^/// Build: .*, on (?P<on>[\w ]+), .*\n/// Flags: (?P<flags>-.*)$", re.MULTILINE)
WEAK = "W"  # nm(1): weak code; weak data (V, u) has the same constants whatever the flags


def isas(root: Path) -> list[str]:
    """Return the ISAs of this processor family that have compiler flags of their own, by the head of their headers."""
    lines = {path.stem: BUILD.search(path.read_text()) for path in sorted((root / "core/isa").glob("*.hpp"))}
    return [name for name, line in lines.items() if line and platform.machine() in line["on"].split()]


def objects(build: Path, isa: str) -> list[Path]:
    """Every object below the build folder that was made for this ISA."""
    return sorted(build.rglob(f"*_{isa}_variant.cpp.o"))


def faults(path: Path, isa: str) -> Iterator[str]:
    """One line for every weak symbol of the object whose name lacks the ISA."""
    listing = subprocess.run(["nm", "--defined-only", path], text=True, capture_output=True, check=True).stdout
    for line in listing.splitlines():
        kind, name = line.split()[-2:]
        if kind == WEAK and isa not in name.lower():
            yield f"{path.name}: weak symbol {name} could run on a CPU without {isa}"


def main(root: Path, build: Path) -> int:
    """Status 1 and the faults on standard output, if there are any."""
    found = [fault for isa in isas(root) for path in objects(build, isa) for fault in faults(path, isa)]
    sys.stdout.write("".join(f"{fault}\n" for fault in found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parents[2], Path(sys.argv[1])))
