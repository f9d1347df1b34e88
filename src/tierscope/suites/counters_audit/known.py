"""The known work of a record, next to its counts: lines by direction, and time.

stored           = program bytes that are stored / 64                            [lines of an operation]
read             = bus bytes / 64 - stored: loads, and lines that plain stores read first
written          = stored: every line that is stored leaves the cache once, beyond the caches
moved            = read + written
loaded           = program bytes that are loaded / line; one line for each access of a chase
plain            = program bytes that are stored / line, if the kernel uses plain stores
owned            = lines that plain stores read first; none where the kernel loads them itself
time             = seconds of the counted blocks

Memory moves 64 bytes at a time: what is read and written there is counted in lines of 64 bytes. `line` is that of the
caches of the machine. So an event that counts its lines of 128 bytes follows what is read with a factor of 0.5.
"""

from collections.abc import Callable
from typing import NamedTuple

from tierscope.record.counting import Counted, EventCount
from tierscope.record.result import Record
from tierscope.suites.counters_audit.labels import EventLabels
from tierscope.units import LINE_BYTES


class Known(NamedTuple):
    """The work of one operation; time in seconds."""

    loaded: float
    read: float
    written: float
    plain: float
    time: float
    line_bytes: int = LINE_BYTES

    @property
    def owned(self) -> float:
        return max(0.0, self.read * LINE_BYTES / self.line_bytes - self.loaded)

    @property
    def moved(self) -> float:
        return self.read + self.written


class Quantity(NamedTuple):
    """Something known that an event may follow."""

    name: str
    of: Callable[[Known], float]


QUANTITIES = (
    Quantity("lines read from memory", lambda known: known.read),
    Quantity("lines written to memory", lambda known: known.written),
    Quantity("lines moved", lambda known: known.moved),
    Quantity("lines loaded by the program", lambda known: known.loaded),
    Quantity("lines stored plainly", lambda known: known.plain),
    Quantity("lines read for plain stores", lambda known: known.owned),
    Quantity("operations", lambda _: 1.0),
    Quantity("time", lambda known: known.time),
)
"""The first that fits is named; those with a meaning of their own come first."""

READ, WRITTEN, MOVED, LOADED, PLAIN, OWNED, OPERATIONS, TIME = QUANTITIES
PROMISES: tuple[tuple[str, Quantity], ...] = (
    ("memory-reads", READ),
    ("memory-writes", WRITTEN),
    ("cas_count_read", READ),
    ("cas_count_write", WRITTEN),
    ("data_reads", READ),
    ("data_writes", WRITTEN),
    ("LLC-load-misses", LOADED),
    ("LLC-store-misses", OWNED),
    ("cache-misses", READ),
    ("task-clock", TIME),
    ("cpu-clock", TIME),
)
"""The quantity that the end of an event's name promises; other names promise nothing that is known here."""

TIMES = 50  # caches: what they keep is then 2 % of the stored bytes at most
NANOSECONDS = ("task-clock", "cpu-clock")


MOVES = {"read": READ, "written": WRITTEN, "both": MOVED}
"""The quantities that events of memory controllers count, as the file of each family states them."""


def promised(event: str, moves: str = "") -> Quantity | None:
    """Return the quantity that an event counts according to its name; None for names that promise none of them.

    moves: of an event of a memory controller, which promises this whatever its name is.
    """
    if moves:
        return MOVES[moves]
    return next((quantity for name, quantity in PROMISES if event.rstrip("/").endswith(name)), None)


def known(record: Record, counted: Counted, cache_bytes: int, line_bytes: int = LINE_BYTES) -> Known | None:
    """Return what one operation of a record did; None where its bytes on the bus are unknown.

    They are also unknown if the stored bytes are fewer than TIMES last-level caches: dirty lines that are still in the
    cache at the end were not written, so that a good counter would show too few.
    """
    facts, share = record.groups[0], EventLabels.read(record.experiment).read_share
    if facts.bus_bytes_per_operation is None or share is None or not counted.operations:
        return None
    bus, program = facts.bus_bytes_per_operation, facts.program_bytes_per_operation
    stored = (1 - share) * program
    if 0 < stored * counted.operations < TIMES * cache_bytes:
        return None
    seconds = counted.seconds / counted.operations
    if facts.operation == "hop":  # it brings a whole line, and the program touches 8 bytes
        lines = max(bus / line_bytes, 1.0)
        return Known(lines, lines * line_bytes / LINE_BYTES, 0.0, 0.0, seconds, line_bytes)
    plain = stored if facts.store == "plain" else 0.0
    return Known(
        loaded=share * program / line_bytes,
        read=(bus - stored) / LINE_BYTES,
        written=stored / LINE_BYTES,
        plain=plain / line_bytes,
        time=seconds,
        line_bytes=line_bytes,
    )


def per_operation(event: EventCount, counted: Counted) -> float:
    """Return the count of one operation without that of starting and stopping; of clocks, seconds."""
    empty = event.empty / counted.empty_blocks * counted.blocks if counted.empty_blocks else 0.0
    factor = 1e-9 if event.event in NANOSECONDS else 1.0
    return max(0.0, event.estimate - empty) * factor / counted.operations
