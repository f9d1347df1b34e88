"""The report, `report.html`: one HTML file that loads nothing, with every figure, table, finding and command.

The page carries Vega, Vega-Lite and vega-embed (BSD) as `vl_convert` bundles them; 877 KiB, as gzip 400 KiB. Its
Content-Security-Policy forbids every request, evaluates no text as code, and runs only its own scripts.
Licences of what it carries: page/notice.txt.
"""

import base64
import functools
import gzip
import json
from pathlib import Path
from typing import Any

from tierscope.draw.theme import DARK, LIGHT
from tierscope.files import write_atomically
from tierscope.record.result import Run
from tierscope.report import picture
from tierscope.report.content import Content, gather
from tierscope.report.pages import PAGE, pages
from tierscope.report.policy import policy
from tierscope.report.view import page
from tierscope.report.writers import file_name, writers
from tierscope.sound import reads

SNIPPET = "window.vegaEmbed = vegaEmbed;"
HOSTS = ("https://vega.github.io", "https://github.com")
"""In the bundle: names of formats, a button that is not shown, a hint; none is needed."""


class Html:
    """One page."""

    name = "html"

    def write(self, run: Run, directory: Path) -> list[Path]:
        """report.html."""
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / file_name("report", run, "html")
        write_atomically(path, render(gather(run)).encode())
        return [path]


@reads("the page")
def render(content: Content) -> str:
    """The whole page. Every text of the run is escaped by the template, or by `script_json` within the script."""
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
    """JSON that may stand in a script element: no `<`, `>`, `&` and no line separators of JavaScript's own."""
    text = json.dumps(_packed(value), separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def _packed(value: Any) -> Any:
    """Data `values` as `columns` and `packed` rows: the page's script makes objects of them again."""
    if isinstance(value, list):
        return [_packed(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    return {key: _columns(entry) if key == "values" else _packed(entry) for key, entry in value.items()}


def _columns(rows: list[Any]) -> Any:
    """Of data; the `values` of an axis are plain numbers and stay."""
    if not rows or not isinstance(rows[0], dict):
        return rows
    columns = list(dict.fromkeys(key for row in rows for key in row))
    return {"columns": columns, "packed": [[row.get(name) for name in columns] for row in rows]}


@functools.cache
def libraries() -> str:
    """The libraries as one script, without names of hosts."""
    text = picture.bundle(SNIPPET)
    for host in HOSTS:
        text = text.replace(host, "")
    return text


@functools.cache
def bundle() -> str:
    """The libraries, gzip in base64 for the page to unpack."""
    return base64.b64encode(gzip.compress(libraries().encode(), mtime=0)).decode()


def colours() -> str:
    """The roles of `theme` as style rules: light, dark by the system or by hand, and always light on paper."""
    light, dark = (";".join(f"--{role}:{value}" for role, value in theme.items()) for theme in (LIGHT, DARK))
    return (
        f":root{{{light};color-scheme:light}}\n"
        f"@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark};color-scheme:dark}}}}\n"
        f":root[data-theme=dark]{{{dark};color-scheme:dark}}\n"
        f"@media print{{:root,:root:not([data-theme=light]),:root[data-theme=dark]{{{light};color-scheme:light}}}}"
    )


writers.add(Html())
