"""A run on disk as an object: its headline, its tables, its report."""

import os
from collections.abc import Iterator
from pathlib import Path

from tierscope.api.html import grid, line
from tierscope.api.table import Table
from tierscope.compare.measures import measures
from tierscope.compare.points import points, said
from tierscope.errors import UnknownNameError
from tierscope.record import result
from tierscope.record.origin import banner
from tierscope.registry import unknown
from tierscope.report.content import Content, gather
from tierscope.report.formats import write
from tierscope.report.top.top import top
from tierscope.sound import reads

SHOWN = 12  # points in a notebook


class Run:
    """One run. `path` is its directory, `result` all that it has: experiments, machine, options, warnings.

    Iterating gives the names of its tables; `run["stream"]` is one. All numbers are computed from the samples when
    they are asked for: ResultError if these are damaged.
    """

    def __init__(self, loaded: result.Run) -> None:
        self._run = loaded

    @property
    def path(self) -> Path:
        return self._run.path

    @property
    def result(self) -> result.Result:
        return self._run.result

    @property
    def headline(self) -> str:
        """Return the first sentence of the report, which rests on conclusive numbers alone."""
        return top(self._content).lead

    @property
    def insights(self) -> list[str]:
        """Return the sentences of the report in its order."""
        return [one.text for one in self._content.insights]

    @property
    def _content(self) -> Content:
        return gather(self._run)

    def __getitem__(self, name: str) -> Table:
        """Return a table that has rows; UnknownNameError for another."""
        sections = self._content.sections
        if name not in sections:
            raise UnknownNameError(unknown("table of this run", name, list(sections)))
        section = sections[name]
        return Table(name, {column.name: column.unit for column in section.columns}, section.rows)

    def __iter__(self) -> Iterator[str]:
        return iter(self._content.sections)

    def __len__(self) -> int:
        return len(self._content.sections)

    def report(self, format: str = "html", to: str | os.PathLike[str] | None = None) -> list[Path]:
        """Write the report, as `tierscope report`; return the paths of the files.

        format: one of `tierscope report --help`. to: a directory; None: that of the run. UnknownNameError for another
        format, MachineError or OSError where nothing can be written.
        """
        return write(format, self._run, self.path if to is None else Path(to))

    def __repr__(self) -> str:
        origin = "" if self.result.origin == "real" else f", {self.result.origin}"
        return f"<Run {self.result.suite}{origin}, {self.result.started}: {self.path}>"

    @reads("the table of a notebook")
    def _repr_html_(self) -> str:
        """Return headline and main numbers for a notebook: one small table, no script, every text escaped."""
        found = points([self._run])
        rows = [
            [name.replace("_", " "), point, said(numbers[0], measures()[name].unit)]
            for name, of_points in found.items()
            for point, numbers in of_points.items()
        ]
        origin = line(banner(self.result.origin, self.result.origin_by))
        table = grid(("table", "point", "main number"), rows[:SHOWN], len(rows) - SHOWN) if rows else ""
        return line(self.headline, bold=True) + origin + table


def load(directory: str | os.PathLike[str]) -> Run:
    """Return the run in a directory; ResultError for a directory that is none, or a damaged one."""
    return Run(result.load(Path(directory)))
