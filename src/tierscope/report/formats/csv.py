"""CSV: RFC 4180, but lines end in a single line feed.

A text that a spreadsheet would compute, `=1+1`, has an apostrophe before it; numbers stay unchanged. A report has one
wide file for each table. An export has one line for each value, so that several runs and tables are one file with one
head.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from tierscope.printable import cell
from tierscope.record.experiment import Label
from tierscope.record.result import Run
from tierscope.report.content import gather
from tierscope.report.exported import FIELDS, cells
from tierscope.report.formats import Export, File, Format, Report, formats


def tables(run: Run) -> Iterator[File]:
    """Yield tables/NAME.csv for each table that has rows."""
    for section in gather(run).sections.values():
        names = [column.name for column in section.columns]
        rows = ([row.get(name) for name in names] for row in section.rows)
        yield File(f"tables/{section.name}.csv", _sheet(names, rows))


def values(runs: Sequence[Run]) -> bytes:
    """Return one line for each value of each run."""
    return _sheet(FIELDS, ([getattr(one, name) for name in FIELDS] for one in cells(runs)))


def _sheet(names: Iterable[str], rows: Iterable[Iterable[Label]]) -> bytes:
    """Return a head of column names, then one line for each row."""
    stream = io.StringIO()
    sheet = csv.writer(stream, lineterminator="\n")
    sheet.writerow(names)
    sheet.writerows([_plain(value) for value in row] for row in rows)
    return stream.getvalue().encode()


def _plain(value: Label) -> str:
    """Return the cell: absent values are empty, truth is true or false."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return cell(value) if isinstance(value, str) else str(value)


formats.add(
    Format(
        "csv",
        Report(
            "Every table as a CSV file in base units, `tables/NAME.csv`: RFC 4180, but lines end in a "
            "single line feed.",
            tables,
        ),
        Export(
            "CSV, one line for each value: run, host, origin, start, table, number of the row, key, unit, value, text.",
            values,
        ),
    )
)
