"""A simulated persistent-memory DIMM with known structure, and its name as a target.

The name is that of a simulated machine, `sim:blank,memory.m.ways=6,...`; `parse` is the inverse of `Device.word`.
"""

import re
from dataclasses import dataclass

from tierscope import units
from tierscope.errors import ResultError, UsageError

NAME = "m"  # name of the memory
PLAIN, HASH = "plain", "hash"


@dataclass(frozen=True)
class Buffer:
    """A buffer of one of the memories. latency_s: what it adds; ways: of a set; 0: there is one set."""

    size_bytes: int
    unit_bytes: int
    latency_s: float
    policy: str = "lru"
    ways: int = 0
    index: str = PLAIN


@dataclass(frozen=True)
class Migration:
    """writes: of one unit to the medium; jitter: relative scatter of their number."""

    writes: int
    unit_bytes: int
    stall_s: float
    jitter: float


@dataclass(frozen=True)
class Device:
    """The parameters that a name states. path_s: through the processor's caches; the others: of the medium."""

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
    media_bytes: int = 256
    order: str = PLAIN

    def word(self, base: str) -> str:
        """Return 'sim:blank,memory.m.ways=6,...', the inverse of `parse`."""
        keys: dict[str, object] = {"seed": self.seed, "cache.1.latency": _ns(self.path_s)}
        for number, one in enumerate(self.buffers):
            keys |= {f"memory.{NAME}.buffer.{number}.{key}": value for key, value in _of_buffer(one).items()}
        memory: dict[str, object] = {
            "media.read": _ns(self.read_s), "media.write": _ns(self.write_s), "queue.entries": self.entries,
            "ways": self.ways, "grain": units.word_bytes(self.grain_bytes),
        }  # fmt: skip
        if self.media_bytes != Device.media_bytes:
            memory["media.unit"] = units.word_bytes(self.media_bytes)
        if self.order != Device.order:
            memory["order"] = self.order
        if moves := self.migration:
            memory |= {
                "migration.writes": moves.writes, "migration.unit": units.word_bytes(moves.unit_bytes),
                "migration.stall": _ns(moves.stall_s), "migration.jitter": moves.jitter,
            }  # fmt: skip
        keys |= {f"memory.{NAME}.{key}": value for key, value in memory.items()}
        if self.noise:
            keys["noise"] = self.noise
        return ",".join([base, *(f"{key}={value}" for key, value in keys.items())])


def _of_buffer(one: Buffer) -> dict[str, object]:
    keys: dict[str, object] = {
        "size": units.word_bytes(one.size_bytes), "unit": units.word_bytes(one.unit_bytes),
        "latency": _ns(one.latency_s),
    }  # fmt: skip
    own = {"policy": one.policy, "ways": one.ways, "index": one.index}
    return keys | {key: value for key, value in own.items() if value != getattr(Buffer, key)}


def _ns(seconds: float) -> str:
    return f"{seconds * 1e9:.10g}ns"


def parse(word: str) -> Device:
    """Return the device of a name that `Device.word` made; ResultError if a key is missing, or unknown."""
    keys = {key: value for key, _, value in (part.partition("=") for part in word.split(",")[1:])}
    own = {key.removeprefix(f"memory.{NAME}."): value for key, value in keys.items()}
    count = len({key for key in own if re.fullmatch(r"buffer\.\d+\.size", key)})
    try:
        return Device(
            seed=int(own["seed"]),
            path_s=units.parse_seconds(own["cache.1.latency"]),
            buffers=tuple(_buffer(own, f"buffer.{number}.") for number in range(count)),
            read_s=units.parse_seconds(own["media.read"]),
            write_s=units.parse_seconds(own["media.write"]),
            entries=int(own["queue.entries"]),
            ways=int(own["ways"]),
            grain_bytes=units.parse_bytes(own["grain"]),
            migration=_parsed_migration(own) if "migration.writes" in own else None,
            noise=float(own.get("noise", 0)),
            media_bytes=units.parse_bytes(own["media.unit"]) if "media.unit" in own else Device.media_bytes,
            order=own.get("order", Device.order),
        )
    except KeyError as error:
        raise ResultError(
            f"{word} is not a device of the closed loop: {error} is missing; copy the run again"
        ) from error
    except (ValueError, OverflowError, UsageError) as error:
        raise ResultError(f"{word} is not a device of the closed loop: {error}; copy the run again") from error


def _buffer(own: dict[str, str], stem: str) -> Buffer:
    size, unit, latency = (own[stem + key] for key in ("size", "unit", "latency"))
    return Buffer(
        units.parse_bytes(size),
        units.parse_bytes(unit),
        units.parse_seconds(latency),
        policy=own.get(f"{stem}policy", Buffer.policy),
        ways=int(own.get(f"{stem}ways", Buffer.ways)),
        index=own.get(f"{stem}index", Buffer.index),
    )


def _parsed_migration(own: dict[str, str]) -> Migration:
    writes, unit, stall, jitter = (own[f"migration.{key}"] for key in ("writes", "unit", "stall", "jitter"))
    return Migration(int(writes), units.parse_bytes(unit), units.parse_seconds(stall), float(jitter))
