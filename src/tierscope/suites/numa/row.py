"""Rows of the tables `numa` and `injection`, which their findings, figures and terminal forms read."""

from typing import Annotated

from tierscope.tables import JudgedRow
from tierscope.tables.rows import (
    Bandwidth,
    BytesPerS,
    Col,
    Count,
    PeakShare,
    Quotient,
    Ratio,
    Seconds,
    Share,
    Size,
    Time,
)
from tierscope.tables.usual import AllArrays


class NumaRow(JudgedRow, frozen=True, kw_only=True):
    """The speed of the CPUs of one node with the memory of another one, or of their own."""

    initiator: Annotated[int, Col("initiator", help="node whose CPUs ask")]
    target: Annotated[int, Col("target", help="node whose memory answers", tier=True)]
    latency: Annotated[
        Time | None, Col("latency", help="median time of one dependent access of one CPU, the machine being idle")
    ]
    latency_ratio: Annotated[
        Ratio | None, Col("over local", help="over the initiator's own node, or the nearest that was measured")
    ]
    bandwidth: Annotated[Bandwidth | None, Col("bandwidth", help="median program bytes of all CPUs of the initiator")]
    bandwidth_ratio: Annotated[
        Ratio | None, Col("over local", help="over the initiator's own node, or the nearest that was measured")
    ]
    loaded_latency: Annotated[
        Time | None,
        Col("under load", help="the same latency while the other CPUs of the initiator run the kernel on this target"),
    ] = None
    distance: Annotated[
        Count | None,
        Col("distance", help="as the firmware reports it (SLIT): 10 is a node to itself; null if it does not"),
    ]
    cpus: Annotated[Count, Col("CPUs of the target", help="CPUs of the target; 0: memory alone, such as CXL")]
    reported_latency_s: Annotated[
        Seconds | None,
        Col(
            "reported latency", help="of reads, as the firmware reports it (HMAT); null for initiators without a report"
        ),
    ]
    reported_bandwidth_bytes_per_s: Annotated[
        BytesPerS | None,
        Col(
            "reported bandwidth",
            help="of reads, or of writes if the kernel only writes, as the firmware reports it (HMAT)",
        ),
    ]
    on_target_share: Annotated[
        Share | None,
        Col(
            "on the target",
            help=(
                "share of the bytes of all experiments that were found on the target; null if it could not be verified"
            ),
        ),
    ]
    kernel: Annotated[str | None, Col("kernel", help="of the bandwidth")]
    threads: Annotated[Count | None, Col("threads", help="of the bandwidth")]
    footprint_bytes: Annotated[Size | None, Col("footprint", help="of the bandwidth, all arrays together")]
    page_bytes: Annotated[Size | None, Col("pages", help="page size of most of these bytes, as verified")]


class InjectionRow(JudgedRow, frozen=True, kw_only=True):
    """The rate of a node, or of the whole machine, while all nodes use their own memory with one kernel."""

    kernel: Annotated[str, Col("kernel", help="its name in the catalogue, as `mix_3r1w`")]
    node: Annotated[str, Col("node", help="its number, or `all`")]
    bandwidth: Annotated[Bandwidth | None, Col("bandwidth", help="median program bytes while all nodes are at work")]
    alone: Annotated[
        Bandwidth | None,
        Col("alone", help="the same of this node while the others are idle; of `all`: the sum of the nodes"),
    ]
    over_alone: Annotated[
        Quotient | None,
        Col("over alone", help="bandwidth over that alone; null where one node is all"),
    ]
    bus_bytes_per_s: Annotated[
        BytesPerS | None,
        Col("bus", help="bandwidth with the read of lines before they are written; null where it is unknown"),
    ]
    peak_share: Annotated[
        PeakShare | None, Col("share of peak", help="of `all`: bus bytes over the theoretical peak; null where unknown")
    ]
    read_share: Annotated[Share | None, Col("reads", help="share of the program bytes that the kernel loads")]
    store: Annotated[str, Col("stores", help="`none`, `plain`, `nt`")]
    coverage: Annotated[
        Share | None, Col("coverage", help="least share of a node's timed blocks within the time in which all worked")
    ]
    threads: Annotated[Count, Col("threads", help="one on each CPU that may be used")]
    on_target_share: Annotated[
        Share | None,
        Col("on the target", help="share of the bytes that were found on their node; null if not verified"),
    ]
    footprint_bytes: AllArrays
    page_bytes: Annotated[Size | None, Col("pages", help="page size of most of these bytes, as verified")]
