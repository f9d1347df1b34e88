"""One pair of CPUs at one moment of the run."""

from typing import Annotated

from tierscope.tables import JudgedRow
from tierscope.tables.rows import Bandwidth, Col, Count, Quotient
from tierscope.tables.usual import Where


class SharingRow(JudgedRow, frozen=True, kw_only=True):
    """The resources that two CPUs share at one moment."""

    a_cpu: Annotated[int, Col("CPU", help="the first CPU")]
    b_cpu: Annotated[int, Col("and CPU", help="the other")]
    moment: Annotated[Count, Col("moment", help="number of the measurement of this pair in the run, from 0")]
    at: Annotated[str, Col("at", help="start of the measurement, UTC, ISO 8601")]
    listed: Annotated[str, Col("listed as", help="`own`: the system lists two cores; `shared`: one core")]
    core: Annotated[str, Col("core", help="as measured: `own`, `shared`, `not known`")]
    slowdown: Annotated[
        Quotient | None,
        Col(
            "within the core",
            help="time of an operation that touches no memory while both run, over that alone: 2 on one core; null on "
            "a simulated machine",
        ),
    ]
    path: Annotated[
        str,
        Col(
            "path to memory",
            help="`free`: two threads get more than one; `full`: they do not; `not known`, also if they share a core",
        ),
    ]
    gain: Annotated[
        Quotient | None,
        Col("two threads over one", help="bandwidth of both at the same time over that of the first alone"),
    ]
    bandwidth: Annotated[Bandwidth | None, Col("one thread", help="median program bytes of the first CPU alone")]
    core_kernel: Annotated[
        str | None, Col("kernel in the core", help="`busy`; null on a simulated machine, whose CPUs are cores")
    ]
    kernel: Annotated[str, Col("kernel on memory", help="`write_nt`, or the one that was asked for")]
    target: Where
