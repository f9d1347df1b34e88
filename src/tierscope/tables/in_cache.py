"""Footprints that fit in the last cache: what is measured there is the cache, and not the memory behind it."""

from tierscope.record.result import Record, Run
from tierscope.units import show_bytes, word_bytes

TIMES_CACHE = 4  # the last-level cache: the least array by the rule of STREAM


def in_cache(run: Run, what: str, footprint_bytes: int) -> str:
    """Return 'arrays of 8 MiB fit in the last-level cache, 32 MiB' as reported; "" where they do not.

    what: is in the footprint, in the plural.
    """
    cache = run.result.machine.last_level_cache_bytes()
    if footprint_bytes > cache:
        return ""
    return f"{what} of {show_bytes(footprint_bytes)} fit in the last-level cache, {show_bytes(cache)}"


def small_arrays(run: Run, record: Record) -> tuple[str, ...]:
    """Return why a point shows a cache and no memory: the smallest footprint of its groups fits in it; () where not."""
    fit = in_cache(run, "arrays", min(facts.footprint_bytes for facts in record.groups))
    enough = word_bytes(TIMES_CACHE * run.result.machine.last_level_cache_bytes())
    return (f"{fit}: give larger arrays, array={enough}",) if fit else ()


def asked_in_cache(run: Run, record: Record) -> tuple[str, ...]:
    """Return the same of a size that was asked for: one that a suite chose is beyond the cache that it found, however
    much is reported.
    """
    return small_arrays(run, record) if run.result.options.get("array") else ()
