"""Markdown: for each table one line per point and one column per run, for an issue or a merge request."""

from collections.abc import Sequence
from typing import ClassVar

from tierscope.compare.measures import measures
from tierscope.compare.points import named, points, said
from tierscope.errors import UsageError
from tierscope.record.origin import named as origin_named
from tierscope.record.result import Run
from tierscope.report.exports import exports
from tierscope.report.provenance import host, model
from tierscope.report.writers.markdown import escape


class Markdown:
    """The main number of each point, half of its interval, and a question mark where it is inconclusive."""

    name: ClassVar[str] = "markdown"
    text: ClassVar[bool] = True

    def render(self, runs: Sequence[Run]) -> bytes:
        found, names = points(runs), named(runs)
        if not found:
            raise UsageError("no table of these runs has a point to set side by side; csv has all values")
        lines = ["| run | host | processor | origin | started |", "|---|---|---|---|---|"]
        lines += [_run(name, run) for name, run in zip(names, runs, strict=True)]
        for table, rows in found.items():
            lines += ["", f"## {escape(table.replace('_', ' '))}", ""]
            lines.append("| point | " + " | ".join(escape(name) for name in names) + " |")
            lines.append("|---|" + "---:|" * len(names))
            for point, numbers in rows.items():
                cells = [said(numbers.get(index), measures()[table].unit) for index in range(len(runs))]
                lines.append(f"| {escape(point)} | " + " | ".join(cells) + " |")
        return ("\n".join(lines) + "\n").encode()


def _run(name: str, run: Run) -> str:
    result = run.result
    facts = (
        name,
        host(result),
        model(result),
        origin_named(result.origin, result.origin_by),
    )
    return f"| {' | '.join(escape(fact) for fact in facts)} | {escape(result.started)} |"


exports.add(Markdown())
