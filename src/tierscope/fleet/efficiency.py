"""Bandwidth against clock and populated channels, which shows a lower clock or a missing channel without peers."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from tierscope.fleet.outliers_result import Inefficient
from tierscope.fleet.window import Window

LOW = 0.75  # of the group's efficiency: missing channels, a lower clock


def inefficient(window: Window) -> Iterator[Inefficient]:
    """Yield machines below three quarters of their group's efficiency, and groups as far below their family."""
    medians: dict[str, float] = {}
    family: dict[str, str] = {}
    for name in sorted(set(window.group.tolist())):
        places = np.flatnonzero(window.group == name)
        known = window.efficiency[places]
        if np.all(np.isnan(known)):
            continue
        middle = float(np.nanmedian(known))
        if name:
            medians[name], family[name] = middle, window.facts[places[0]].get("family", "")
            yield from _hosts(window, places, middle)
    for name, value in medians.items():
        best = max(other for group, other in medians.items() if family[group] == family[name])
        if value < LOW * best:
            yield Inefficient("", "", name, value, best)


def _hosts(window: Window, places: Any, middle: float) -> Iterator[Inefficient]:
    for place in places.tolist():
        if window.efficiency[place] < LOW * middle:
            yield Inefficient(window.host[place], window.machine[place], str(window.group[place]),
                              float(window.efficiency[place]), middle)  # fmt: skip
