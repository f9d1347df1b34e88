"""The door to the terminal for what Rich draws: tables, plots, progress."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console as RichConsole
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Span, Text

from tierscope.called import as_called, called, places
from tierscope.cli import door
from tierscope.printable import printable, printable_lines


class Console(RichConsole):
    """A terminal on which text is text: no markup, no names of emoji, and nothing that is not printable."""

    def __init__(self, *, stderr: bool = False, quiet: bool = False) -> None:
        super().__init__(stderr=stderr, quiet=quiet, markup=False, emoji=False, highlight=False)

    def on_broken_pipe(self) -> None:
        """Print nothing more: the reader has gone, and the measurement does not depend on it. Rich would exit."""
        self.quiet = True
        door.to_nowhere(self.file)

    def render_str(self, text: str, **how: Any) -> Text:
        """Return the text as Rich renders it, made printable."""
        return super().render_str(printable_lines(as_called(text)), **how)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Make texts printable before they are broken into lines; Rich's own control codes are not text."""
        for segment in super().render(_shown(renderable) if isinstance(renderable, Text) else renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield Segment(printable_lines(segment.text), segment.style)


def _shown(text: Text) -> Text:
    """Return the same text with escapes and our name as it was called, its styles where they were."""
    text = _named(text)
    if printable_lines(text.plain) == text.plain:
        return text
    pieces = [letter if letter == "\n" else printable(letter) for letter in text.plain]
    places = [0]
    for piece in pieces:
        places.append(places[-1] + len(piece))
    shown = text.blank_copy("".join(pieces))
    shown.spans = [Span(places[span.start], places[span.end], span.style) for span in text.spans]
    return shown


def _named(text: Text) -> Text:
    """Return the same text with the name by which this program was called; its styles cover the new name."""
    found = places(text.plain)
    if not found:
        return text
    named, end = text.blank_copy(), 0
    for first, last in found:
        style = text.get_style_at_offset(Console(), first)
        named.append_text(text[end:first]).append(called(), style)
        end = last
    return named.append_text(text[end:])
