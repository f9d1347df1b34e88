"""One row of the table `stride`, which its findings, figure and terminal form read."""

from typing import Annotated

from tierscope.tables import JudgedRow
from tierscope.tables.rows import Bandwidth, Col, Rate, Share, Size
from tierscope.tables.usual import Threads, Where


class StrideRow(JudgedRow, frozen=True, kw_only=True):
    """The bandwidth of one way of access with one access size and stride."""

    op: Annotated[str, Col("operation", help="`read`, `write`")]
    store: Annotated[str | None, Col("store", help="how writes leave the core, as `nt`; null for reads")]
    order: Annotated[str, Col("order", help="of the accesses: `sequential`, `random`")]
    threads: Threads
    access_bytes: Annotated[Size, Col("access", help="touched at each access")]
    stride_bytes: Annotated[Size, Col("stride", help="from one access to the next")]
    bandwidth: Annotated[Bandwidth | None, Col("bandwidth", help="bytes touched, of all threads; not those between")]
    lines: Annotated[Rate | None, Col("lines", help="lines of the caches that are touched")]
    best_share: Annotated[
        Share | None,
        Col(
            "share of the best",
            help=(
                "bandwidth over the best of the same operation, store, order and threads; null where it may be cached"
            ),
        ),
    ]
    target: Where
    touched_bytes: Annotated[Size, Col("touched", help="all lines that are touched, together")]
    cached: Annotated[
        bool,
        Col(
            "may be cached",
            help=("true: so few that they may stay in the caches; the row is inconclusive and counts for no sentence"),
        ),
    ]
    footprint_bytes: Annotated[Size, Col("footprint", help="over which they are spread")]
    page_bytes: Annotated[Size | None, Col("pages", help="page size of most of the bytes")]

    @property
    def kind(self) -> tuple[str, str | None, str, int, str]:
        """Return what rows have in common that differ only in access size and stride."""
        return self.op, self.store, self.order, self.threads, self.target
