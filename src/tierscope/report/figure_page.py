"""One figure of a command as a page: the picture in the colours of light or dark, its statement, and its rows.

It loads nothing and runs no script; texts are escaped by the template.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tierscope import __version__
from tierscope.draw.theme import Spec
from tierscope.report import picture
from tierscope.report.pages import PAGE, colours, pages
from tierscope.report.policy import policy
from tierscope.report.standalone import inline


@dataclass(frozen=True, slots=True)
class Beside:
    """The content around a figure: how to read it, sentences below it, and a table."""

    reading: str = ""
    origin: str = ""  # what numbers are that are not real
    said: Sequence[str] = ()
    heads: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()


def figure_page(spec: Spec, beside: Beside) -> str:
    """Return the whole page."""
    from markupsafe import Markup

    drawn = picture.svg(inline({key: spec[key] for key in spec if key != "title"}))
    style = "\n".join((colours(), *((PAGE / name).read_text() for name in ("page.css", "figure.css"))))
    return (
        pages()
        .get_template("figure.html.jinja")
        .render(
            policy=Markup(policy([style], style_attributes=True)),  # noqa: S704 (ours)
            style=Markup(style),  # noqa: S704 (ours)
            picture=Markup(drawn),  # noqa: S704 (texts are escaped by the renderer)
            title=spec["title"],
            notes=spec["usermeta"]["tierscope"]["notes"],
            beside=beside,
            version=__version__,
        )
    )
