"""Parquet, the same values as CSV in typed columns, zstd; the value of a text is null."""

from collections.abc import Sequence

import numpy as np

from tierscope import duck
from tierscope.errors import MachineError
from tierscope.record.result import Run
from tierscope.report.exported import FIELDS, cells
from tierscope.report.formats import Export, Format, formats


def packed(runs: Sequence[Run]) -> bytes:
    """Return the file of Parquet, by DuckDB, which writes to a file alone."""
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
        raise MachineError(f"the rows cannot be packed as Parquet: {error}; free memory") from error


formats.add(
    Format(
        "parquet",
        export=Export(
            "Parquet, the same values as CSV in typed columns, zstd; the value of a text is null.", packed, text=False
        ),
    )
)
