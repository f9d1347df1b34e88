"""One HTML file of several runs side by side, which loads nothing: the machines, then a bar for each number.

It loads nothing and runs no script. Bars of one table share a scale; a thin line on a bar's end is the interval.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from tierscope import __version__
from tierscope.compare.measures import measures
from tierscope.compare.points import Number, named, points, said
from tierscope.errors import UsageError
from tierscope.record.origin import banner
from tierscope.record.result import Run
from tierscope.report.content import gather
from tierscope.report.exports import exports
from tierscope.report.pages import PAGE, pages
from tierscope.report.policy import policy
from tierscope.report.provenance import host, model
from tierscope.report.writers.html import colours


class Html:
    """Self-contained; every text of the runs is escaped by the template."""

    name: ClassVar[str] = "html"
    text: ClassVar[bool] = True

    def render(self, runs: Sequence[Run]) -> bytes:
        from markupsafe import Markup

        found, names = points(runs), named(runs)
        if not found:
            raise UsageError("no table of these runs has a point to set side by side; csv has all values")
        environment = pages()
        style = "\n".join((colours(), *((PAGE / name).read_text() for name in ("page.css", "side_by_side.css"))))
        text = environment.get_template("side_by_side.html.jinja").render(
            policy=Markup(policy([style], style_attributes=True)),  # noqa: S704 (ours)
            style=Markup(style),  # noqa: S704 (ours)
            runs=[_facts(name, run) for name, run in zip(names, runs, strict=True)],
            names=names,
            tables=[_table(table, rows, len(runs)) for table, rows in found.items()],
            version=__version__,
        )
        return text.encode()


def _facts(name: str, run: Run) -> dict[str, Any]:
    result = run.result
    return {
        "name": name,
        "host": host(result),
        "model": model(result),
        "suite": result.suite,
        "started": result.started,
        "banner": banner(result.origin, result.origin_by),
        "failures": [f"{one.identity}: {one.text}" for one in gather(run).audit.failures],
    }


def _table(table: str, rows: dict[str, dict[int, Number]], runs: int) -> dict[str, Any]:
    most = max((number.high for numbers in rows.values() for number in numbers.values()), default=0.0)
    column = measures()[table].column
    lines = [
        {"point": point, "cells": [_cell(numbers.get(index), most, column.unit) for index in range(runs)]}
        for point, numbers in rows.items()
    ]
    return {"title": table.replace("_", " "), "unit": column.title, "lines": lines}


def _cell(number: Number | None, most: float, unit: str) -> dict[str, Any] | None:
    """Text, and in per cent of the longest bar: its end and the interval."""
    if number is None:
        return None
    scale = 100 / most if most > 0 else 0.0
    low, high = number.low * scale, number.high * scale
    return {
        "text": said(number, unit),
        "width": round(number.value * scale, 2),
        "low": round(low, 2),
        "span": round(high - low, 2),
    }


exports.add(Html())
