"""A quantity as shown to people: as it was printed, else in the unit that its name ends in."""

from tierscope.audit.statement import Quantity
from tierscope.units import show_bytes, show_rate, show_seconds


def shown(name: str, quantity: Quantity) -> str:
    """Return 'latency 7471.88 us', 'bandwidth 14.60 GB/s'."""
    title, value = _named(name, quantity.value)
    return f"{title} {quantity.said or value}"


def value_of(name: str, value: float) -> str:
    """Return the number with its unit, without the name."""
    return _named(name, value)[1]


def _named(name: str, value: float) -> tuple[str, str]:
    for ending, show in (("_bytes_per_s", _rate), ("_per_s", _per_s), ("_bytes", show_bytes), ("_s", show_seconds)):
        if name.endswith(ending):
            return name.removesuffix(ending).replace("_", " "), show(value)
    return name.replace("_", " "), show_seconds(value) if name.startswith("seconds") else f"{value:.6g}"


def _rate(value: float) -> str:
    """Return a bandwidth; that of slow storage in MB/s."""
    return show_rate(value) if abs(value) >= 1e9 else f"{value / 1e6:.4g} MB/s"


def _per_s(value: float) -> str:
    return f"{value:.4g}/s"
