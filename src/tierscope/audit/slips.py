"""Factors by which a person or a program makes numbers wrong by mixing up units: those that a quantity's unit has."""

DIGITS = ((10.0, "a digit was lost"), (100.0, "two digits were lost"))
PREFIXES = ((1e6, "two prefixes were lost"), (1e9, "three prefixes were lost"))
OF_BYTES = (
    *DIGITS,
    (1000.0, "a prefix was lost: k for one, M for k"),
    *PREFIXES,
    (1024.0, "a binary prefix was lost: MiB for KiB"),
    (1024.0**2, "two binary prefixes were lost"),
    (1.024, "KiB were taken for KB"),
    (1.024**2, "MiB were taken for MB"),
    (1.024**3, "GiB were taken for GB"),
    (8.0, "bits were taken for bytes"),
    (64.0, "lines were taken for bytes"),
)
OF_TIMES = (*DIGITS, (1000.0, "a prefix was lost: ms for us, or us for ns"), *PREFIXES)
OF_COUNTS = (*DIGITS, (1000.0, "a prefix was lost: k for one, M for k"), *PREFIXES)
OF_TIMES_AND_COUNTS = (*DIGITS, (1000.0, "a prefix was lost: ms for us, or k for one"), *PREFIXES)
"""The slips of a product such as latency x rate: only decimal prefixes are confused, in either factor."""

Slips = tuple[tuple[float, str], ...]


def slips_of(name: str) -> Slips:
    """Return the slips of a quantity's unit, by the end of its name."""
    if name.endswith(("_bytes", "_bytes_per_s")):
        return OF_BYTES
    if name.endswith("_per_s"):
        return OF_COUNTS
    return OF_TIMES if name.endswith(("_s", "seconds")) else OF_COUNTS


def slip(ratio: float, slips: Slips, tolerance: float = 0.02) -> str:
    """Return what explains a number that is `ratio` times off, in either direction; "" where no known slip does."""
    if ratio <= 0:
        return ""
    away = [(abs(max(ratio, 1 / ratio) / factor - 1), words) for factor, words in slips]
    near, words = min(away)
    return words if near <= tolerance else ""
