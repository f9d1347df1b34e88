"""Small pieces of HTML for a notebook: text is escaped, nothing is loaded, no script runs."""

from collections.abc import Sequence
from html import escape

from tierscope.printable import printable


def text(words: object) -> str:
    """Return the words as text of a page."""
    return escape(printable(str(words)))


def line(words: str, *, bold: bool = False) -> str:
    """Return a paragraph; "" for no words."""
    if not words:
        return ""
    return f"<p>{'<b>' if bold else ''}{text(words)}{'</b>' if bold else ''}</p>"


def grid(heads: Sequence[str], rows: Sequence[Sequence[str]], more: int = 0) -> str:
    """Return one table, and how many rows it leaves out."""
    head = "".join(f"<th>{text(name)}</th>" for name in heads)
    body = "".join(f"<tr>{''.join(f'<td>{text(cell)}</td>' for cell in row)}</tr>" for row in rows)
    rest = line(f"{more} more rows") if more > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"
