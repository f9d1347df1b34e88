"""Rows of the tables `page_ratio` and `far_memory`."""

from typing import Annotated

from tierscope.tables import JudgedRow
from tierscope.tables.rows import Bandwidth, BytesPerS, Col, Count, Quotient, Ratio, Seconds, Share, Size, Time
from tierscope.tables.usual import AllArrays, Threads


class InterleaveRow(JudgedRow, frozen=True, kw_only=True):
    """The bandwidth of all CPUs on arrays whose pages alternate between two memories."""

    near: Annotated[str, Col("near", help="such as `node:0`", tier=True)]
    far: Annotated[str, Col("far", help="such as `node:1`", tier=True)]
    near_pages: Annotated[Count, Col("pages near", help="of one turn")]
    far_pages: Annotated[Count, Col("pages far", help="of one turn")]
    far_share: Annotated[Share, Col("asked far", help="share of the pages asked for on far")]
    found_far_share: Annotated[
        Share | None, Col("found far", help="share of the bytes that were found on far; null if not verified")
    ]
    bandwidth: Annotated[Bandwidth | None, Col("bandwidth", help="median, program bytes of all CPUs")]
    over_near: Annotated[
        Quotient | None, Col("over near", help="bandwidth over that of near alone; null where that was not measured")
    ]
    kernel: Annotated[str, Col("kernel", help="such as `read`")]
    threads: Threads
    footprint_bytes: AllArrays
    page_bytes: Annotated[Size | None, Col("pages", help="page size of most of these bytes, as verified")]


class FarMemoryRow(JudgedRow, frozen=True, kw_only=True):
    """One memory: its cost, and whether it matches the firmware's report."""

    memory: Annotated[str, Col("memory", help="`near` or `far`")]
    target: Annotated[str, Col("target", help="such as `node:1`", tier=True)]
    latency: Annotated[Time | None, Col("latency", help="median time of one dependent access, the machine being idle")]
    latency_over_near: Annotated[Quotient | None, Col("over near", help="ratio of the latencies; null for near")]
    bandwidth: Annotated[Bandwidth | None, Col("bandwidth", help="all CPUs on this memory alone; null if not measured")]
    bandwidth_over_near: Annotated[
        Quotient | None, Col("over near", help="ratio of the bandwidths; null for near, and if not measured")
    ]
    reported_latency_s: Annotated[
        Seconds | None,
        Col("reported latency", help="of reads, by the firmware (HMAT), from the node of the CPUs; null without"),
    ]
    latency_over_reported: Annotated[Ratio | None, Col("over reported", help="latency over what is reported")]
    reported_bandwidth_bytes_per_s: Annotated[
        BytesPerS | None,
        Col("reported bandwidth", help="of reads, by the firmware; a rated value, which loads may not reach"),
    ]
    bandwidth_over_reported: Annotated[Ratio | None, Col("over reported", help="bandwidth over what is reported")]
