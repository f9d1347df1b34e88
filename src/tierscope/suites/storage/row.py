"""One row of the table `storage`, which its findings, figures and terminal form read."""

from typing import Annotated

from tierscope.stats.median import Interval
from tierscope.tables import JudgedRow
from tierscope.tables.column import Shown
from tierscope.tables.rows import AskedSize, Bandwidth, Col, Count, Ratio, Seconds, Share, Size, Time, Unit


class StorageRow(JudgedRow, frozen=True, kw_only=True):
    """A job, or the reads or the writes of a mix."""

    operation: Annotated[str, Col("operation", help="the job: `read`, `write`, `mix`")]
    part: Annotated[str, Col("counted", help="whose operations are counted: `both` of a mix, or `read`, `write`")]
    order: Annotated[str, Col("order", help="`random`, `sequential`")]
    block_bytes: Annotated[AskedSize, Col("block", help="bytes of one operation")]
    depth: Annotated[Count, Col("depth", help="operations in flight that were asked for")]
    iops: Annotated[
        Annotated[Interval, Unit("1/s", "", shown=Shown.OPERATIONS)],
        Col("operations", help="operations per second: median over the repeats"),
    ]
    bandwidth: Annotated[Bandwidth, Col("bandwidth", help="iops times block")]
    latency: Annotated[Time, Col("mean latency", help="mean from submission to completion: median over the repeats")]
    latency_p50_s: Annotated[
        Seconds | None,
        Col(
            "p50",
            help=(
                "half of the operations of all repeats take no longer, by the bins of fio; null if fewer than 10 "
                "operations take longer"
            ),
        ),
    ]
    latency_p90_s: Annotated[Seconds | None, Col("p90", help="the same for 90 % of the operations")]
    latency_p99_s: Annotated[Seconds | None, Col("p99", help="the same for 99 % of the operations")]
    latency_p999_s: Annotated[Seconds | None, Col("p99.9", help="the same for 99.9 % of the operations")]
    latency_most_s: Annotated[Seconds, Col("longest", help="of the slowest operation")]
    in_flight: Annotated[
        Ratio,
        Col(
            "in flight",
            help=(
                "operations per second times mean latency (Little's law): median over the repeats; should be the depth"
            ),
        ),
    ]
    cpu_user: Annotated[Ratio, Col("CPU user", help="share of one CPU that fio took for itself")]
    cpu_system: Annotated[Ratio, Col("CPU system", help="share of one CPU that the system took for it")]
    read_share: Annotated[Share, Col("reads", help="reads among all operations, as asked")]
    engine: Annotated[str, Col("engine", help="`io_uring`, `libaio`, `psync`")]
    threads: Annotated[Count, Col("threads", help="that shared the depth: 1 where the engine has a queue")]
    access: Annotated[str, Col("I/O", help="`direct`, past the page cache, or `buffered`")]
    file_system: Annotated[str, Col("file system", help="such as `ext4`; empty for a device")]
    source: Annotated[str, Col("on", help="the device below it, as `/dev/vda`")]
    file_bytes: Annotated[Size, Col("file", help="size of the file")]
    target: Annotated[str, Col("target", help="such as `storage:/var/tmp`, `blockdev:/dev/sdb`", tier=True)]
    repeats: Annotated[Count, Col("repeats", help="that count, without those cut from the start")]

    @property
    def whole(self) -> bool:
        """Whether it is a job, and not the reads or the writes of a mix alone."""
        return self.part in ("both", self.operation)
