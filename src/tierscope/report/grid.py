"""What the forms of tables in a terminal are made of; `terminal_tables` draws them."""

from collections.abc import Callable

from tierscope.tables import Row

Grid = tuple[str, list[tuple[str, bool]], list[list[str]]]
"""Title, heads with whether they are numbers, rows."""

Cell = Callable[[Row | None, str, str, Callable[[float], str]], str]
"""(row, key, stem, text) -> '3.62 ±0.4%' of a key whose bounds are stem_low and stem_high."""
