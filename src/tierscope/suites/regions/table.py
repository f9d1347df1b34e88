"""Latency of each line over the size of fresh regions: the curve that shows a memory's own buffers.

    latency = mean time of an operation of one thread over whole regions / lines of a block     [s]

This is as in `stats.fresh`: a median would leave out the first lines of a region, which miss more.
Reads are dependent; if a block has several lines, all of them are in flight together. Writes are stores past the caches
with a fence behind each region. `scattered` regions follow one another at random, others by address. `fit_s` is the
time that the buffers that `run buffers` found would give (`buffers_found`).
Blind to the tail: a mean hides single slow accesses.
Source: Z. Wang et al., "Characterizing and Modeling Non-Volatile Memory Systems", MICRO 2020 (LENS).
"""

from typing import ClassVar

from msgspec.structs import replace

from tierscope.record.result import Run
from tierscope.tables import Insight, Main, tables
from tierscope.tables.buffers_found import fits
from tierscope.tables.measured import records
from tierscope.tables.regions import RegionsRow, row_of


class Regions:
    """One row for each operation, region and block, of `run buffers` and `run latency regions=fresh`."""

    name: ClassVar[str] = "regions"
    title: ClassVar[str] = "Fresh regions"
    keys: ClassVar[tuple[str, ...]] = (
        "operation", "region_bytes", "block_bytes", "scattered", "stride_bytes", "target", "page_bytes",
    )  # fmt: skip
    main: ClassVar[tuple[Main, ...]] = (Main("latency_s", less_is_better=True),)
    row: ClassVar[type[RegionsRow]] = RegionsRow

    def rows(self, run: Run) -> list[RegionsRow]:
        rows = [row_of(run, record) for record in records(run, self.name)]
        return [
            replace(row, fit_s=fit) for row, fit in zip(rows, fits(rows, run.result.machine.line_bytes()), strict=True)
        ]

    def insights(self, run: Run, rows: list[RegionsRow]) -> list[Insight]:
        """Return none: `buffers` reports what they show."""
        del run, rows
        return []


tables.add(Regions())
