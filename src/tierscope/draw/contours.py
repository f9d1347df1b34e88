"""Lines of equal value through a grid, as straight pieces: marching squares.

Between the points of the grid the value is bilinear, so each cell is divided before its lines are drawn.
Source: W. E. Lorensen and H. E. Cline, "Marching Cubes: A High Resolution 3D Surface Construction Algorithm", SIGGRAPH
1987, in two dimensions; a cell with two lines takes the value of its middle to pair its sides.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from tierscope.arrays import Floats

Piece = tuple[float, float, float, float]
"""x, y of one end, and of the other."""

FINER = 6  # parts of each side of a cell


def finer(places: Floats) -> Floats:
    """Return the places with FINER parts between each two; shape (places,) -> ((places - 1) * FINER + 1,)."""
    steps = np.arange((places.size - 1) * FINER + 1) / FINER
    return np.asarray(np.interp(steps, np.arange(places.size), places))


def bilinear(x: Floats, y: Floats, values: Floats) -> tuple[Floats, Floats, Floats]:
    """Return a finer grid. x: shape (columns,); y: (rows,); values: (rows, columns)."""
    new_x, new_y = finer(x), finer(y)
    across = np.stack([np.interp(new_x, x, row) for row in values])
    down = np.stack([np.interp(new_y, y, column) for column in across.T], axis=1)
    return new_x, new_y, down


def contour(x: Floats, y: Floats, values: Floats, level: float) -> list[Piece]:
    """Return the pieces of a line. x and y rise; values: shape (rows, columns), all finite."""
    x, y, values = bilinear(x, y, values)
    pieces: list[Piece] = []
    for row in range(y.size - 1):
        for column in range(x.size - 1):
            corners = values[row : row + 2, column : column + 2]
            if corners.min() < level <= corners.max():
                pieces += _pieces(x[column : column + 2], y[row : row + 2], corners, level)
    return pieces


def _pieces(x: Floats, y: Floats, corners: Floats, level: float) -> Iterator[Piece]:
    """Yield one or two pieces of a cell that the line crosses."""
    (a, b), (d, c) = corners  # a, b below, c and d above them
    sides = [(a, b, (x[0], y[0]), (x[1], y[0])), (b, c, (x[1], y[0]), (x[1], y[1])),
             (c, d, (x[1], y[1]), (x[0], y[1])), (d, a, (x[0], y[1]), (x[0], y[0]))]  # fmt: skip
    cut = [_between(*side, level) for side in sides if (side[0] < level) != (side[1] < level)]
    if len(cut) == 4:
        low = (float(corners.mean()) < level) == (a < level)
        cut = cut if low else [cut[3], *cut[:3]]
    for first, second in zip(cut[::2], cut[1::2], strict=True):
        yield (*first, *second)


def _between(
    one: float, other: float, begin: Sequence[float], end: Sequence[float], level: float
) -> tuple[float, float]:
    share = (level - one) / (other - one)
    return float(begin[0] + share * (end[0] - begin[0])), float(begin[1] + share * (end[1] - begin[1]))
