"""The rooms of the C++ core that each may include: `base` <- `isa` <- `kernels`; `base` <- the other rooms; all <-
`bench` <- `cli`. Every room may include itself. Most templates in cmake/ are kernels."""

import re
from collections.abc import Iterator
from pathlib import Path

BESIDE = ("targets", "loops", "simulate", "structures", "recorded", "victims", "team", "probes", "shadow")
ALL = ("base", "isa", "kernels", *BESIDE)
MAY_USE: dict[str, tuple[str, ...]] = {
    "base": (),
    "isa": ("base",),
    "kernels": ("base", "isa"),
    **dict.fromkeys(BESIDE, ("base",)),
    "bench": ALL,
    "cli": (*ALL, "bench"),
}
TEMPLATES = {
    "presets.cpp.in": "simulate",
    "without_pool.cpp.in": "structures",
}  # rooms of templates in cmake/, if not kernels
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def faults(root: Path) -> list[str]:
    """One line for every include that crosses a wall, for every room without a name here, and for relative paths."""
    return [fault for path, room in _sources(root) for fault in _faults_of(path.relative_to(root), path, room)]


def _sources(root: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted((root / "core").rglob("*.[ch]pp")):
        yield path, path.relative_to(root / "core").parts[0]
    for path in sorted((root / "cmake").glob("*.cpp.in")):
        yield path, TEMPLATES.get(path.name, "kernels")


def _faults_of(name: Path, path: Path, room: str) -> Iterator[str]:
    if room not in MAY_USE:
        yield f"{name}: room {room} has no rule; known: {', '.join(MAY_USE)}"
        return
    for include in INCLUDE.findall(path.read_text()):
        used = include.split("/")[0] if "/" in include else ""
        if used not in MAY_USE:
            yield f"{name}: include {include} names no room; write it from core/, as base/error.hpp"
        elif used != room and used not in MAY_USE[room]:
            yield f"{name}: {room} may not use {used} ({include})"
