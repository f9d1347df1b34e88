"""One row of the table `buffers`, which its findings, figure and terminal form read."""

from typing import Annotated

from tierscope.stats.median import Interval
from tierscope.tables import JudgedRow
from tierscope.tables.rows import Col, Count, Ratio, Seconds, Size, Time, Unit
from tierscope.tables.usual import Where

Bytes = Annotated[Interval, Unit("B", "_bytes", least=0)]
"""Whole numbers."""


class BuffersRow(JudgedRow, frozen=True, kw_only=True):
    """A part that the curves of fresh regions show."""

    part: Annotated[
        str,
        Col("part", help=("`buffer 1` to `buffer 3`, `medium`, `writes`: what joins lines on their way to the medium")),
    ]
    capacity: Annotated[
        Bytes | None, Col("capacity", help="found; null where there is none, or only a lower bound is known")
    ]
    capacity_least_bytes: Annotated[
        Size | None,
        Col(
            "capacity at least", help="lower bound, where no region shows the whole knee; null if the capacity is known"
        ),
    ]
    round_bytes: Annotated[
        Size | None,
        Col("round", help="the power of two, or 1.5 x a power of two, in that interval; null if there is none"),
    ]
    ranged: Annotated[
        bool,
        Col("range", help="true: the capacity is anywhere in its interval, and no value in it is more likely"),
    ]
    unit: Annotated[
        Bytes | None,
        Col("unit", help="brought in, or written, at a time; bounds: the units that the curve does not rule out"),
    ]
    latency: Annotated[
        Time | None,
        Col(
            "latency",
            help=(
                "of a line found there, all before it included; of `writes`: time of a line that is joined with none; "
                "null where only a lower bound is known"
            ),
        ),
    ]
    latency_least_s: Annotated[
        Seconds | None,
        Col(
            "latency at least",
            help=(
                "of `medium`: lower bound, where the last buffer is larger than the regions; null if the latency is "
                "known"
            ),
        ),
    ]
    reach_bytes: Annotated[
        Size | None,
        Col(
            "shown up to",
            help=(
                "of `medium`: a buffer up to this capacity shows; a larger one need not, and its latency is then that "
                "of the medium; null of other parts"
            ),
        ),
    ]
    amplification: Annotated[
        Ratio | None,
        Col(
            "amplification",
            help=(
                "of `writes`: bytes written to the medium for each asked, where each line is alone; null of other parts"
            ),
        ),
    ]
    amplification_most: Annotated[
        Ratio | None,
        Col(
            "at most",
            help=(
                "of a buffer: bytes that a read transfers for each requested byte, with lines in random order, if "
                "the buffer contains data; fewer if it contains addresses; null where the unit has no upper bound"
            ),
        ),
    ]
    round_as: Annotated[
        str | None,
        Col(
            "round as if it contained what is nearer",
            help=(
                "`holding`: the measured capacity is round, as if the buffer also contained what is nearer; "
                "`beside`: it is round only without that; `cannot be told`: neither"
            ),
        ),
    ]
    page_walk_s: Annotated[
        Seconds | None,
        Col(
            "first line of a region",
            help=("added by the first line of a region that does not follow by address; null where nothing is"),
        ),
    ]
    misfit: Annotated[
        Ratio,
        Col(
            "misfit",
            help=(
                "root mean square of what the model leaves, over the errors of the points; above 3 something else "
                "shapes the curve"
            ),
        ),
    ]
    points: Annotated[Count, Col("regions", help="regions that it rests on")]
    target: Where
