"""How instructions come to the core of a simulated machine made from a real one (core/simulate/fetch.hpp).

The system reports the cache of instructions; a hypervisor may have made it up. Where none is reported, it is WAYS ways
and SIZE bytes, as on most cores of the last ten years. Whether the core fetches ahead is a guess: most do.
"""

from collections.abc import Iterator

from tierscope.record.machine import Cache, Machine
from tierscope.units import LINE_BYTES, KiB, word_bytes

SIZE, WAYS = 32 * KiB, 8
MOST_WAYS = 128  # that a simulated cache can have
AHEAD = 32  # lines; front ends keep some dozens of blocks that they have predicted


def section(machine: Machine) -> Iterator[str]:
    """Yield the lines of the section, behind an empty one."""
    reported = next((one for one in machine.identity.caches if one.kind == "Instruction" and one.level == 1), None)
    size, ways = (reported.size_bytes, _ways(reported)) if reported else (SIZE, WAYS)
    how = "reported" if reported else "a guess"
    yield from (
        "",
        "[core.fetch]",
        f'size = "{word_bytes(size)}"         # {how}',
        f"ways = {ways}                # {how if reported is None or ways == reported.ways else 'a guess'}",
        f"ahead = {AHEAD}               # a guess: most cores fetch instructions ahead",
    )


def _ways(reported: Cache) -> int:
    """Return ways that divide the cache; WAYS where the reported ones do not."""
    for ways in (reported.ways, WAYS, 1):
        if 0 < ways <= MOST_WAYS and reported.size_bytes % (ways * LINE_BYTES) == 0:
            return ways
    return 1
