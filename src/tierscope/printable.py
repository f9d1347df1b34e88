r"""Text that shows and does nothing else: a name in a foreign run must not steer a terminal, or turn a line around.

Text that is not printable (control characters C0 and C1, marks of direction, letters without a shape) is shown as an
escape that JSON and TOML know: `\u001b`. Source: Unicode Standard Annex 9, 2.1, on marks of direction; ECMA-48, 5.3, on
control functions in one byte of 8 bits.
"""

import json
from collections.abc import Callable
from typing import Any

FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""With these a cell of a spreadsheet begins that is computed. Source: OWASP, "CSV Injection"."""


def printable(text: str) -> str:
    """Return `text` on one line, each letter that is not printable as an escape."""
    return text if text.isprintable() else "".join(map(_shown, text))


def printable_lines(text: str) -> str:
    """Return `text` with each letter that is not printable as an escape; its line feeds stay."""
    return "\n".join(map(printable, text.split("\n")))


def _shown(letter: str) -> str:
    if letter.isprintable():
        return letter
    return f"\\u{ord(letter):04x}" if ord(letter) < 0x10000 else f"\\U{ord(letter):08x}"


def json_text(value: Any, *, ascii_only: bool = False) -> str:
    """Return an indented JSON document in which all is printable; numbers of numpy are numbers.

    NaN and infinity become null. The escapes are those of JSON: a reader finds the text as it was.
    """
    import msgspec  # 20 ms, and most commands print no JSON

    text = msgspec.json.format(msgspec.json.encode(value, enc_hook=_own), indent=1).decode()
    good = str.isascii if ascii_only else str.isprintable
    lines = (line if line.isprintable() and good(line) else _escaped(line, good) for line in text.split("\n"))
    return "\n".join(lines) + "\n"


def _escaped(line: str, good: Callable[[str], bool]) -> str:
    """Return the line with escapes.

    They are all within strings of JSON; in ASCII only the delete character needs one.
    """
    shown = (c if c.isprintable() and good(c) else json.dumps(c)[1:-1] if c > "\x7f" else "\\u007f" for c in line)
    return "".join(shown)


def _own(value: Any) -> Any:
    """Return a number of numpy, or an array of them, as Python's own; raise TypeError for anything else."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def cell(text: str) -> str:
    """Return `text` as a cell of a CSV file that no spreadsheet computes: a formula gets an apostrophe before it."""
    shown = printable(text)
    return f"'{shown}" if shown.lstrip().startswith(FORMULA) and not _is_number(shown) else shown


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def printable_all(value: Any) -> Any:
    """Return plain data with every text printable: XML has no place for control characters."""
    if isinstance(value, dict):
        return {key: printable_all(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [printable_all(entry) for entry in value]
    return printable(value) if isinstance(value, str) else value
