"""Lines that an object's bytes are in, from where objects begin and how long a line is.

    lines = mean over places of the number of distinct lines of the bytes that are touched

An object in a pool has a header of 16 bytes before it, and header and object fill a unit of 128 bytes or of a higher
multiple of 64. So an object of 112 bytes or less begins 80 bytes behind a multiple of 128, and of larger ones each unit
moves the begin. Objects in volatile memory begin at each 16 bytes of a line equally often.
Limits: two objects that were made one after the other often share a line of 128 or 256 bytes, and one operation then
touches fewer lines than this. Counted lines were up to 6 % off the model's with lines of 128 bytes. With 256 bytes they
were up to 9 % off at 1000 keys, and up to 14 % at 10,000 keys (tests/clockless/test_structure_lines.py).
Source: PMDK 1.12, src/libpmemobj/alloc_class.c, memblock.c; begins of objects were read from pools that it made.
"""

import math
from dataclasses import dataclass

HEADER, FIRST = 16, 80  # bytes of libpmemobj's header; begin of an object, modulo the least unit
LEAST, STEP = 128, 64  # units of libpmemobj

Bytes = tuple[int, int]  # offset in the object, size


@dataclass(frozen=True, slots=True)
class Places:
    """Where objects of one size begin in lines of `line_bytes`: at each of `begins` equally often, `apart` from each
    other.
    """

    line_bytes: int
    begins: tuple[int, ...]
    apart: int

    def lines(self, *touched: Bytes) -> float:
        """Return the mean number of distinct lines of these bytes."""
        return sum(len(self._at(begin, touched)) for begin in self.begins) / len(self.begins)

    def of(self, objects: float, lines: float = 1.0) -> float:
        """Return the lines that this number of objects has in all, `lines` each; short objects share a line."""
        return objects * lines * min(1.0, self.apart / self.line_bytes)

    def _at(self, begin: int, touched: tuple[Bytes, ...]) -> set[int]:
        return {
            line
            for offset, size in touched
            for line in range((begin + offset) // self.line_bytes, (begin + offset + size - 1) // self.line_bytes + 1)
        }


def in_pool(size_bytes: int, line_bytes: int) -> Places:
    """Return the places of objects of this size in a pool."""
    unit = max(LEAST, math.ceil((size_bytes + HEADER) / STEP) * STEP)
    step = min(math.gcd(unit, LEAST), line_bytes)
    return Places(line_bytes, tuple((FIRST + step * n) % line_bytes for n in range(line_bytes // step)), unit)


def alone(line_bytes: int, begin: int = FIRST) -> Places:
    """Return the place of a pool's control object, which is the same in each pool. begin: modulo 256."""
    return Places(line_bytes, (begin % line_bytes,), line_bytes)


def every(apart: int, line_bytes: int, first: int = 0) -> Places:
    """Return the places of elements of an array, or of any other row of objects, that begins at `first`."""
    step = math.gcd(apart, line_bytes)
    return Places(line_bytes, tuple((first + step * n) % line_bytes for n in range(line_bytes // step)), apart)
