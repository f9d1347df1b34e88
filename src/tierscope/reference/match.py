"""How a published column compares with a number of ours: what a line `# compare:` of a table states.

    # compare: COLUMN = TABLE.KEY | PART | PART ...

where a PART is one of

  - where COLUMN=WORD     keeps these rows of the published table
  - times N               the published number counts N times, such as a copied byte that it counts once
  - room N                as published up to this ratio, such as 1.05 of slowdowns: most numbers are within 1.25 of them
  - per COLUMN            the published number is divided by that column of its row
  - per COLUMN=WORD       the same, by its own column in the row that differs in this one word
  - over KEY=VALUE        our number is divided by ours in the row that differs in this one key
  - KEY=TEMPLATE          our key: a word, a pattern, {COLUMN}, {N-COLUMN} for the rest of N, or {most}, our largest
"""

import re
from dataclasses import dataclass, field

ROOM = 1.25
FILLED = re.compile(r"\{(?:(\d+)-)?(\w+)\}")  # a template: of one column, or the rest of a number


@dataclass(frozen=True)
class Match:
    """One line `# compare:`, parsed."""

    column: str
    table: str
    key: str
    where: dict[str, str]
    keys: dict[str, str]
    times: float = 1.0
    per: dict[str, str] = field(default_factory=dict)  # column -> word of the row to divide by; "": of the same row
    over: dict[str, str] = field(default_factory=dict)  # our key -> value of the row to divide by
    room: float = ROOM  # largest ratio to the published number, in either direction, that is as published


def read_match(name: str, words: str, columns: set[str]) -> Match:
    """Return what a line states; ValueError names the table, the line and the form.

    words: such as 'copy_mb_s = stream.bandwidth_bytes_per_s | kernel=copy | threads={threads}'.
    """
    first, *rest = (part.strip() for part in words.split("|"))
    column, _, target = (word.strip() for word in first.partition("="))
    table, _, key = target.partition(".")
    found: dict[str, dict[str, str]] = {"where": {}, "times": {}, "room": {}, "per": {}, "over": {}, "": {}}
    for part in rest:
        kind, _, pair = part.partition(" ") if part.split(" ")[0] in found else ("", "", part)
        left, _, right = pair.partition("=")
        found[kind][left] = right
    keys, times, room = found[""], "".join(found["times"]) or "1", "".join(found["room"]) or f"{ROOM}"
    named = {column, *found["where"], *found["per"], *(m[2] for w in keys.values() if (m := FILLED.fullmatch(w)))}
    if not key or not keys or not named <= columns | {"most"} or not all(map(_is_number, (times, room))):
        raise ValueError(
            f"{name}: compare {words!r}; COLUMN = TABLE.KEY | KEY={{COLUMN}} is needed of columns that exist"
        )
    return Match(
        column, table, key, found["where"], keys, float(times), found["per"], found["over"], float(room)
    )  # fmt: skip


def _is_number(word: str) -> bool:
    try:
        return float(word) > 0
    except ValueError:
        return False
