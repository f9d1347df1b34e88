"""CSV, one line for each value: run, host, origin, start, table, number of the row, key, unit, value, text.

Several runs and tables stand below one another, so that other programs need one file and one head. RFC 4180, but lines
end in a single line feed, and a text that a spreadsheet would compute has an apostrophe before it.
"""

import csv
import io
from collections.abc import Sequence
from typing import ClassVar

from tierscope.printable import cell
from tierscope.record.result import Run
from tierscope.report.exported import FIELDS, cells
from tierscope.report.exports import exports


class Csv:
    """Long form; `tierscope report RUN --format csv` writes one wide file for each table."""

    name: ClassVar[str] = "csv"
    text: ClassVar[bool] = True

    def render(self, runs: Sequence[Run]) -> bytes:
        stream = io.StringIO()
        sheet = csv.writer(stream, lineterminator="\n")
        sheet.writerow(FIELDS)
        for one in cells(runs):
            sheet.writerow([_plain(getattr(one, name)) for name in FIELDS])
        return stream.getvalue().encode()


def _plain(value: str | float | None) -> str | float:
    return "" if value is None else cell(value) if isinstance(value, str) else value


exports.add(Csv())
