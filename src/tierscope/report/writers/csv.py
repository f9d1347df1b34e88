"""Every table as a CSV file in base units, `tables/NAME.csv`: RFC 4180, but lines end in a single line feed.

A text that a spreadsheet would compute, `=1+1`, has an apostrophe before it; numbers stay as they are.
"""

import csv
import io
from pathlib import Path

from tierscope.files import write_atomically
from tierscope.printable import cell
from tierscope.record.experiment import Label
from tierscope.record.result import Run
from tierscope.report.content import Section, gather
from tierscope.report.writers import file_name, folder_of, writers


class Csv:
    """One file per table."""

    name = "csv"

    def write(self, run: Run, directory: Path) -> list[Path]:
        """tables/NAME.csv for each table that has rows."""
        folder = folder_of(directory, "tables")
        paths = []
        for section in gather(run).sections.values():
            path = folder / file_name(section.name, run, "csv")
            write_atomically(path, text(section).encode())
            paths.append(path)
        return paths


def text(section: Section) -> str:
    """A head of column names, then one line per row; absent values are empty, truth is true or false."""
    stream = io.StringIO()
    sheet = csv.writer(stream, lineterminator="\n")
    names = [column.name for column in section.columns]
    sheet.writerow(names)
    sheet.writerows([_plain(row.get(name)) for name in names] for row in section.rows)
    return stream.getvalue()


def _plain(value: Label) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return cell(value) if isinstance(value, str) else str(value)


writers.add(Csv())
