"""Two levels of a fit at a time: all kinds and capacities of both, since one makes up for the other.

With the other levels unchanged, two columns a and b explain

    gain = ((t.a) (t.a |b|^2 - t.b a.b) + (t.b) (t.b |a|^2 - t.a a.b)) / (|a|^2 |b|^2 - (a.b)^2)

of the sum of weighted squares (the normal equations of two more regressors). A level that is replaced alone does not
find such a pair: where the capacities are close, each kind of one level asks for another kind and capacity of the
other one. Capacities are on a grid, WIDTH octaves to both sides of those of the fit. Units do not change.
"""

from dataclasses import replace

import numpy as np

from tierscope.arrays import Floats, Truths
from tierscope.stats.buffers_kinds import ALL_KINDS
from tierscope.stats.buffers_search import APART, Place, Search

PER_OCTAVE = 16
WIDTH = 0.75  # octaves
LENGTH = 1e-9  # of a column, or of the area of two: less is none
Kind = tuple[str, float, float, float, float]  # and least cost, and least, best and largest capacity


class Pair:
    """The levels `number` and `number + 1` of places."""

    def __init__(self, search: Search, places: tuple[Place, ...], number: int) -> None:
        self._places, self._number = places, number
        steps = np.arange(-WIDTH * PER_OCTAVE, WIDTH * PER_OCTAVE + 1) / PER_OCTAVE
        self._sizes = [place.capacity_bytes * 2.0**steps for place in places[number : number + 2]]
        pieces = [0, *(place.unit_bytes for place in places)]
        base, _ = np.linalg.qr(
            search.design((*places[:number], *places[number + 2 :]), (*pieces[:number], *pieces[number + 2 :]))
        )
        rest = search.target - base @ (base.T @ search.target)
        near, far = (
            np.concatenate([search.models[place.unit_bytes].misses(sizes, kind, piece) for kind in ALL_KINDS], axis=1)
            for place, sizes, piece in zip(places[number : number + 2], self._sizes, pieces[number:], strict=False)
        )
        near, far = (one * search.weight[:, None] for one in (near, far))
        near, far = (one - base @ (base.T @ one) for one in (near, far))
        kinds, size = len(ALL_KINDS), steps.size
        self.costs = (float(rest @ rest) - self._gain(near, far, rest)).reshape(kinds, size, kinds, size)
        """An array of shape (kinds, capacities, kinds, capacities); infinite where it is out of order."""

    def _gain(self, near: Floats, far: Floats, rest: Floats) -> Floats:
        """Return what each pair explains; minus infinity where capacities are out of order or a time is negative."""
        one, two = near.T @ rest, far.T @ rest
        own, other = np.einsum("ij,ij->j", near, near), np.einsum("ij,ij->j", far, far)
        both = near.T @ far
        whole = own[:, None] * other[None, :]
        area = whole - both**2
        first = one[:, None] * other[None, :] - two[None, :] * both
        second = two[None, :] * own[:, None] - one[:, None] * both
        good = (first > 0) & (second > 0) & (area > LENGTH * whole) & self._ordered()
        gain = (one[:, None] * first + two[None, :] * second) / np.where(good, area, 1.0)
        return np.where(good, gain, -np.inf)

    def _ordered(self) -> Truths:
        near, far = (np.tile(sizes, len(ALL_KINDS)) for sizes in self._sizes)
        before = self._places[self._number - 1].capacity_bytes * APART if self._number else 0.0
        after = self._places[self._number + 2].capacity_bytes if self._number + 2 < len(self._places) else np.inf
        units = [place.unit_bytes for place in self._places[self._number : self._number + 2]]
        good = (near >= max(before, units[0]))[:, None] & ((far >= units[1]) & (APART * far <= after))[None, :]
        return np.asarray(good & (far[None, :] >= APART * near[:, None]))

    def kinds(self) -> list[tuple[Place, ...]]:
        """Return the places with the best capacities of each two kinds, those with the least cost first."""
        least = self.costs.min(axis=(1, 3))
        found = []
        for at in np.argsort(least, axis=None):
            first, second = (int(part) for part in np.unravel_index(at, least.shape))
            if not np.isfinite(least[first, second]):
                break
            own = self.costs[first, :, second, :]
            size = np.unravel_index(int(np.argmin(own)), own.shape)
            moved = [
                replace(place, capacity_bytes=float(sizes[step]), kind=ALL_KINDS[kind])
                for place, sizes, step, kind in zip(
                    self._places[self._number :], self._sizes, size, (first, second), strict=False
                )
            ]
            found.append((*self._places[: self._number], *moved, *self._places[self._number + 2 :]))
        return found

    def within(self, limit: float) -> tuple[list[Kind], ...]:
        """Return for both levels each kind whose cost is within the limit: its least cost, and least, best and largest
        capacity in bytes.
        """
        found = []
        for axes, sizes in zip(((2, 3), (0, 1)), self._sizes, strict=True):
            level: list[Kind] = []
            for kind, own in zip(ALL_KINDS, self.costs.min(axis=axes), strict=True):
                if (inside := sizes[own <= limit]).size:
                    best = sizes[int(np.argmin(own))]
                    level.append((kind, float(own.min()), float(inside[0]), float(best), float(inside[-1])))
            found.append(level)
        return tuple(found)
