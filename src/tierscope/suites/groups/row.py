"""One row of the table `groups`, which its findings, figure and terminal form read."""

from typing import Annotated

from tierscope.tables import JudgedRow
from tierscope.tables.rows import Bandwidth, Col, Count, PerS, Size, Time
from tierscope.tables.usual import AllArrays, PageSize, Threads, Where


class GroupsRow(JudgedRow, frozen=True, kw_only=True):
    """A group of an experiment."""

    experiment: Annotated[Count, Col("experiment", private=True, help="its number in the file, from 0")]
    group: Annotated[Count, Col("group", help="its number in the experiment, from 0")]
    label: Annotated[str, Col("label", help="of its experiment, as the file names it")]
    role: Annotated[str, Col("role", help="as the file names it")]
    kernel: Annotated[str, Col("kernel", help="its name in the catalogue")]
    chain: Annotated[str, Col("chain", help="steps of the kernel `chain`, as the file has them; empty for others")] = ""
    threads: Threads
    target: Where
    source: Annotated[
        str, Col("source", help="of arrays that are only read, or of b of a chain; empty: the target", tier=True)
    ] = ""
    footprint_bytes: AllArrays
    page_bytes: PageSize
    bandwidth: Annotated[Bandwidth | None, Col("bandwidth", help="median, program bytes")]
    source_bandwidth: Annotated[
        Bandwidth | None, Col("source bandwidth", help="the part of it on the source; null without a source")
    ] = None
    operations_per_s: Annotated[
        PerS | None, Col("operations", help="median, lines of each array, hops, chains, or calls")
    ]
    operation_bytes: Annotated[Size | None, Col("bytes", help="program bytes of one operation")] = None
    source_bytes: Annotated[
        Size | None, Col("source bytes", help="the part of them on the source; null without a source")
    ] = None
    latency: Annotated[
        Time | None,
        Col(
            "latency",
            help="median time of one access of one thread, or of one operation of a `chain`; null for kernels whose "
            "accesses do not wait for each other",
        ),
    ]
