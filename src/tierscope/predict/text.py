"""Predictions in a terminal: a table for each memory, then how far they were from what was measured."""

from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tierscope.draw import cells
from tierscope.predict.rows import Predicted
from tierscope.printable import printable
from tierscope.units import show_seconds

UNKNOWN = "not known"  # how far off it may be
WIDTH = 90  # columns of all HEADS
HEADS = ("what", "keys", "before", "predicted", "between", "measured", "error")


def show(found: Sequence[Predicted], notes: Sequence[str], console: Console) -> None:
    """Print times of one operation; a '?' marks what is outside of what the model knows."""
    for word in dict.fromkeys(one.memory for one in found):
        of_it = [one for one in found if one.memory == word]
        heads = [head for head in HEADS if any(_cells(one)[head] != cells.NOTHING for one in of_it)]
        if len(heads) == len(HEADS) and console.width < WIDTH:
            heads.remove("before")
        title = Text(f"One operation on {printable(word)}", style="bold")
        table = Table(box=None, pad_edge=False)
        for head in heads:
            table.add_column(head, justify="left" if head == HEADS[0] else "right", header_style="dim", no_wrap=True)
        for one in of_it:
            table.add_row(*(Text(_cells(one)[head]) for head in heads))
        console.print(title, table, sep="\n")
        console.print(*_score(of_it), sep="\n")
    for note in dict.fromkeys([*notes, *(text for one in found for text in one.warnings)]):
        console.print(Text(f"Note: {printable(note)}."))


def _cells(one: Predicted) -> dict[str, str]:
    error = f"{one.error_share:+.1%}" if one.error_share is not None else cells.NOTHING
    values = (
        printable(one.what),
        str(one.count),
        show_seconds(one.before_s) if one.before_s else cells.NOTHING,
        show_seconds(one.latency_s) + (" ?" if any("extrapolated" in text for text in one.warnings) else ""),
        _span(one),
        show_seconds(one.measured_s) if one.measured_s else cells.NOTHING,
        error if one.inside is not False else f"{error} !",
    )
    return dict(zip(HEADS, values, strict=True))


def _span(one: Predicted) -> str:
    """Return '99.2 to 99.7 ns', with the unit once if both have it."""
    if one.low_s is None or one.high_s is None:
        return UNKNOWN
    low, high = show_seconds(one.low_s), show_seconds(one.high_s)
    return f"{low.split()[0] if low.split()[1:] == high.split()[1:] else low} to {high}"


def _score(found: Sequence[Predicted]) -> list[str]:
    """Return the errors at points that were measured and that the model has not seen."""
    errors = [abs(one.error_share) for one in found if one.error_share is not None]
    if not errors:
        return [""]
    inside = sum(bool(one.inside) for one in found)
    told = (
        f"{len(errors)} points that the model has not seen: error {np.mean(errors):.1%} on average, "
        f"{max(errors):.1%} at most"
    )
    bounded = sum(one.inside is not None for one in found)
    of = "" if bounded == len(errors) else f" of {bounded} that have bounds"
    return [f"{told}; {inside}{of} within the bounds (! marks the others)", ""]
