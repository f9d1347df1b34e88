"""The main number of a point in one run, as `compare`, `history` and exports of several runs take it."""

import msgspec


class Number(msgspec.Struct, frozen=True):
    """The main number of a point in one run; bounds are the number itself where there is no interval."""

    value: float
    low: float
    high: float
    conclusive: bool
    footprint: float | None = None  # bytes; None where the point has none
    drifts: bool = False  # inconclusive only because the machine changes from visit to visit or from run to run


Numbers = dict[str, dict[str, Number]]
"""Measure -> point in words -> its main number."""
