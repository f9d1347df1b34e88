"""A figure of a command as a file: PNG, a page, or SVG, by the ending of its name."""

from pathlib import Path
from typing import Any

from tierscope.compare.comparison import span
from tierscope.compare.waterfall import READING, waterfall
from tierscope.draw.theme import Spec
from tierscope.errors import MachineError, UsageError, reason
from tierscope.files import write_to
from tierscope.printable import printable, printable_all
from tierscope.report import picture
from tierscope.report.figure_page import Beside, figure_page
from tierscope.report.standalone import standalone

ENDINGS = (".svg", ".png", ".html")


def drawable(path: Path | None) -> None:
    """Raise UsageError for a name that shows no format, before anything is measured or computed."""
    if path is not None and path.suffix.lower() not in ENDINGS:
        raise UsageError(f"--figure {path} has no known ending; name a file that ends in one of {', '.join(ENDINGS)}")


def draw(spec: Spec, path: Path, beside: Beside | None = None) -> None:
    """Write the figure; raise MachineError if the file cannot be written.

    `beside`: the additional content of a page.
    """
    drawable(path)
    try:
        write_to(path, _content(printable_all(spec), path.suffix.lower(), beside or Beside()))
    except OSError as error:
        raise MachineError(f"cannot write {path}: {reason(error)}; try another --figure PATH") from error


def draw_waterfall(rows: list[dict[str, Any]], least: float, path: Path, beside: tuple[str, list[str]]) -> None:
    """Draw ratios of points, see `waterfall`.

    `beside`: what numbers are that are not real, and sentences below the figure.
    """
    heads = ("point", "ratio", "interval", "verdict")
    cells = [(printable(row["point"]), f"{row['ratio']:.3f}", span(row), row["verdict"]) for row in rows]
    draw(waterfall(rows, least), path, Beside(READING, beside[0], beside[1], heads, cells))


def _content(spec: Spec, ending: str, beside: Beside) -> bytes:
    if ending == ".html":
        return figure_page(spec, beside).encode()
    if ending == ".png":
        return picture.png(standalone(spec))
    return picture.svg(standalone(spec)).encode()
