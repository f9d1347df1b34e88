"""One row of the table. It is not in `table.py` because findings, figure and terminal form read it, too."""

from typing import Annotated

from tierscope.tables import JudgedRow
from tierscope.tables.rows import Bandwidth, Col, Size


# The fields are the columns, in this order; those of `JudgedRow` (verdict, reasons, blocks, share left out, origin)
# follow them. `tables.rows` has the units: Seconds, Size, Count, Ratio, Share, and of intervals Time, Bandwidth,
# Rate, Quotient. `tables.usual` has whole columns that several tables share. An interval is one field and becomes
# three columns: `bandwidth` becomes `bandwidth_bytes_per_s`, `bandwidth_low` and `bandwidth_high`. A number that may
# be absent is `| None`; NaN becomes None.
class SkeletonRow(JudgedRow, frozen=True, kw_only=True):
    """A footprint that one CPU read."""

    # `Col` is the title without the unit, and the help that the reference prints.
    footprint_bytes: Annotated[Size, Col("footprint", help="bytes that the CPU reads")]
    bandwidth: Annotated[Bandwidth | None, Col("bandwidth", help="median of the bytes that the CPU reads per second")]
    target: Annotated[str, Col("target", tier=True, help="location of the bytes, as `node:0`")]
