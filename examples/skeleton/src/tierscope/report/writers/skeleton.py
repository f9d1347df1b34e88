"""The smallest format of a report: one line of text for each insight.

`tierscope report RUN --format skeleton` writes it. Equal runs give equal files, and a file is replaced as a whole.
"""

from pathlib import Path

from tierscope.files import write_atomically
from tierscope.printable import printable
from tierscope.record.result import Run
from tierscope.report.content import gather
from tierscope.report.writers import file_name, writers


class Skeleton:
    """One text."""

    name = "skeleton"

    def write(self, run: Run, directory: Path) -> list[Path]:
        """Write report.txt; return the files that were written."""
        # `gather` has all that a report shows: sections with rows and insights, drawings, the audit.
        directory.mkdir(parents=True, exist_ok=True)
        lines = [f"{name}: {one.text}" for name, section in gather(run).sections.items() for one in section.insights]
        # A name carries an origin that is not real: report-simulated.txt. `printable` removes control characters.
        path = directory / file_name("report", run, "txt")
        write_atomically(path, "".join(f"{printable(line)}\n" for line in [run.result.suite, *lines]).encode())
        return [path]


writers.add(Skeleton())
