"""Words for people: names of mixes, threads, probes; the same in figures, tables and terminal."""

from collections.abc import Callable
from fractions import Fraction

from tierscope.tables.insight import Bounded
from tierscope.units import show_bytes


def with_bounds(found: Bounded, show: Callable[[float], str]) -> str:
    """Return '310 ns (302 ns to 318 ns)': a number and its bounds, each as `show` writes it."""
    return f"{show(found.middle)} ({show(found.low)} to {show(found.high)})"


def mix_name(read_share: float | None) -> str:
    """Return '3:1' for 0.75; the ends are words; a share that is not a small ratio stays a percentage."""
    if read_share is None:
        return "unknown mix"
    if read_share >= 1.0:
        return "all reads"
    if read_share <= 0.0:
        return "all writes"
    ratio = Fraction(read_share).limit_denominator(12)
    if abs(float(ratio) - read_share) > 0.005:
        return f"{read_share:.0%} reads"
    return f"{ratio.numerator}:{ratio.denominator - ratio.numerator}"


def load_name(read_share: float | None, store: str) -> str:
    """Return '1:1 nt': a mix is always shown with its stores."""
    return mix_name(read_share) if store == "none" else f"{mix_name(read_share)} {store}"


def threads_name(threads: int) -> str:
    return "1 thread" if threads == 1 else f"{threads} threads"


def operation_name(operation: str) -> str:
    """Return the name of an operation: 'random_write' -> 'random write'."""
    return operation.replace("_", " ")


def store_name(store: str) -> str:
    """Return what a kind of store means, in two or three words."""
    known = {
        "none": "no stores",
        "plain": "plain stores",
        "nt": "non-temporal stores",
        "string": "rep movs/stos",
        "libc": "C library",
        "direct": "movdir64b",
    }
    return known.get(store, store)


def probe_name(probe: str, order: str, page_bytes: int | None) -> str:
    """Return '2 MiB pages, cycle, global order'."""
    pages = f"{show_bytes(page_bytes)} pages" if page_bytes else "mixed pages"
    if order == "block":
        return f"{pages}, blocks of 16 lines"
    return f"{pages}, random draws" if probe == "random" else f"{pages}, {probe}, {order} order"


def unknown_peak(source: str) -> str:
    """Return 'unknown: why', with the reason once."""
    return source if source.startswith("unknown") else f"unknown: {source}"


LONGEST_COMMAND = 40  # letters of a command line in a sentence


def short_command(command: str) -> str:
    """Return a command line in at most LONGEST_COMMAND letters."""
    return shortened(command, LONGEST_COMMAND)


def shortened(text: str, limit: int) -> str:
    """Return `text` cut to `limit` letters with three dots."""
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def short_word(text: str, limit: int) -> str:
    """Return `text` cut to `limit` letters with an ellipsis."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
