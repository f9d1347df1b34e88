"""How a headline writes numbers, counts and its first letter."""

from tierscope.units import show_seconds, show_three

LARGE = 999.5e9  # bytes/s, from which three digits of GB/s have an exponent
SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def short_rate(rate: float) -> str:
    """Return '33.4 GB/s'; '1024 GB/s' and '4.58 MB/s' as every other measured number (`show_three`)."""
    return f"{rate / 1e9:.3g} GB/s" if 1e9 <= rate < LARGE else show_three(rate, "B/s")


def short_seconds(seconds: float) -> str:
    """Return '152 ns'."""
    return show_seconds(seconds)


def cpus_name(count: int) -> str:
    """Return 'two CPUs', '16 CPUs', 'one CPU'."""
    number = SMALL[count] if count < len(SMALL) else str(count)
    return f"{number} CPU" if count == 1 else f"{number} CPUs"


def begun(text: str) -> str:
    """Return the text with a capital letter, unless its first word names a target: `sim:optane100`."""
    return text if ":" in text.split(" ", 1)[0].rstrip(":,") else f"{text[:1].upper()}{text[1:]}"
