"""The staircase in a run's latency rows, and its levels: for figures, sentences, and suites that size footprints.

For each target, the curve of order "global" with the largest pages counts, since small pages also show TLB levels
(`stats.levels`). If there are several such curves, the one with the most footprints counts, and the cyclic probe comes
before the random one.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tierscope.stats.levels import Staircase, staircase
from tierscope.stats.levels_doubt import Known
from tierscope.stats.median import Interval
from tierscope.suites.latency.row import LatencyRow
from tierscope.tables.emulated import floor_s
from tierscope.tables.measured import SMALL_PAGES, weighed

Curve = dict[int, tuple[LatencyRow, Interval]]
"""Footprint -> its row and the time of an access."""


@dataclass(frozen=True, slots=True)
class Found:
    """Levels, and the rows they were found in with the time of an access, by rising footprint."""

    staircase: Staircase
    pages: str  # as asked for: "thp", "4k", ...
    probe: str
    rows: tuple[LatencyRow, ...]
    times: tuple[Interval, ...]


def latency_levels(rows: Iterable[LatencyRow], reported_bytes: float = 0.0) -> dict[str, Found]:
    """Return target -> its levels; rows of the table `latency`. Targets without such a curve do not appear.

    reported_bytes: of the largest data cache that the system reports; 0: not known. It counts for real memory only.
    """
    curves: dict[tuple[str, str, str], Curve] = {}
    for row in rows:
        if row.order == "global" and (time := weighed(row.latency)):
            key = row.target, row.pages, row.probe
            curves.setdefault(key, {})[row.footprint_bytes] = row, time
    best: dict[str, tuple[tuple[int, int, bool], tuple[str, str, str]]] = {}
    for key, curve in curves.items():
        rank = (_largest_page(curve), len(curve), key[2] == "cycle")
        if key[0] not in best or rank > best[key[0]][0]:
            best[key[0]] = rank, key
    return {target: _found(key, curves[key], reported_bytes) for target, (_, key) in best.items()}


def _found(key: tuple[str, str, str], curve: Curve, reported_bytes: float) -> Found:
    rows, times = zip(*(curve[size] for size in sorted(curve)), strict=True)
    page = _largest_page(curve)
    simulated = any(row.origin == "simulated" for row in rows)
    levels = staircase(
        np.array(sorted(curve), dtype=np.float64),
        np.array([time.middle for time in times]),
        np.array([time.relative / 2 for time in times]),  # half of a 95 % interval is about two standard errors
        np.array([row.conclusive for row in rows]),
        Known(
            small_pages=0 < page <= SMALL_PAGES or not (page or simulated),
            reported_bytes=0.0 if simulated else reported_bytes,
            floor_s=floor_s(key[0]),
        ),
    )
    return Found(levels, key[1], key[2], rows, times)


def _largest_page(curve: Curve) -> int:
    return max(row.page_bytes or 0 for row, _ in curve.values())
