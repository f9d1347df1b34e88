"""Parquet, the same values as CSV in typed columns, zstd; the value of a text is null."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from tierscope import duck
from tierscope.errors import MachineError
from tierscope.record.result import Run
from tierscope.report.exported import FIELDS, cells
from tierscope.report.exports import exports


class Parquet:
    """Written by DuckDB, which writes to a file alone."""

    name: ClassVar[str] = "parquet"
    text: ClassVar[bool] = False

    def render(self, runs: Sequence[Run]) -> bytes:
        found = list(cells(runs))
        columns = {name: np.array([getattr(cell, name) for cell in found], dtype=object) for name in FIELDS}
        columns["row"] = columns["row"].astype(np.uint32)
        columns["value"] = columns["value"].astype(np.float64)  # None becomes NaN, and NaN null
        kept = ", ".join(
            "CASE WHEN isnan(value) THEN NULL ELSE value END AS value" if f == "value" else f'"{f}"' for f in FIELDS
        )
        try:
            return duck.parquet(columns, kept)
        except duck.DuckError as error:
            raise MachineError(f"the rows cannot be packed as Parquet: {error}; make room in memory") from error


exports.add(Parquet())
