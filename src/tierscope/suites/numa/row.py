"""One row of the table `numa`, which its findings, figure and terminal form read."""

from typing import Annotated

from tierscope.tables import JudgedRow
from tierscope.tables.rows import Bandwidth, BytesPerS, Col, Count, Ratio, Seconds, Share, Size, Time


class NumaRow(JudgedRow, frozen=True, kw_only=True):
    """What the CPUs of one node reach of the memory of another one, or of their own."""

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
                "share of the bytes of both experiments that were found on the target; null if it could not be verified"
            ),
        ),
    ]
    kernel: Annotated[str | None, Col("kernel", help="of the bandwidth")]
    threads: Annotated[Count | None, Col("threads", help="of the bandwidth")]
    footprint_bytes: Annotated[Size | None, Col("footprint", help="of the bandwidth, all arrays together")]
    page_bytes: Annotated[Size | None, Col("pages", help="page size of most of these bytes, as verified")]
