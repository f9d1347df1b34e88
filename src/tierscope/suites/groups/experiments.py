"""The user's own groups, from a TOML file: any kernels on any targets at the same time.

[schedule]                 # optional
precision = 0.02
budget = "2s"

[[experiment]]
label = "copy with reads"
[[experiment.group]]
kernel = "copy"
target = "node:0"
cpus = "0"
footprint = "1GiB"
[[experiment.group]]
kernel = "read"
cpus = "1"
footprint = "512MiB"
pace = 500
"""

import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, get_type_hints

from tierscope import units
from tierscope.errors import UnknownNameError, UsageError
from tierscope.plans import Plan
from tierscope.plans.kinds import NUMBERS, Block, Share, Time, Visits
from tierscope.plans.options import Options, read_options, read_word
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.record.work import KINDS
from tierscope.record.work.base import key_of
from tierscope.registry import unknown
from tierscope.suites.groups.labels import GroupsLabels
from tierscope.suites.groups.matrix import expanded

STRUCTS: list[type[Any]] = [Workload, *(work for work in KINDS.values() if work.of_core)]
FIELDS = {
    name: kind
    for struct in STRUCTS
    for name, kind in get_type_hints(struct).items()
    if name in struct.__struct_fields__ and name not in ("kernel", "work")
}
"""The keys of every group and of each task that the core measures: name of the field -> its type."""
SIZES = {key_of(name): name for name, kind in FIELDS.items() if name.endswith("_bytes")}
TIMES = {key_of(name): name for name, kind in FIELDS.items() if kind is float}
COUNTS = {key_of(name): name for name, kind in FIELDS.items() if kind is int and key_of(name) not in SIZES}
WORDS = tuple(key_of(name) for name, kind in FIELDS.items() if kind is str)
PLACES = {"kernel": "", "target": "node:0", "source": "", "pages": "thp", "role": ""}
GROUP_KEYS = ["cpus", "shared", *PLACES, *WORDS, *TIMES, *SIZES, *COUNTS]


class Timing(Options, frozen=True, kw_only=True):
    """The keys of [schedule]."""

    precision: Share = Schedule().precision
    budget: Time = Schedule().budget_s
    minimum: Time = Schedule().minimum_s
    block: Block = Schedule().block_s
    visits: Visits = 3


@dataclass(frozen=True)
class OwnGroups:
    """Experiments that are all known beforehand."""

    experiments: tuple[Experiment, ...]

    def plan(self, machine: Machine) -> Plan:
        """Yield the experiments; UsageError for a CPU that may not be used here."""
        usable = machine.cpus()
        for experiment in self.experiments:
            for group in experiment.groups:
                for cpu in group.team.cpus:
                    if cpu not in usable:
                        raise UsageError(f"CPU {cpu} may not be used here; usable: {','.join(map(str, usable))}")
            yield experiment


def read_groups(text: str, tasks: Mapping[str, str]) -> OwnGroups:
    """Return the groups of a file. tasks: kernel -> its task, from the catalogue.

    UsageError for any mistake in the file; it names the place.
    """
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a decode error, a number of 5000 digits, a thousand brackets
        raise UsageError(f"the plan is not TOML: {error}") from error
    _only(document, ["schedule", "experiment"], "the plan")
    schedule = _schedule(_table(document.get("schedule", {}), "schedule"))
    entries = document.get("experiment")
    if not isinstance(entries, list) or not entries:
        raise UsageError("the plan has no [[experiment]]; see docs/how-to/own-groups.md")
    every = [one for n, e in enumerate(entries) for one in expanded(_table(e, "experiment"), f"experiment {n}")]
    return OwnGroups(tuple(_experiment(one, schedule, n, tasks) for n, one in enumerate(every)))


def _experiment(entry: dict[str, Any], schedule: Schedule, number: int, tasks: Mapping[str, str]) -> Experiment:
    place = f"experiment {number}"
    _only(entry, ["label", "group"], place)
    groups = entry.get("group")
    if not isinstance(groups, list) or not groups:
        raise UsageError(f"{place} has no [[experiment.group]]")
    made = tuple(read_group(_table(g, place), f"{place}, group {n}", tasks) for n, g in enumerate(groups))
    _refuse_overlap(made, place)
    label = str(entry.get("label", f"experiment {number}"))
    return Experiment(table="groups", groups=made, schedule=schedule, labels=GroupsLabels(label=label).stored())


