"""A number as it was printed: its value, and what its last digit is worth."""

import re

from tierscope.errors import UsageError

PREFIXES = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9}
PATTERN = re.compile(r"([+-]?[0-9]{1,40})(?:\.([0-9]{0,40}))?(?:[eE]([+-]?[0-9]{1,2}))?\s*([kKMG]?)")

PLAIN = re.compile(r"[0-9]{1,20}(\.[0-9]{1,20})?")
"""A number without sign, exponent and prefix."""


def printed(word: str) -> tuple[float, float]:
    """Return (35200, 100) for '35.2k'; UsageError if it is not a number, and for the commas of other languages."""
    match = PATTERN.fullmatch(word.strip())
    if match is None:
        comma = "; a comma is not a decimal point here: print it with LC_ALL=C" if "," in word else ""
        raise UsageError(f"{word.strip()[:40]!r} is not a number{comma}")
    whole, fraction, exponent, prefix = match.groups()
    scale = PREFIXES[prefix] * 10.0 ** int(exponent or 0)
    value = float(f"{whole}.{fraction or '0'}") * scale
    return value, scale * 10.0 ** -len(fraction or "")
