"""Footprints that fit in the last cache: what is measured there is the cache, and not the memory behind it."""

from tierscope.record.result import Run
from tierscope.units import show_bytes


def in_cache(run: Run, what: str, footprint_bytes: int) -> str:
    """Return 'arrays of 8 MiB fit in the last-level cache, 32 MiB' as reported; "" where they do not.

    what: is in the footprint, in the plural.
    """
    cache = run.result.machine.last_level_cache_bytes()
    if footprint_bytes > cache:
        return ""
    return f"{what} of {show_bytes(footprint_bytes)} fit in the last-level cache, {show_bytes(cache)}"
