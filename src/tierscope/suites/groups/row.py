"""One row of the table `groups`, which its findings, figure and terminal form read."""

from typing import Annotated

from tierscope.tables import JudgedRow
from tierscope.tables.rows import Bandwidth, Col, Count, PerS, Size, Time


class GroupsRow(JudgedRow, frozen=True, kw_only=True):
    """A group of an experiment."""

    experiment: Annotated[Count, Col("experiment", help="its number in the file, from 0")]
    group: Annotated[Count, Col("group", help="its number in the experiment, from 0")]
    label: Annotated[str, Col("label", help="of its experiment, as the file names it")]
    role: Annotated[str, Col("role", help="as the file names it")]
    kernel: Annotated[str, Col("kernel", help="its name in the catalogue")]
    threads: Annotated[Count, Col("threads", help="one on each CPU")]
    target: Annotated[str, Col("target", help="such as `node:0`", tier=True)]
    footprint_bytes: Annotated[Size, Col("footprint", help="all arrays together")]
    page_bytes: Annotated[Size | None, Col("pages", help="page size of most of the bytes, as verified")]
    bandwidth: Annotated[Bandwidth | None, Col("bandwidth", help="median, program bytes")]
    operations_per_s: Annotated[PerS | None, Col("operations", help="median, lines of each array, hops, or calls")]
    latency: Annotated[
        Time | None,
        Col("latency", help="median time of one access of one thread; null unless the kernel is `chase` or `probe`"),
    ]
