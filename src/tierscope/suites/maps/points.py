"""The common parts of the figures and the terminal form of `maps`."""

from collections.abc import Callable

from tierscope.draw.words import threads_name
from tierscope.suites.maps.row import MapsRow
from tierscope.units import show_bytes

WORDS: dict[str, Callable[[MapsRow], str]] = {
    "count": lambda row: f"{row.count} keys",
    "value_bytes": lambda row: f"values of {show_bytes(row.value_bytes)}",
    "threads": lambda row: threads_name(row.threads),
    "keys": lambda row: row.keys,
    "sharing": lambda row: "a structure each" if row.sharing == "own" else "one structure",
    "target": lambda row: row.target,
}
"""The settings of a row, without structure and operation."""


def varying(rows: list[MapsRow]) -> list[str]:
    """Return the names of the settings in which rows differ."""
    return [name for name, word in WORDS.items() if len({word(row) for row in rows}) > 1]


def chart(row: MapsRow, names: list[str]) -> str:
    """Return 'get, 50000 keys, 2 threads': the operation, and those settings in which rows differ."""
    return ", ".join([row.operation, *words(row, names)])


def words(row: MapsRow, names: list[str]) -> list[str]:
    """Return ['50000 keys', '2 threads']: one for each name."""
    return [WORDS[name](row) for name in names]
