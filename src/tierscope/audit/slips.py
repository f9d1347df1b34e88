"""Factors by which numbers are wrong when a person or a program mixes units up."""

SLIPS = (
    (10.0, "a digit was lost"),
    (100.0, "two digits were lost"),
    (1000.0, "a prefix was lost: k for one, M for k, ms for us"),
    (1024.0, "a binary prefix was lost: MiB for KiB"),
    (1e6, "two prefixes were lost"),
    (1024.0**2, "two binary prefixes were lost"),
    (1e9, "three prefixes were lost"),
    (1.024, "KiB were taken for KB"),
    (1.024**2, "MiB were taken for MB"),
    (1.024**3, "GiB were taken for GB"),
    (8.0, "bits were taken for bytes"),
    (64.0, "lines were taken for bytes"),
)


def slip(ratio: float, tolerance: float = 0.02) -> str:
    """What explains a number that is `ratio` times off, in either direction; "" where no known slip does."""
    if ratio <= 0:
        return ""
    away = [(abs(max(ratio, 1 / ratio) / factor - 1), words) for factor, words in SLIPS]
    near, words = min(away)
    return words if near <= tolerance else ""
