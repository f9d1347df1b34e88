"""The smallest format: one line of text for each insight of a report, or for each value of an export.

A format may have only one of the two uses: leave the other one out. State the units if they are not base units.
"""

from collections.abc import Iterator, Sequence

from tierscope.printable import printable
from tierscope.record.result import Run
from tierscope.report.content import gather
from tierscope.report.exported import cells
from tierscope.report.formats import Export, File, Format, Report, formats


def insights(run: Run) -> Iterator[File]:
    """Yield report.txt, for `tierscope report RUN --format skeleton`; equal runs give equal files."""
    # `gather` returns all that a report shows: sections with rows and insights, drawings, the audit.
    lines = [f"{name}: {one.text}" for name, section in gather(run).sections.items() for one in section.insights]
    # The name states an origin other than hardware: report-simulated.txt. `printable` removes control characters.
    yield File("report.txt", _text([run.result.suite, *lines]))


def values(runs: Sequence[Run]) -> bytes:
    """Return the whole file, for `tierscope export RUN RUN --to skeleton`; equal runs give equal bytes."""
    # `cells` yields every value of every table of every run.
    return _text([f"{one.table} {one.key} {one.word if one.value is None else one.value}" for one in cells(runs)])


def _text(lines: Sequence[str]) -> bytes:
    return "".join(f"{printable(line)}\n" for line in lines).encode()


formats.add(
    Format(
        "skeleton",
        Report("The smallest report: one line of text for each insight, `report.txt`.", insights),
        # text=False: it needs --out FILE.
        Export("The smallest export: one line of text for each value of each run, `table key value`.", values),
    )
)
