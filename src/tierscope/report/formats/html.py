"""HTML: one file that loads nothing. A report is the page of a run, an export shows runs side by side.

The page carries Vega, Vega-Lite and vega-embed (BSD) as `vl_convert` bundles them; 877 KiB, as gzip 400 KiB. Its
Content-Security-Policy forbids every request, evaluates no text as code, and runs only its own scripts.
Licences of what it carries: page/notice.txt. Side by side, no script runs: bars of one table share a scale, and a thin
line on the end of a bar is the interval.
"""

import base64
import functools
import gzip
import json
from collections.abc import Iterator, Sequence
from typing import Any

from tierscope import __version__
from tierscope.compare.measures import measures
from tierscope.compare.number import Number
from tierscope.compare.points import named, points, said
from tierscope.errors import UsageError
from tierscope.record.origin import banner
from tierscope.record.result import Run
from tierscope.report import picture
from tierscope.report.content import Content, gather
from tierscope.report.formats import Export, File, Format, Report, formats
from tierscope.report.pages import PAGE, colours, pages
from tierscope.report.policy import policy
from tierscope.report.provenance import began, host, model
from tierscope.report.view import page
from tierscope.sound import reads

SNIPPET = "window.vegaEmbed = vegaEmbed;"
HOSTS = ("https://vega.github.io", "https://github.com")
"""In the bundle: names of formats, a button that is not shown, a hint; none is needed."""


def one_page(run: Run) -> Iterator[File]:
    """Yield report.html."""
    yield File("report.html", render(gather(run)).encode())


@reads("the page")
def render(content: Content) -> str:
    """Return the whole page. The template, or `script_json` within the script, escapes every text of the run."""
    from markupsafe import Markup

    environment = pages()
    specs = {drawing.figure.name: drawing.spec for drawing in content.drawings}
    style, script = f"{colours()}\n{(PAGE / 'page.css').read_text()}", (PAGE / "page.js").read_text()
    trusted = {
        "policy": policy([style], [script, libraries()]),
        "style": style,
        "script": script,
        "bundle": bundle(),
        "notice": (PAGE / "notice.txt").read_text(),
        "specs": script_json(specs),
    }
    marked = {name: Markup(text) for name, text in trusted.items()}  # noqa: S704 (ours, or escaped by script_json)
    return environment.get_template("page.html.jinja").render(**page(content), **marked)


def script_json(value: Any) -> str:
    """Return JSON that is safe in a script element: no `<`, `>`, `&` and no line separators of JavaScript's own."""
    text = json.dumps(_packed(value), separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def _packed(value: Any) -> Any:
    """Return data `values` as `columns` and `packed` rows: the page's script makes objects of them again."""
    if isinstance(value, list):
        return [_packed(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    return {key: _columns(entry) if key == "values" else _packed(entry) for key, entry in value.items()}


def _columns(rows: list[Any]) -> Any:
    """Return the columns of data; the `values` of an axis are plain numbers and stay."""
    if not rows or not isinstance(rows[0], dict):
        return rows
    columns = list(dict.fromkeys(key for row in rows for key in row))
    return {"columns": columns, "packed": [[row.get(name) for name in columns] for row in rows]}


@functools.cache
def libraries() -> str:
    """Return the libraries as one script, without names of hosts."""
    text = picture.bundle(SNIPPET)
    for name in HOSTS:
        text = text.replace(name, "")
    return text


@functools.cache
def bundle() -> str:
    """Return the libraries, gzip in base64 for the page to unpack."""
    return base64.b64encode(gzip.compress(libraries().encode(), mtime=0)).decode()


def side_by_side(runs: Sequence[Run]) -> bytes:
    """Return the machines, then a bar for each number of each point; every text is escaped by the template."""
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
        "started": began(result.started),
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
    """Return the text, and in percent of the longest bar: its end and the interval."""
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


formats.add(
    Format(
        "html",
        Report(
            "The report, `report.html`: one HTML file that loads nothing, with every figure, table, "
            "finding and command.",
            one_page,
        ),
        Export(
            "One HTML file of several runs side by side, which loads nothing: the machines, then a bar "
            "for each number.",
            side_by_side,
        ),
    )
)
