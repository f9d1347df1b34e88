"""CSV, one line for each value: run, host, origin, start, table, number of the row, key, unit, value, word.

Several runs and tables stand below one another, so that other programs need one file and one head. RFC 4180, but lines
end in a single line feed.
"""

import csv
import io
from collections.abc import Sequence
from typing import ClassVar

from tierscope.report.exported import FIELDS, cells
from tierscope.report.exports import exports
from tierscope.result import Run


class Csv:
    """Long form; `tierscope report RUN --format csv` writes one wide file for each table."""

    name: ClassVar[str] = "csv"
    text: ClassVar[bool] = True

    def render(self, runs: Sequence[Run]) -> bytes:
        stream = io.StringIO()
        sheet = csv.writer(stream, lineterminator="\n")
        sheet.writerow(FIELDS)
        for cell in cells(runs):
            values = [getattr(cell, name) for name in FIELDS]
            sheet.writerow(["" if value is None else value for value in values])
        return stream.getvalue().encode()


exports.add(Csv())
