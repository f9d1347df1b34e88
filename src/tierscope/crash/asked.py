"""The request of a user for a hunt for crashes, and its results, as plain data."""

from pathlib import Path

import msgspec


class Asked(msgspec.Struct, frozen=True):
    """One hunt.

    Arguments of the writer may contain {file}; those of the check contain {image} and may contain {log}.
    """

    file: Path
    writer: tuple[str, ...]
    check: tuple[str, ...]
    points: int = 30
    seed: int = 1
    drop_flush: int = 0  # every n-th flush of the file is lost; 0: none
    drop_fence: int = 0
    limit_s: float = 10.0  # for one check
    keep: Path | None = None  # where images of failed points are left


class Counts(msgspec.Struct, frozen=True):
    """Counts of one run of the writer, at libpmem's public functions; `file_...`: of the watched file alone."""

    flushes: int
    lines: int  # of 64 bytes; a line counts each time it is flushed
    fences: int
    syncs: int  # msync and fsync, which are flush and fence, too
    file_flushes: int
    file_fences: int
    dropped: int
    stores: int = 0  # to the watched file, seen one by one before the cuts


class Point(msgspec.Struct, frozen=True):
    """One image: the power failed before this fence, counted from 1, took effect."""

    fence: int
    verdict: str  # passed, wrong, signal, hang
    detail: str = ""


class Found(msgspec.Struct, frozen=True):
    """All that a hunt has found."""

    file: str
    seed: int
    counts: Counts
    points: tuple[Point, ...]
    missed: tuple[int, ...] = ()  # fences that the second run of the writer did not reach
    stores: int = 0  # changes of lines between two fences, observed one by one; power failures also fall between them

    @property
    def failed(self) -> tuple[Point, ...]:
        return tuple(point for point in self.points if point.verdict != "passed")

    @property
    def shows_little(self) -> bool:
        """Return whether at least half of the points were not reached."""
        return len(self.missed) >= len(self.points)
