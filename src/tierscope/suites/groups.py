"""The user's own groups, from a TOML file: any kernels on any targets at once.

    [schedule]                 # optional
    precision = 0.02
    budget = "2s"

    [[experiment]]
    label = "copy beside reads"
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
from dataclasses import dataclass
from typing import Any

from tierscope import units
from tierscope.errors import UnknownNameError, UsageError
from tierscope.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.machine import Machine
from tierscope.registry import unknown
from tierscope.suites import Plan
from tierscope.suites.options import numbers_of

SIZES = {
    "footprint": "footprint_bytes", "prefetch": "prefetch_bytes", "prefetchw": "prefetchw_bytes",
    "interleave": "interleave_bytes", "element": "element_bytes", "locality": "locality_bytes", "burst": "burst_bytes",
}  # fmt: skip
COUNTS = {"streams": "streams", "unroll": "unroll", "pace": "pace_cycles"}
GROUP_KEYS = ["kernel", "isa", "target", "pages", "cpus", "role", *SIZES, *COUNTS]


@dataclass(frozen=True)
class OwnGroups:
    """Experiments that are all known beforehand."""

    experiments: tuple[Experiment, ...]

    def plan(self, machine: Machine) -> Plan:
        """UsageError for a CPU that may not be used here."""
        usable = machine.cpus()
        for experiment in self.experiments:
            for group in experiment.groups:
                for cpu in group.team.cpus:
                    if cpu not in usable:
                        raise UsageError(f"CPU {cpu} may not be used here; usable: {','.join(map(str, usable))}")
            yield experiment


def read_groups(text: str) -> OwnGroups:
    """UsageError that names the place, for any mistake in the file."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"the plan is no TOML: {error}") from error
    _only(document, ["schedule", "experiment"], "the plan")
    schedule = _schedule(_table(document.get("schedule", {}), "schedule"))
    entries = document.get("experiment")
    if not isinstance(entries, list) or not entries:
        raise UsageError("the plan has no [[experiment]]; see docs/how-to/own-groups.md")
    return OwnGroups(tuple(_experiment(_table(e, "experiment"), schedule, n) for n, e in enumerate(entries)))


def _experiment(entry: dict[str, Any], schedule: Schedule, number: int) -> Experiment:
    place = f"experiment {number}"
    _only(entry, ["label", "group"], place)
    groups = entry.get("group")
    if not isinstance(groups, list) or not groups:
        raise UsageError(f"{place} has no [[experiment.group]]")
    made = tuple(_group(_table(g, place), f"{place}, group {n}") for n, g in enumerate(groups))
    label = str(entry.get("label", f"experiment {number}"))
    return Experiment(table="groups", groups=made, schedule=schedule, labels={"label": label})


def _group(entry: dict[str, Any], place: str) -> Group:
    _only(entry, GROUP_KEYS, place)
    for key in ("kernel", "cpus"):
        if key not in entry:
            raise UsageError(f"{place} has no {key}")
    walk: dict[str, int] = {}
    for key, field in SIZES.items():
        if key in entry:
            walk[field] = units.parse_bytes(str(entry[key]))
    for key, field in COUNTS.items():
        if key in entry:
            walk[field] = _whole(entry[key], f"{place}, {key}")
    walk.setdefault("footprint_bytes", 0)
    work = Workload(kernel=str(entry["kernel"]), isa=str(entry.get("isa", "")), **walk)
    target = Target.parse(str(entry.get("target", "node:0")), str(entry.get("pages", "thp")))
    cpus = tuple(numbers_of(str(entry["cpus"]), f"{place}, cpus"))
    return Group(workload=work, target=target, team=Team(cpus=cpus), role=str(entry.get("role", "")))


def _schedule(entry: dict[str, Any]) -> Schedule:
    _only(entry, ["precision", "budget", "minimum", "block"], "schedule")
    default = Schedule()
    return Schedule(
        precision=float(entry.get("precision", default.precision)),
        budget_s=units.parse_seconds(str(entry.get("budget", default.budget_s))),
        minimum_s=units.parse_seconds(str(entry.get("minimum", default.minimum_s))),
        block_s=units.parse_seconds(str(entry.get("block", default.block_s))),
    )


def _table(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UsageError(f"{place} is no table")
    return value


def _whole(value: Any, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise UsageError(f"{place}={value!r} is no whole number")
    return value


def _only(entry: dict[str, Any], known: list[str], place: str) -> None:
    for key in entry:
        if key not in known:
            raise UnknownNameError(f"{place}: {unknown('key', key, known)}")
