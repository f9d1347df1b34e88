"""The part of a run that is kept for comparison with other machines: the kind of machine, and its sure numbers.

An entry names no host, no path and no person. Only points in plain memory are kept, whose words are those of the
program; a target that is a file or a pool may show its path, and is left out, and so is what `kept` leaves out. A file
with any other key is refused, and each text has a form of its own, in which no address, path or name with a dot fits:
a reference set cannot smuggle in what it should not contain.
Blind to a name of letters and digits alone in the place of a kernel.
"""

import re
import shlex
from typing import Annotated

import msgspec
from msgspec import Meta

from tierscope.compare.measures import measures
from tierscope.compare.number import Numbers
from tierscope.errors import ResultError, UsageError
from tierscope.normal.kept import kept
from tierscope.record.machine import Machine
from tierscope.record.result import Run

SCHEMA = 2  # 1 has no conditions
PLACES = re.compile(r"(file|pool|fsdax|devdax|dax|emu|sim|null):")
WORDS = r"^(?!.*[A-Za-z_-]\.)(?!.*[0-9]\.[0-9]+\.)(?!.*[0-9]\.[0-9]*[A-Za-z])[A-Za-z0-9_ .,:+%-]{1,160}(?!\n)$"
"""No slash, and a point in numbers alone: '2.83 MiB', but not 'db7.example', '10.0.0.7' or '7.example'."""
BUSY = r"^(other programs used [0-9]{1,6}\.[0-9]{2} CPUs \(mean of [0-9]{1,9} visits\))?(?!\n)$"
VERSION = r"^[0-9]{1,4}(\.[0-9]{1,4}){0,3}\.?((a|b|rc|dev|post)[0-9]{1,6}){0,2}(?!\n)$"
FAMILY = r"^[A-Za-z0-9 ]{1,16}(:(0x)?[0-9A-Fa-frp]{1,20}){0,3}(?!\n)$"

Word = Annotated[str, Meta(pattern=WORDS)]
Named = Annotated[str, Meta(pattern=r"^[a-z0-9_ -]{1,40}(?!\n)$")]
Positive = Annotated[float, Meta(gt=0)]


class Kind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The properties that similar machines share."""

    family: Annotated[str, Meta(pattern=FAMILY)]  # vendor:family:model:stepping, as the CPU reports it
    cpus: Annotated[int, Meta(ge=1)]
    packages: Annotated[int, Meta(ge=1)]
    nodes: Annotated[int, Meta(ge=1)]  # with memory
    guest: bool


class Sure(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One conclusive number."""

    measure: Named
    point: Word
    unit: Annotated[str, Meta(pattern=r"^(B/s|B|s|1/s|1)(?!\n)$")]
    value: Positive
    low: Positive
    high: Positive


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One run of one machine. machine: a digest, which distinguishes machines and names none."""

    schema: Annotated[int, Meta(ge=1)]
    machine: Annotated[str, Meta(pattern=r"^[0-9a-f]{12}(?!\n)$")]
    kind: Kind
    suite: Named
    day: Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(?!\n)$")]
    software: Annotated[str, Meta(pattern=VERSION)]
    conditions: Annotated[str, Meta(pattern=BUSY)] = ""  # how quiet it was; "": not known
    numbers: Annotated[tuple[Sure, ...], Meta(max_length=4096)]


class Version(msgspec.Struct, frozen=True):
    """The part that an entry of any version has."""

    schema: Annotated[int, Meta(ge=1)]


def entry_of(run: Run) -> Entry:
    """Return what is kept of a run; UsageError for one that is not of real memory, or has no conclusive number."""
    result = run.result
    if result.origin != "real":
        raise UsageError(f"{run.path} is {result.origin}: only measurements of real memory show what is normal")
    numbers = kept(run)
    found = tuple(
        Sure(
            measure=name, point=words, unit=measures()[name].unit,
            value=number.value, low=min(number.low, number.value), high=max(number.high, number.value),
        )
        for name, rows in numbers.items()
        for words, number in rows.items()
        if number.conclusive and number.low > 0 and not PLACES.search(words) and re.match(WORDS, words)
    )  # fmt: skip
    if not found:
        raise UsageError(f"{run.path} has no conclusive number in plain memory; {_next_step(run, numbers)}")
    return Entry(
        schema=SCHEMA,
        machine=result.machine.identity.digest(),
        kind=kind_of(result.machine),
        suite=result.suite,
        day=result.started[:10],
        software=result.software.tierscope.partition("+")[0],
        conditions=conditions_of(run),
        numbers=found,
    )


def _next_step(run: Run, numbers: Numbers) -> str:
    """Return what gives an entry its numbers. numbers: those of the run that are comparable."""
    if all(one.conclusive for rows in numbers.values() for one in rows.values()):
        return "name a run of a suite that measures memory, as tierscope run quick"
    return f"tierscope show {shlex.quote(str(run.path))} states why, and what helps"


def conditions_of(run: Run) -> str:
    """Return how quiet the machine was: 'other programs used 0.02 CPUs (mean of 96 visits)'; "" if not known."""
    visits = (*run.result.records, *run.result.visits)
    used = [one.background.cpus for one in visits if one.background and one.background.cpus is not None]
    if not used:
        return ""
    return f"other programs used {sum(used) / len(used):.2f} CPUs (mean of {len(used)} visits)"


def kind_of(machine: Machine) -> Kind:
    """Return the kind of a machine."""
    identity = machine.identity
    return Kind(
        family=identity.family,
        cpus=len(identity.cpus),
        packages=len({cpu.package for cpu in identity.cpus}) or 1,
        nodes=sum(node.memory_bytes > 0 for node in identity.nodes) or 1,
        guest=bool(identity.hypervisor),
    )


def read_entries(content: bytes, name: str) -> list[Entry]:
    """Return the entries of a file; ResultError for one that is damaged, newer, or has content that is not allowed."""
    try:
        versions = [one.schema for one in msgspec.json.decode(content, type=list[Version])]
        if (newest := max(versions, default=SCHEMA)) > SCHEMA:
            raise ResultError(f"{name} is of a newer version (schema {newest}); update Tierscope")
        entries = msgspec.json.decode(content, type=list[Entry])
    except (msgspec.DecodeError, RecursionError) as error:
        raise ResultError(
            f"{name} is not a reference set: {error}. A set contains kinds of machines and numbers, and no names of "
            "hosts; make one with `tierscope normal share RUN FILE`"
        ) from error
    for entry in entries:
        for one in entry.numbers:
            if not one.low <= one.value <= one.high:
                raise ResultError(f"{name}: {one.measure}, {one.point}: the value is outside of its interval")
    return entries
