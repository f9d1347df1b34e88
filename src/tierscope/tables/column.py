"""A column: one key of a flat row, with its description for people."""

from enum import Enum

import msgspec


class Shown(Enum):
    """How people read a number, which its unit alone does not state."""

    BY_UNIT = "as numbers of its unit are"
    PERCENT = "a share of a whole, in percent"
    LONG = "time of a whole task, in seconds"
    OPERATIONS = "operations of storage per second, without a prefix"
    AS_ASKED = "a size as it was asked for: 8 KB stays 8 KB"


class Column(msgspec.Struct, frozen=True):
    """One key of a table's rows. help: what it means, in light Markdown with links relative to docs/reference/."""

    name: str
    title: str  # as shown to people, without its unit
    unit: str  # "B/s", "B", "s", "1/s", "1" (a ratio or a count), "" (words, truth values)
    tier: bool = False  # it names a target: across origins that is another word, and the point may yet be the same
    private: bool = False  # text or a number that means something with the user's own files only: a command, an object
    shown: Shown = Shown.BY_UNIT
    help: str = ""  # a bound, `X_low` or `X_high`, needs none
