"""Latency of each line over the size of fresh regions: the curve in which a memory's own buffers show.

    latency = mean time of an operation of one thread over whole regions / lines of a block     [s]

as `stats.fresh` takes it: a median would leave out the first lines of a region, which miss more.
Reads are dependent; of a block above one line all lines are under way at once. Writes are stores past the caches with
a fence behind each region. `scattered` regions follow one another at random, others by address. `fit_s` is what the
buffers that `run buffers` found would give (`buffers_found`).
Blind to the tail: a mean hides single slow accesses.
Source: Z. Wang et al., "Characterizing and Modeling Non-Volatile Memory Systems", MICRO 2020 (LENS).
"""

from typing import Annotated, ClassVar

from tierscope.record.result import Run
from tierscope.tables import Flat, Insight, JudgedRow, Main, tables
from tierscope.tables.buffers_found import fits
from tierscope.tables.measured import records
from tierscope.tables.regions import row_of
from tierscope.tables.rows import Col, Ratio, Seconds, Size, Time


class RegionsRow(JudgedRow, frozen=True, kw_only=True):
    """One row of `regions`."""

    operation: Annotated[
        str,
        Col("operation", help="`read`: dependent reads; `write`: stores past the caches, a fence behind each region"),
    ]
    region_bytes: Annotated[Size, Col("region", help="each line of the region was visited once before the next region")]
    block_bytes: Annotated[Size, Col("block", help="read or written at a time")]
    scattered: Annotated[bool, Col("scattered", help="true: regions follow one another at random; false: by address")]
    latency: Annotated[Time | None, Col("time per line", help="time per line of 64 bytes")]
    fit_s: Annotated[
        Seconds | None, Col("fit", help="what the buffers found would give; null where none were looked for")
    ]
    footprint_bytes: Annotated[Size, Col("footprint", help="that all regions share")]
    ways: Annotated[Ratio | None, Col("memories", help="interleaved memories that the run knew of; null: one")]
    grain_bytes: Annotated[Size | None, Col("each in turn", help="consecutive bytes in each of them")]
    page_bytes: Annotated[Size, Col("pages", help="page size of most of the bytes")]
    target: Annotated[str, Col("target", help="as `node:0`", tier=True)]


class Regions:
    """One row for each operation, region and block, of `run buffers` and `run latency regions=fresh`."""

    name: ClassVar[str] = "regions"
    title: ClassVar[str] = "Fresh regions"
    keys: ClassVar[tuple[str, ...]] = ("operation", "region_bytes", "block_bytes", "scattered", "target", "page_bytes")
    main: ClassVar[tuple[Main, ...]] = (Main("latency_s", less_is_better=True),)
    row: ClassVar[type[RegionsRow]] = RegionsRow

    def rows(self, run: Run) -> list[Flat]:
        rows = [row_of(run, record) for record in records(run, self.name)]
        for row, fit in zip(rows, fits(rows), strict=True):
            row["fit_s"] = fit
        return rows

    def insights(self, run: Run, rows: list[Flat]) -> list[Insight]:
        """None: `buffers` says what they show."""
        del run, rows
        return []


tables.add(Regions())
