"""Events of memory controllers: which the machine has, by channel, and the bytes that one count stands for.

A controller has a PMU of its own, `uncore_imc_0` for example, outside of the cores. It counts what everybody moves: all
CPUs, devices, and other users. Each file of this folder describes the PMUs of one family. An event is a name that the
kernel gives in the PMU's folder (`alias`), with its scale where there is one, or an encoding of the manufacturer.
Source: Linux, Documentation/ABI/testing/sysfs-bus-event_source-devices-events and -format.
"""

import functools
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from tierscope.errors import UsageError
from tierscope.host.system import System, parse_list
from tierscope.metrics.read import processor_of

FOLDER = Path(__file__).parent
DEVICES = "/sys/bus/event_source/devices"
MOVES = ("read", "written", "both")
UNITS = {"Bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}  # of a scale in sysfs


@dataclass(frozen=True)
class Asked:
    """One event of a file. aliases: names in sysfs, the first one there is taken; bytes: of one count."""

    moves: str
    name: str
    aliases: tuple[str, ...]
    encoding: str
    bytes: float


@dataclass(frozen=True)
class Family:
    """One file. processors: those whose encodings these are; () for all."""

    name: str
    summary: str
    source: str
    pmus: re.Pattern[str]
    processors: tuple[str, ...]
    events: tuple[Asked, ...]


@dataclass(frozen=True)
class ControllerEvent:
    """An event that the machine has.

    name: `uncore_imc_0/cas_count_read`, with `@28` where the PMU counts on several CPUs, one of each package; moves:
    `read`, `written` or `both`; word: what the core is asked; bytes: of one count.
    """

    name: str
    moves: str
    word: str
    bytes: float


@dataclass(frozen=True)
class Controllers:
    """The events of a machine. reasons: why events or whole PMUs are left out, for the reader."""

    events: tuple[ControllerEvent, ...]
    reasons: tuple[str, ...]

    @property
    def words(self) -> str:
        """Return what the core is asked to count."""
        return ",".join(event.word for event in self.events)


def read_family(name: str, text: str) -> Family:
    """Return the PMUs of a file; UsageError names what is wrong with it."""
    try:
        found = tomllib.loads(text)
        family = Family(
            name=name,
            summary=str(found.pop("summary")),
            source=str(found.pop("source")),
            pmus=re.compile(found.pop("pmus")),
            processors=tuple(found.pop("processors", ())),
            events=tuple(_asked(one) for one in found.pop("event")),
        )
    except (KeyError, TypeError, ValueError, re.error) as error:
        raise UsageError(f"controllers {name}.toml: {type(error).__name__} {error}") from error
    if found:
        raise UsageError(f"controllers {name}.toml: unknown key {next(iter(found))!r}")
    return family


def _asked(told: dict[str, object]) -> Asked:
    alias, encoding = told.pop("alias", ()), str(told.pop("encoding", ""))
    aliases = (alias,) if isinstance(alias, str) else tuple(str(one) for one in list(alias))  # type: ignore[call-overload]
    asked = Asked(
        moves=str(told.pop("moves")),
        name=str(told.pop("name", "") or aliases[0]),
        aliases=aliases,
        encoding=encoding,
        bytes=float(str(told.pop("bytes"))),
    )
    if asked.moves not in MOVES or not (aliases or encoding) or told:
        raise ValueError(f"event {asked.name} needs moves ({', '.join(MOVES)}), alias or encoding, bytes, no other key")
    return asked


@functools.cache
def families() -> tuple[Family, ...]:
    """Return all files of this folder."""
    return tuple(read_family(path.stem, path.read_text()) for path in sorted(FOLDER.glob("*.toml")))


def controllers_of(system: System, processor: str) -> Controllers:
    """Return the events of memory controllers of a machine, and why others are left out.

    system: its files; processor: "vendor:family:model:stepping".
    """
    pmus = [path.rsplit("/", 1)[1] for path in system.glob(f"{DEVICES}/*")]
    events: list[ControllerEvent] = []
    reasons: list[str] = []
    for pmu in pmus:
        for family in families():
            if family.pmus.fullmatch(pmu):
                found, why = _of_pmu(system, pmu, family, processor_of(processor))
                events += found
                reasons += why
    if not events and not reasons:
        reasons.append(_none(pmus))
    return Controllers(tuple(events), tuple(reasons))


def _none(pmus: list[str]) -> str:
    if not pmus:
        return f"the kernel shows no PMU: {DEVICES} is empty or absent"
    return (
        f"no PMU of a memory controller here: {DEVICES} contains {', '.join(pmus)}. A hypervisor hides those of its "
        "host; on the host, load the driver of the uncore (intel_uncore, amd_uncore, arm_cmn)"
    )


def _of_pmu(system: System, pmu: str, family: Family, processor: str) -> tuple[list[ControllerEvent], list[str]]:
    """Return the events of one PMU, each on the first CPU of each package; and what it lacks."""
    if family.processors and processor not in family.processors:
        known = ", ".join(family.processors)
        return [], [f"{pmu}: its events are known of {known} alone, and this processor is {processor}"]
    cpus = parse_list(system.read(f"{DEVICES}/{pmu}/cpumask"))
    if not cpus:
        return [], [f"{pmu}: no CPU counts for it ({DEVICES}/{pmu}/cpumask is empty or absent)"]
    events: list[ControllerEvent] = []
    reasons: list[str] = []
    for asked in family.events:
        found = _encoding(system, pmu, asked)
        if found is None:
            reasons.append(f"{pmu}: the kernel gives no event {' or '.join(asked.aliases)}")
            continue
        name, encoding, size = found
        for cpu in cpus:
            place = f"@{cpu}" if len(cpus) > 1 else ""
            word = f"{pmu}/{encoding}/@{cpu}"
            events.append(ControllerEvent(f"{pmu}/{name}{place}", asked.moves, word, size))
    return events, reasons


def _encoding(system: System, pmu: str, asked: Asked) -> tuple[str, str, float] | None:
    """Return the name, the encoding and the bytes of one count; None where the kernel names no such event."""
    for alias in asked.aliases:
        folder = f"{DEVICES}/{pmu}/events/{alias}"
        encoding = (system.read(folder) or "").strip()
        if re.fullmatch(r"[\w.=,-]+", encoding):
            scale, unit = _real(system.read(f"{folder}.scale")), (system.read(f"{folder}.unit") or "").strip()
            stated = scale * UNITS[unit] if scale and unit in UNITS else asked.bytes
            return alias, encoding, stated
    return (asked.name, asked.encoding, asked.bytes) if asked.encoding else None


def _real(text: str | None) -> float:
    try:
        return float(text or "")
    except ValueError:
        return 0.0
