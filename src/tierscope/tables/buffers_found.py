"""The buffers that the rows of `regions` show: the fits of `stats.buffers` and `stats.buffers_writes`, remembered."""

import functools
import math
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from tierscope.arrays import Floats
from tierscope.stats import buffers, buffers_writes
from tierscope.stats.buffers_levels import Curve, Levels, Pass
from tierscope.stats.buffers_writes import Writes
from tierscope.tables.regions import RegionsRow
from tierscope.units import LINE_BYTES, KiB

Key = tuple[int, bool, int]  # region, scattered, stride
Point = tuple[int, bool, int, float, float, int]  # of a key: seconds, relative standard error, footprint
UNKNOWN = 0.05  # relative standard error of a median of so few blocks that it has no interval
FULL = 32 * KiB  # some region at least must be as large: below there are only units


@dataclass(frozen=True)
class Found:
    """The buffers of one target; None where its rows are too few."""

    levels: Levels | None
    writes: Writes | None


def found(rows: list[RegionsRow], line_bytes: int = LINE_BYTES) -> dict[str, Found]:
    """Return target -> what single lines show: reads of a line of the caches, and writes of 64 bytes past the caches.

    line_bytes: of the caches of the machine.
    """
    plain = [row for row in rows if _plain(row, line_bytes)]
    return {
        target: Found(_read(plain, target, line_bytes), _written(plain, target, line_bytes))
        for target in _targets(rows)
    }


def fits(rows: list[RegionsRow], line_bytes: int = LINE_BYTES) -> list[float | None]:
    """Return the model's value for each row, in seconds for a line of the caches; None for a row that it does not know.

    line_bytes: as for `found`.
    """
    curves: dict[tuple[str, str], dict[Key, float]] = defaultdict(dict)
    plain = [row for row in rows if _plain(row, line_bytes)]
    for target, one in found(rows, line_bytes).items():
        if one.levels is not None:
            curves[target, "read"] = _keyed(_points(plain, target, "read"), one.levels.curve_s)
        if one.writes is not None:
            curve_s = one.writes.curve_s / _share("write", line_bytes)
            curves[target, "write"] = _keyed(_points(plain, target, "write"), curve_s)
    return [curves[row.target, row.operation].get(_key(row)) if _plain(row, line_bytes) else None for row in rows]


def _targets(rows: list[RegionsRow]) -> list[str]:
    return list(dict.fromkeys(row.target for row in rows))


def _plain(row: RegionsRow, line_bytes: int) -> bool:
    return row.block_bytes == round(_share(row.operation, line_bytes) * line_bytes)


def _share(operation: str, line_bytes: int) -> float:
    """Return how much of a line of the caches one operation touches: a store past the caches has 64 bytes."""
    return 1.0 if operation == "read" else LINE_BYTES / line_bytes


def _key(row: RegionsRow) -> Key:
    return row.region_bytes, row.scattered, row.stride_bytes or 0


def _keyed(points: tuple[Point, ...], curve: Floats) -> dict[Key, float]:
    return {point[:3]: float(value) for point, value in zip(_fitted(points), curve, strict=True)}


def _points(rows: list[RegionsRow], target: str, operation: str) -> tuple[Point, ...]:
    """Return the most precise row of each region, the last one of equal rows, by rising size."""
    known: dict[Key, Point] = {}
    for row in rows:
        if (row.target, row.operation) == (target, operation) and row.latency:
            spread = row.latency.relative / 2 if row.blocks > 1 else UNKNOWN
            if spread <= (known[_key(row)][4] if _key(row) in known else math.inf):
                known[_key(row)] = (*_key(row), row.latency.middle, spread, row.footprint_bytes)
    return tuple(known[key] for key in sorted(known))


def _read(rows: list[RegionsRow], target: str, line_bytes: int) -> Levels | None:
    points = _points(rows, target, "read")
    enough = len(_fitted(points)) >= buffers.FEWEST and points[-1][0] >= FULL
    return _inferred(points, *_layout(rows, target), line_bytes) if enough else None


def _layout(rows: list[RegionsRow], target: str) -> tuple[int, int]:
    """Return the number of interleaved memories and the consecutive bytes of each, as known to the run."""
    known = ((row.ways, row.grain_bytes) for row in rows if row.target == target)
    return next(((ways, grain) for ways, grain in known if ways and grain), (1, LINE_BYTES))


@functools.lru_cache(maxsize=32)
def _inferred(points: tuple[Point, ...], ways: int, grain: int, line_bytes: int) -> Levels:
    region, scattered, stride, seconds, spread, footprint = (
        np.array(column) for column in zip(*_fitted(points), strict=True)
    )
    sizes, over, strides = (column.astype(np.float64) for column in (region, footprint, stride))
    passes = tuple(Pass(one[0], one[2], one[3], one[4]) for one in points if _in_passes(one))
    return buffers.infer(Curve(sizes, seconds, spread, scattered, over, ways, grain, line_bytes, strides, passes))


def _in_passes(point: Point) -> bool:
    return point[2] > 0 and not point[1]


def _fitted(points: tuple[Point, ...]) -> tuple[Point, ...]:
    """Return the points of the curve that is fitted: all but regions that were read in passes."""
    return tuple(point for point in points if not _in_passes(point))


def _written(rows: list[RegionsRow], target: str, line_bytes: int) -> Writes | None:
    points = _points(rows, target, "write")
    return _queue(points, _share("write", line_bytes)) if points else None


@functools.lru_cache(maxsize=32)
def _queue(points: tuple[Point, ...], share: float) -> Writes | None:
    region, _, _, seconds, spread, _ = (np.array(column) for column in zip(*points, strict=True))
    return buffers_writes.infer_writes(region.astype(np.float64), seconds * share, spread)
