"""Latency of each line over the size of fresh regions: the curve in which a memory's own buffers show.

    latency = mean time of an operation of one thread over whole regions / lines of a block     [s]

as `stats.fresh` takes it: a median would leave out the first lines of a region, which miss more.
Reads are dependent; of a block above one line all lines are under way at once. Writes are stores past the caches with
a fence behind each region. `scattered` regions follow one another at random, others by address. `fit_s` is what the
buffers that `run buffers` found would give (`buffers_found`).
Blind to the tail: a mean hides single slow accesses.
Source: Z. Wang et al., "Characterizing and Modeling Non-Volatile Memory Systems", MICRO 2020 (LENS).
"""

from typing import ClassVar

from tierscope.record.result import Run
from tierscope.tables import Column, Flat, Insight, Main, tables
from tierscope.tables.buffers_found import fits
from tierscope.tables.measured import CLOSING, records
from tierscope.tables.regions import row_of


class Regions:
    """One row for each operation, region and block, of `run buffers` and `run latency regions=fresh`."""

    name: ClassVar[str] = "regions"
    title: ClassVar[str] = "Fresh regions"
    keys: ClassVar[tuple[str, ...]] = ("operation", "region_bytes", "block_bytes", "scattered", "target", "page_bytes")
    main: ClassVar[tuple[Main, ...]] = (Main("latency_s", less_is_better=True),)
    columns: ClassVar[tuple[Column, ...]] = (
        Column(
            "operation",
            "operation",
            "",
            help="`read`: dependent reads; `write`: stores past the caches, a fence behind each region",
        ),
        Column("region_bytes", "region", "B", help="each line of the region was visited once before the next region"),
        Column("block_bytes", "block", "B", help="read or written at a time"),
        Column("scattered", "scattered", "", help="true: regions follow one another at random; false: by address"),
        Column("latency_s", "time per line", "s", help="time per line of 64 bytes"),
        Column("latency_low", "low", "s"),
        Column("latency_high", "high", "s"),
        Column("fit_s", "fit", "s", help="what the buffers found would give; null where none were looked for"),
        Column("footprint_bytes", "footprint", "B", help="that all regions share"),
        Column("ways", "memories", "1", help="interleaved memories that the run knew of; null: one"),
        Column("grain_bytes", "each in turn", "B", help="consecutive bytes in each of them"),
        Column("page_bytes", "pages", "B", help="page size of most of the bytes"),
        Column("target", "target", "", tier=True, help="as `node:0`"),
        *CLOSING,
    )

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
