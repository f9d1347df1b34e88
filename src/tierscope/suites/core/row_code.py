"""Rows of the table `core_code`."""

from typing import Annotated

from tierscope.tables import JudgedRow
from tierscope.tables.rows import Col, Count, Size, Time
from tierscope.tables.usual import Where


class CoreCodeRow(JudgedRow, frozen=True, kw_only=True):
    """One loop of much generated code."""

    level: Annotated[str, Col("level", help='the cache that contains the code: `L2`; "" of the nearest, and of jumps')]
    footprint_bytes: Annotated[Size, Col("code", help="bytes of code of one iteration")]
    straight: Annotated[Count, Col("straight", help="lines of 64 bytes of a run, on average; it ends in a jump")]
    jumps: Annotated[Count, Col("jumps in a line", help="runs in each line: 1 or 2")]
    time: Annotated[Time | None, Col("an iteration", help="median time of all of the code")]
    line: Annotated[Time | None, Col("a line", help="that time over the number of lines")]
    target: Where
