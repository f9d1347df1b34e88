"""The columns of all cells of rivals: how often each region misses a buffer of each kind, unit and capacity.

Behind another buffer, the columns differ only in regions at random, and only where units are not whole in those of the
buffer before. There are some 100 000 cells, so that the columns of one curve take 80 MB.
"""

import numpy as np

from tierscope.arrays import Floats
from tierscope.stats.buffers_kinds import ALL_KINDS
from tierscope.stats.buffers_search import Search

BEHIND = 16  # units of the buffer before whose rows are kept: each takes some 20 MB


class Columns:
    """Columns of shape (points, cells): kinds, then units, then capacities."""

    def __init__(self, search: Search, units: list[int], sizes: Floats, misses: Floats | None = None) -> None:
        """Prepare the columns of cells with these units and capacities, in bytes.

        misses: of other columns for the same regions and cells.
        """
        self._search, self._units = search, units
        self._shape = (len(ALL_KINDS), len(units), sizes.size)
        self._scattered = np.flatnonzero(search.fresh.scattered)
        self.misses = _misses(search, units, sizes) if misses is None else misses
        self._alone = self.misses * search.weight[:, None]
        self._own = _squares(self._alone)
        self._columns = np.empty((0, 0))
        self._piece = 0  # of these
        self._rows: dict[int, tuple[Floats, Floats]] = {}
        self._hits: Floats | None = None

    def behind(self, piece: int) -> tuple[Floats, Floats]:
        """Return the columns of all cells behind a buffer with this unit, 0 if there is none, and their squares.

        Only where units are not whole in pieces do they differ, in regions at random. The next call changes them.
        """
        if self._search.fresh.ways > 1 or not self._units:
            piece = 0
        if not piece:
            return self._alone, self._own
        if not self._columns.size:
            self._columns = self._alone.copy()
        if piece != self._piece:
            if piece not in self._rows:
                self._columns[self._scattered] = rows = self._rows_behind(piece)
                for old in list(self._rows)[: 1 - BEHIND]:
                    del self._rows[old]
                self._rows[piece] = rows, _squares(self._columns)
            else:
                self._columns[self._scattered] = self._rows[piece][0]
            self._piece = piece
        return self._columns, self._rows[piece][1]

    def _rows_behind(self, piece: int) -> Floats:
        """Return the columns in regions at random, of shape (those, cells and capacities)."""
        if self._hits is None:
            share, first = self._first_visits(0)
            alone = self._alone[self._scattered].reshape(-1, *self._shape)
            self._hits = np.where(first < 1, 1 - alone / share, 0.0) / np.where(first < 1, 1 - first, 1.0)
        share, first = self._first_visits(piece)
        rows = share * (1 - (1 - first) * self._hits)
        return np.asarray(rows.reshape(self._scattered.size, -1), dtype=np.float64)

    def _first_visits(self, piece: int) -> tuple[Floats, Floats]:
        """Return the shares of `Unit.first_visits` for regions at random, of shape (those, 1, units, 1).

        The first one is weighted as columns are.
        """
        own = [self._search.models[unit].first_visits(piece) for unit in self._units]
        shares, firsts = (np.stack(one, axis=1)[self._scattered][:, None, :, None] for one in zip(*own, strict=True))
        return shares * self._search.weight[self._scattered, None, None, None], firsts


def _misses(search: Search, units: list[int], sizes: Floats) -> Floats:
    """Return the shares of visits that miss each cell, of shape (points, cells)."""
    found = [search.models[unit].misses(sizes, kind) for kind in ALL_KINDS for unit in units]
    return np.concatenate(found, axis=1) if found else np.empty((search.points, 0))


def _squares(columns: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->j", columns, columns))
