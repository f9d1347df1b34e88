"""A column: one key of a flat row, with its description for people."""

import msgspec


class Column(msgspec.Struct, frozen=True):
    """One key of a table's rows. help: what it means, in light Markdown with links relative to docs/reference/."""

    name: str
    title: str  # as shown to people, without its unit
    unit: str  # "B/s", "B", "s", "1/s", "1" (a ratio or a count), "" (words, truth values)
    tier: bool = False  # it names a target: across origins that is another word, and the point may yet be the same
    private: bool = False  # text or a number that means something with the user's own files only: a command, an object
    help: str = ""  # a bound, `X_low` or `X_high`, needs none
