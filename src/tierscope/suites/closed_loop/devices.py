"""Random persistent-memory DIMMs with known structure, each told as the word of a simulated machine.

Drawn evenly where nothing is said, sizes and times by their logarithm:
    buffers    0 to 3; 4 KiB to 64 MiB over all memories, each 4 times the one before; three in five are powers of two,
               the others 1.5, 1.25 or 1.75 times one; units 128 B to 8 KiB, none smaller than before, 8 or more of them
    times      20 to 400 ns for each buffer, 50 to 600 ns more for the medium, 10 to 40 ns for the processor's caches
    memories   one of three devices has one, the others 2 to 12, 256 B to 64 KiB each in turn
    queue      0 to 128 lines; a write to the medium takes 150 to 500 ns, more than the controller lets through
    migration  half of the devices, after 2000 to 50 000 writes to 4 to 256 KiB, for 5 to 200 us; the number of writes
               scatters by up to 15 %
    noise      one of three devices has none, the others up to the scale asked for, 1 being a shared machine
A unit is never larger than the grain: a unit that is cut among memories is none that a region could show. Units of
single lines are not drawn either, since no line of a fresh region is met twice (`stats.buffers` is blind to them).
Source of the ranges: published DIMMs lie well inside (`reference`); the draw is ours.
"""

import itertools
import math
import re
from dataclasses import dataclass

import numpy as np

from tierscope import units
from tierscope.errors import ResultError, UsageError
from tierscope.units import LINE_BYTES, KiB, MiB

NAME = "m"  # of the memory
ODD = (1.5, 1.25, 1.75)
ROUND = 0.6  # share of capacities that are powers of two
APART = 4  # times the capacity of the buffer before
ENTRIES = 8  # units in a buffer at least
MOST_WAYS, MOST_ENTRIES = 12, 128
PLAIN = 1 / 3  # share of devices of one memory, and of those without noise


@dataclass(frozen=True)
class Buffer:
    """Of one of the memories. latency_s: added by it."""

    size_bytes: int
    unit_bytes: int
    latency_s: float


@dataclass(frozen=True)
class Migration:
    """writes: of 256 bytes to the medium; jitter: relative scatter of their number."""

    writes: int
    unit_bytes: int
    stall_s: float
    jitter: float


@dataclass(frozen=True)
class Device:
    """What a word says. path_s: through the processor's caches; read_s, write_s: of the medium."""

    seed: int
    path_s: float
    buffers: tuple[Buffer, ...]
    read_s: float
    write_s: float
    entries: int
    ways: int
    grain_bytes: int
    migration: Migration | None
    noise: float

    def word(self, base: str) -> str:
        """'sim:blank,memory.m.ways=6,...', of which `parse` is the inverse."""
        keys: dict[str, object] = {"seed": self.seed, "cache.1.latency": _ns(self.path_s)}
        for number, one in enumerate(self.buffers):
            stem = f"memory.{NAME}.buffer.{number}"
            keys[f"{stem}.size"] = units.word_bytes(one.size_bytes)
            keys[f"{stem}.unit"] = units.word_bytes(one.unit_bytes)
            keys[f"{stem}.latency"] = _ns(one.latency_s)
        memory: dict[str, object] = {
            "media.read": _ns(self.read_s), "media.write": _ns(self.write_s), "queue.entries": self.entries,
            "ways": self.ways, "grain": units.word_bytes(self.grain_bytes),
        }  # fmt: skip
        if moves := self.migration:
            memory |= {
                "migration.writes": moves.writes, "migration.unit": units.word_bytes(moves.unit_bytes),
                "migration.stall": _ns(moves.stall_s), "migration.jitter": moves.jitter,
            }  # fmt: skip
        keys |= {f"memory.{NAME}.{key}": value for key, value in memory.items()}
        if self.noise:
            keys["noise"] = self.noise
        return ",".join([base, *(f"{key}={value}" for key, value in keys.items())])


