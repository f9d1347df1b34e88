"""Pointer chases that are independent of ours: three of native/chases.c, and those of other tools that are there.

Each follows one random cycle through all lines of its memory, and prints samples.

multichase has one node per line (`-s 64`) and one window of all nodes (`-T footprint`), so that each hop may miss the
TLB. With `-H` it has transparent huge pages; without it, its memory is advised against them. It prints the
best of its samples of 0.5 s alone.
Sources: google, "multichase", multichase.c; native/chases.c for its methods.
"""

import atexit
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import median
from typing import Protocol

from against.reading import PeerError, output
from tierscope.units import KiB

SAMPLES = 8  # in every round
SAMPLE_S = 0.1
METHODS = ("sattolo", "shuffle", "sorted")
SOURCE = Path(__file__).resolve().parent.parent / "native" / "chases.c"


class Chase(Protocol):
    """One chase of somebody else."""

    name: str

    def seconds(self, footprint: int, pages: str) -> float:
        """Return seconds per hop, on new memory; PeerError if it fails."""


class Native:
    """One method of native/chases.c. It ends with an error where other pages came."""

    def __init__(self, method: str) -> None:
        self.name = method

    def seconds(self, footprint: int, pages: str) -> float:
        """Return the median of its samples."""
        return middle(output([program(), self.name, str(footprint), pages, str(SAMPLES), str(SAMPLE_S)], 1), self.name)


class Multichase:
    """google's multichase."""

    name = "multichase"

    def __init__(self, path: Path) -> None:
        self._program = path

    def seconds(self, footprint: int, pages: str) -> float:
        """Return the best sample, which is all that it prints."""
        size = f"{footprint // KiB}k"
        huge = ["-H"] if pages == "thp" else []
        text = output([self._program, "-s", "64", "-T", size, "-m", size, "-n", str(SAMPLES), *huge], 1)
        return middle(text.strip().rpartition("\n")[2], self.name)


def every(multichase: Path | None) -> Iterator[Chase]:
    """Yield the chases that there are."""
    yield from map(Native, METHODS)
    if multichase is not None:
        yield Multichase(multichase)


def middle(text: str, name: str) -> float:
    """Return the median of the nanoseconds in these lines, in seconds."""
    try:
        return median(float(line) for line in text.split()) * 1e-9
    except ValueError as error:
        raise PeerError(f"{name} printed no latency") from error


@cache
def program() -> Path:
    """Build native/chases.c; it stays until this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="tierscope-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    try:
        subprocess.run(["cc", "-O2", SOURCE, "-o", folder / "chases"], check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise PeerError(f"{SOURCE.name} was not built: {error}") from error
    return folder / "chases"
