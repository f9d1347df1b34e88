"""The templates of all pages: every text is escaped, and letters that are not printable are shown as escapes."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tierscope.draw.theme import DARK, LIGHT
from tierscope.printable import printable_lines

if TYPE_CHECKING:
    import jinja2

PAGE = Path(__file__).parent / "page"


@cache
def pages() -> "jinja2.Environment":
    """Return the environment of the templates in `page`; what is wrapped in Markup is trusted and stays unchanged.

    It is made once: compiling a template takes longer than filling it in.
    """
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(PAGE), autoescape=True, undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, finalize=_shown,
    )  # fmt: skip


def _shown(value: Any) -> Any:
    """Return printable text; markup is a str of its own type, and is ours."""
    return printable_lines(value) if type(value) is str else value


def colours() -> str:
    """Return the roles of `theme` as style rules: light, dark by the system or by hand, and always light on paper."""
    light, dark = (";".join(f"--{role}:{value}" for role, value in theme.items()) for theme in (LIGHT, DARK))
    return (
        f":root{{{light};color-scheme:light}}\n"
        f"@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark};color-scheme:dark}}}}\n"
        f":root[data-theme=dark]{{{dark};color-scheme:dark}}\n"
        f"@media print{{:root,:root:not([data-theme=light]),:root[data-theme=dark]{{{light};color-scheme:light}}}}"
    )
