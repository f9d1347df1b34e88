"""A memory as the models see it: time of one access, bytes a second, accesses in flight, and the caches before it."""

from dataclasses import dataclass

from tierscope.errors import UnknownNameError, UsageError
from tierscope.registry import unknown
from tierscope.units import LINE_BYTES

LINES = (64, 128, 256)  # bytes of a line of any processor served


@dataclass(frozen=True, slots=True)
class Cache:
    """One level; `latency_s` of a hit."""

    name: str
    capacity_bytes: float
    latency_s: float


@dataclass(frozen=True, slots=True)
class Device:
    """Latencies in s, bandwidth in bytes/s. `caches` from the smallest on; each contains what the one before contains.

    `parallelism`: independent accesses of one thread that are in flight at the same time. `line_bytes`: of the caches,
    which each access brings. UsageError for impossible values.
    """

    name: str
    read_latency_s: float
    write_latency_s: float
    bandwidth_bytes_per_s: float
    parallelism: float = 1.0
    caches: tuple[Cache, ...] = ()
    source: str = ""
    line_bytes: int = LINE_BYTES

    def __post_init__(self) -> None:
        rates = (self.read_latency_s, self.write_latency_s, self.bandwidth_bytes_per_s)
        if not all(0 < rate < float("inf") for rate in rates) or self.parallelism < 1:
            raise UsageError(f"device {self.name}: latencies and bandwidth must be above 0, parallelism at least 1")
        if self.line_bytes not in LINES:
            raise UsageError(
                f"device {self.name}: lines have {', '.join(map(str, LINES))} bytes, not {self.line_bytes}"
            )
        sizes = [cache.capacity_bytes for cache in self.caches]
        if sizes != sorted(set(sizes)):
            raise UsageError(f"device {self.name}: caches must grow from level to level, {sizes} bytes do not")


READ = 305e-9  # document 004, text of section 3.2 and both programs
WRITE = 70e-9  # in both programs; the text has 90 ns
STRUCTURE_BANDWIDTH = 7.45e9  # program of the hash map, and both figures of formulas
COUNTER_BANDWIDTH = 0.745e9  # program of the counters; its published table needs it

DEVICES = (
    Device("document 004", READ, WRITE, STRUCTURE_BANDWIDTH, source="document 004, program of the hash-map model"),
    Device(
        "document 004 counters", READ, WRITE, COUNTER_BANDWIDTH, source="document 004, program of the counter model"
    ),
)


def device(name: str) -> Device:
    """Return a device whose constants are published; UnknownNameError names the available ones."""
    known = {one.name: one for one in DEVICES}
    if name not in known:
        raise UnknownNameError(unknown("device", name, list(known)))
    return known[name]
