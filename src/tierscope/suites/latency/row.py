"""One row of the table `latency`, which its findings, figure and terminal form read."""

from typing import Annotated

from tierscope.tables import JudgedRow
from tierscope.tables.rows import Col, Size, Time
from tierscope.tables.usual import PageSize, Where


class LatencyRow(JudgedRow, frozen=True, kw_only=True):
    """The time of an access to one footprint, with one page size, probe and order."""

    footprint_bytes: Annotated[Size, Col("footprint", help="bytes visited")]
    page_bytes: PageSize
    latency: Annotated[
        Time | None, Col("latency", help="median time of one dependent access; of a block in the order `block`")
    ]
    probe: Annotated[
        str, Col("probe", help="`cycle`: each line once in a random order; `random`: each address drawn at random")
    ]
    order: Annotated[
        str,
        Col(
            "order",
            help=(
                "`global`; `page`: one 4 KiB page after another; `pair`: both lines of a pair one after the other; "
                "`window`: one eighth of the footprint after another; `block`: 16 lines at a time"
            ),
        ),
    ]
    locality_bytes: Annotated[Size, Col("locality", help="window of the order; 0 is the footprint")]
    element_bytes: Annotated[Size, Col("element", help="between two places")]
    target: Where
    pages: Annotated[str, Col("pages asked for", help="page size that was asked for: `thp`, `4k` ...")]
