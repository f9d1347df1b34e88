"""The buffers that the rows of `regions` show: the fits of `stats.buffers` and `stats.buffers_writes`, remembered."""

import functools
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from tierscope.stats import buffers, buffers_writes
from tierscope.stats.buffers import Curve, Levels
from tierscope.stats.buffers_model import Floats
from tierscope.stats.buffers_writes import Writes
from tierscope.tables.regions import RegionsRow
from tierscope.units import LINE_BYTES, KiB

Point = tuple[int, bool, float, float, int]  # region, scattered, seconds, relative standard error, footprint
UNKNOWN = 0.05  # relative standard error of a median of so few blocks that it has no interval
FULL = 32 * KiB  # some region at least must be as large: below there are only units


@dataclass(frozen=True)
class Found:
    """The buffers of one target; None where its rows are too few."""

    levels: Levels | None
    writes: Writes | None


def found(rows: list[RegionsRow]) -> dict[str, Found]:
    """Return target -> what lines of 64 B show."""
    return {target: Found(_read(rows, target), _written(rows, target)) for target in _targets(rows)}


def fits(rows: list[RegionsRow]) -> list[float | None]:
    """Return the model's value for each row; None for a row that it does not know."""
    curves: dict[tuple[str, str], dict[tuple[int, bool], float]] = defaultdict(dict)
    for target, one in found(rows).items():
        if one.levels is not None:
            curves[target, "read"] = _keyed(_points(rows, target, "read"), one.levels.curve_s)
        if one.writes is not None:
            curves[target, "write"] = _keyed(_points(rows, target, "write"), one.writes.curve_s)
    return [curves[row.target, row.operation].get(_key(row)) if _plain(row) else None for row in rows]


def _targets(rows: list[RegionsRow]) -> list[str]:
    return list(dict.fromkeys(row.target for row in rows))


def _plain(row: RegionsRow) -> bool:
    return row.block_bytes == LINE_BYTES


def _key(row: RegionsRow) -> tuple[int, bool]:
    return row.region_bytes, row.scattered


def _keyed(points: tuple[Point, ...], curve: Floats) -> dict[tuple[int, bool], float]:
    return {(point[0], point[1]): float(value) for point, value in zip(points, curve, strict=True)}


def _points(rows: list[RegionsRow], target: str, operation: str) -> tuple[Point, ...]:
    """Return the last row of each region, by rising size."""
    known: dict[tuple[int, bool], Point] = {}
    for row in rows:
        if (row.target, row.operation) == (target, operation) and _plain(row) and row.latency:
            spread = row.latency.relative / 2 if row.blocks > 1 else UNKNOWN
            known[_key(row)] = (*_key(row), row.latency.middle, spread, row.footprint_bytes)
    return tuple(known[key] for key in sorted(known))


def _read(rows: list[RegionsRow], target: str) -> Levels | None:
    points = _points(rows, target, "read")
    enough = len(points) >= buffers.FEWEST and points[-1][0] >= FULL
    return _inferred(points, *_layout(rows, target)) if enough else None


def _layout(rows: list[RegionsRow], target: str) -> tuple[int, int]:
    """Return the number of interleaved memories and the consecutive bytes of each, as known to the run."""
    known = ((row.ways, row.grain_bytes) for row in rows if row.target == target)
    return next(((ways, grain) for ways, grain in known if ways and grain), (1, LINE_BYTES))


@functools.lru_cache(maxsize=32)
def _inferred(points: tuple[Point, ...], ways: int, grain: int) -> Levels:
    region, scattered, seconds, spread, footprint = (np.array(column) for column in zip(*points, strict=True))
    sizes, over = region.astype(np.float64), footprint.astype(np.float64)
    return buffers.infer(Curve(sizes, seconds, spread, scattered, over, ways, grain))


def _written(rows: list[RegionsRow], target: str) -> Writes | None:
    points = _points(rows, target, "write")
    return _queue(points) if points else None


@functools.lru_cache(maxsize=32)
def _queue(points: tuple[Point, ...]) -> Writes | None:
    region, _, seconds, spread, _ = (np.array(column) for column in zip(*points, strict=True))
    return buffers_writes.infer_writes(region.astype(np.float64), seconds, spread)