def draw(seed: int, number: int, most_noise: float) -> Device:
    """Device `number` of a seed; the same at every call."""
    random = np.random.default_rng([seed, number])
    count = int(random.integers(0, 4))
    ways = 1 if random.random() < PLAIN else int(random.integers(2, MOST_WAYS + 1))
    grain = 256 << int(random.integers(0, 9))
    buffers = _buffers(random, count, ways, grain if ways > 1 else 64 * KiB)
    return Device(
        seed=number,
        path_s=_time(random, 10, 40),
        buffers=buffers,
        read_s=_time(random, 50, 600),
        write_s=_time(random, 150, 500),
        entries=int(random.integers(0, MOST_ENTRIES + 1)),
        ways=ways,
        grain_bytes=grain,
        migration=_migration(random) if random.random() < 0.5 else None,
        noise=0.0 if random.random() < PLAIN else round(float(random.uniform(0, most_noise)), 2),
    )


def _buffers(random: np.random.Generator, count: int, ways: int, largest: int) -> tuple[Buffer, ...]:
    """Drawn until they can be built."""
    while True:
        sizes = sorted(_size(random, ways) for _ in range(count))
        exponents = random.integers(1, int(math.log2(min(largest, 8 * KiB) // LINE_BYTES)) + 1, count)
        widths = [LINE_BYTES << int(step) for step in sorted(exponents)]
        apart = all(far >= APART * near for near, far in itertools.pairwise(sizes))
        built = all(size % unit == 0 and size >= ENTRIES * unit for size, unit in zip(sizes, widths, strict=True))
        if apart and built and all(4 * KiB <= size * ways <= 64 * MiB for size in sizes):
            times = [_time(random, 20, 400) for _ in sizes]
            return tuple(Buffer(*one) for one in zip(sizes, widths, times, strict=True))


def _size(random: np.random.Generator, ways: int) -> int:
    """Of one of the memories."""
    power = 2.0 ** math.floor(random.uniform(math.log2(4 * KiB / ways), math.log2(64 * MiB / ways) + 1))
    return int(power if random.random() < ROUND else power * random.choice(ODD))


def _migration(random: np.random.Generator) -> Migration:
    return Migration(
        writes=round(math.exp(random.uniform(math.log(2000), math.log(50_000)))),
        unit_bytes=4 * KiB << int(random.integers(0, 7)),
        stall_s=_time(random, 5_000, 200_000),
        jitter=round(float(random.uniform(0, 0.15)), 3),
    )


def _time(random: np.random.Generator, low_ns: float, high_ns: float) -> float:
    """Seconds, in whole tenths of a nanosecond as they stand in the word."""
    return round(math.exp(random.uniform(math.log(low_ns), math.log(high_ns))), 1) * 1e-9


def _ns(seconds: float) -> str:
    return f"{seconds * 1e9:.10g}ns"


def parse(word: str) -> Device:
    """The device that a word of `Device.word` tells; ResultError if a key is missing, or is none."""
    keys = {key: value for key, _, value in (part.partition("=") for part in word.split(",")[1:])}
    own = {key.removeprefix(f"memory.{NAME}."): value for key, value in keys.items()}
    count = len({key for key in own if re.fullmatch(r"buffer\.\d+\.size", key)})
    try:
        return Device(
            seed=int(own["seed"]),
            path_s=units.parse_seconds(own["cache.1.latency"]),
            buffers=tuple(_buffer(own, number) for number in range(count)),
            read_s=units.parse_seconds(own["media.read"]),
            write_s=units.parse_seconds(own["media.write"]),
            entries=int(own["queue.entries"]),
            ways=int(own["ways"]),
            grain_bytes=units.parse_bytes(own["grain"]),
            migration=_parsed_migration(own) if "migration.writes" in own else None,
            noise=float(own.get("noise", 0)),
        )
    except KeyError as error:
        raise ResultError(f"{word} is no device of the closed loop: {error} is missing; copy the run again") from error
    except (ValueError, OverflowError, UsageError) as error:
        raise ResultError(f"{word} is no device of the closed loop: {error}; copy the run again") from error


def _buffer(own: dict[str, str], number: int) -> Buffer:
    size, unit, latency = (own[f"buffer.{number}.{key}"] for key in ("size", "unit", "latency"))
    return Buffer(units.parse_bytes(size), units.parse_bytes(unit), units.parse_seconds(latency))


def _parsed_migration(own: dict[str, str]) -> Migration:
    writes, unit, stall, jitter = (own[f"migration.{key}"] for key in ("writes", "unit", "stall", "jitter"))
    return Migration(int(writes), units.parse_bytes(unit), units.parse_seconds(stall), float(jitter))
