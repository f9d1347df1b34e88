"""Columns that several tables have, with the same title and meaning in each."""

from typing import Annotated

from tierscope.tables.rows import Col, Count, Size

Where = Annotated[str, Col("target", help="such as `node:0`", tier=True)]
Threads = Annotated[Count, Col("threads", help="one on each CPU")]
AllArrays = Annotated[Size, Col("footprint", help="all arrays together")]
PageSize = Annotated[Size | None, Col("pages", help="page size of most of the bytes, as verified")]
Origin = Annotated[str, Col("origin", help="`real`, `emulated` or `simulated`")]
