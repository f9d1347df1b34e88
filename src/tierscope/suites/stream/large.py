"""Large calls of the C library, as points of their own: `memcpy_large` is memcpy, called for whole arrays.

Above a size of its own, the library stores past the caches: 3/4 of the cache size that it assumes to be shared, 192 MiB
on a guest that reports 32 MiB. A block of a millisecond is one call of about ten megabytes, which is below that size.
So programs with large arrays see another number, twice as high on some machines.
Source: GNU C Library manual, tunables glibc.cpu.x86_non_temporal_threshold and glibc.cpu.x86_shared_cache_size.
"""

from tierscope.stats.summary import enough
from tierscope.units import LINE_BYTES, MiB

LARGE = {"memcpy_large": "memcpy", "memset_large": "memset"}
"""Name of the point -> kernel."""

SMALLEST = 200 * MiB  # of a call, if the thread's part of an array is as large; twice as large ones are cut in two
GUESS = 6e9  # bytes/s that one thread fills or copies at least, on most machines: how long calls take
SPARE = 10  # calls of a visit that may be disturbed


def call_bytes(array_bytes: int, threads: int) -> int:
    """Return the bytes of one call: the thread's part of an array, in equal calls where it is very large."""
    part = array_bytes // threads
    calls = max(part // SMALLEST, 1)
    return max(part // calls // LINE_BYTES, 1) * LINE_BYTES


def seconds_of(size: int) -> float:
    """Return how long a call takes at most, near enough to plan by."""
    return size / GUESS


def calls_of(call_s: float) -> int:
    """Return the number of calls of a visit: those that a verdict asks for, and some that may be disturbed."""
    return enough(call_s) + SPARE