def _refuse_overlap(groups: tuple[Group, ...], place: str) -> None:
    """Raise UsageError if groups have a CPU in common, unless every group that has it permits sharing."""
    seen: dict[int, Group] = {}
    for group in groups:
        for cpu in group.team.cpus:
            other = seen.setdefault(cpu, group)
            if other is not group and not (other.shared and group.shared):
                raise UsageError(f"{place}: CPU {cpu} is in two groups; shared = true in both lets them share it")


def read_group(entry: dict[str, Any], place: str, tasks: Mapping[str, str]) -> Group:
    """Return the group of one table. place: of the table, for messages; UsageError for any mistake in it."""
    _only(entry, GROUP_KEYS, place)
    for key in ("kernel", "cpus"):
        if key not in entry:
            raise UsageError(f"{place} has no {key}")
    with _at(place):
        words = {key: _text(entry.get(key, default), key) for key, default in PLACES.items()}
        work = _workload(words["kernel"], entry, tasks)
        cpus = entry["cpus"]
        listed = read_word("cpus", NUMBERS, ",".join(map(str, cpus)) if isinstance(cpus, list) else str(cpus))
        target = Target.parse(words["target"], words["pages"])
        source = Target.parse(words["source"], words["pages"]) if words["source"] else None
    shared = entry.get("shared", False)
    if not isinstance(shared, bool):
        raise UsageError(f"{place}: shared={shared!r} is neither true nor false")
    return Group(workload=work, target=target, team=Team(cpus=listed), role=words["role"], source=source, shared=shared)


def _workload(kernel: str, entry: dict[str, Any], tasks: Mapping[str, str]) -> Workload:
    """Return a workload from the keys of every group and of the kernel's task; UsageError for another task's."""
    fields = {key: key for key in WORDS} | TIMES | SIZES | COUNTS
    given = {key: _value(entry[key], key) for key in fields if key in entry}
    if kernel not in tasks:
        raise UnknownNameError(unknown("kernel", kernel, sorted(tasks)))
    kind = KINDS.get(tasks[kernel])
    if kind is None:
        raise UsageError(f"kernel {kernel} is of the task {tasks[kernel]}, which this version cannot plan")
    every = {fields[key]: value for key, value in given.items() if fields[key] in Workload.__struct_fields__}
    own = {key: value for key, value in given.items() if fields[key] not in every}
    taken = [key for key, field in fields.items() if field in kind.__struct_fields__]
    for key in own:
        if key not in taken:
            raise UsageError(
                f"kernel {kernel} does not take {key}={entry[key]}; of the keys that depend on the kernel it takes "
                f"{', '.join(sorted(taken)) or 'none'}"
            )
    work = kind(**{fields[key]: value for key, value in own.items()})
    work.refuse()
    return Workload(**{"kernel": kernel, "footprint_bytes": 0, "work": work, **every})


def _value(value: Any, key: str) -> Any:
    """Return the value in the file, in bytes or seconds if the key has this unit, else unchanged."""
    if key in SIZES:
        return units.parse_bytes(str(value))
    if key in COUNTS:
        return _whole(value, key)
    return units.parse_seconds(_text(value, key)) if key in TIMES else _text(value, key)


def _schedule(entry: dict[str, Any]) -> Schedule:
    _only(entry, list(Timing.__struct_fields__), "schedule")
    with _at("schedule"):
        asked = read_options("schedule", Timing, {key: str(value) for key, value in entry.items()})
    return Schedule(
        precision=asked.precision,
        budget_s=asked.budget,
        minimum_s=asked.minimum,
        block_s=asked.block,
        visits=asked.visits,
    )


@contextmanager
def _at(place: str) -> Iterator[None]:
    """Add the place in the file to the message of a UsageError."""
    try:
        yield
    except UsageError as error:
        raise type(error)(f"{place}: {error}") from error


def _text(value: Any, key: str) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{key}={value!r} is not text; put it in quotes")
    return value


def _table(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UsageError(f"{place} is not a table")
    return value


def _whole(value: Any, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise UsageError(f"{place}={value!r} is not a whole number")
    return value


def _only(entry: dict[str, Any], known: list[str], place: str) -> None:
    for key in entry:
        if key not in known:
            raise UnknownNameError(f"{place}: {unknown('key', key, known)}")
