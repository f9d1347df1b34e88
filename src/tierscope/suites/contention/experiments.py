"""Contention: n threads copy within target a while m others copy from, to, or within target b.

First each target is measured alone over thread counts; a and b alternate, for their ratio. Then each mode runs with all
CPUs on one side (N:0, 0:N), which calibrates the loop variants. The mixed splits use the variants that were found
there, so a split differs from its ends only in which threads run together. Both groups of a split start and stop
together (`stats.together`), so no rule of thumb discards a part of the run.

The two arrays of `array` bytes are divided among the threads. Each thread visits the same number of bytes in every
split, and the same number of bytes passes through the caches. Blind, if b is a file in memory, to the speed of a second
tier: the machine does not have one.
Source: document 000, an unpublished thesis on NVDIMM and DRAM (its modes, and its tables of both and their sum).
"""

from collections.abc import Generator
from dataclasses import dataclass

import msgspec

from tierscope.errors import MachineError, UnknownNameError, UsageError
from tierscope.plans import Plan, Suite, suites
from tierscope.plans.answer import Answer
from tierscope.plans.cpus import chosen_cpus, near_cpus, thread_counts
from tierscope.plans.ran import walk_that_ran
from tierscope.plans.sizes import SEARCH, Memory, array, effective_cache
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.machine import Machine, Node
from tierscope.record.work.line import LineWork
from tierscope.suites.contention.labels import MODES, SideLabels, SplitLabels
from tierscope.suites.contention.options import ContentionOptions
from tierscope.units import MiB

STAND_IN = Target(name="file", where="/dev/shm/tierscope-b")  # noqa: S108 (it is named in the help)
SPLIT_S = 1.0  # of a split, at least
PIECE_S = 0.5  # of one of its visits, without a pause: one common window, and dips up to 0.1 s apart are visible
GRAIN = 4 * MiB  # of a large footprint: whole large pages of both arrays


@dataclass(frozen=True)
class Pair:
    """Two targets, and what all points on them share."""

    a: Target
    b: Target
    kernel: str
    cpus: tuple[int, ...]
    schedule: Schedule
    array_bytes: int
    note: str
    stand_in: bool  # b is a file, because there is no second tier

    def of(self, mode: str) -> tuple[Target, Target]:
        """Return the source and the destination of a mode such as 'b-a'."""
        source, target = ({"a": self.a, "b": self.b}[side] for side in mode.split("-"))
        return source, target

    def group(self, role: str, cpus: tuple[int, ...], mode: str, of: int, walk: Workload | None = None) -> Group:
        """Return a team that copies in `mode` on its share of the memory. of: all threads that share it."""
        source, target = self.of(mode)
        size = 2 * self.array_bytes * len(cpus) // of
        grain = GRAIN if size >= 16 * GRAIN else 128
        work = walk or Workload(kernel=self.kernel, footprint_bytes=0, work=LineWork())
        return Group(
            workload=msgspec.structs.replace(work, footprint_bytes=size // grain * grain),
            target=target,
            source=None if source == target else source,
            team=Team(cpus=cpus),
            role=role,
        )

    def point(
        self, table: str, groups: tuple[Group, ...], labels: SplitLabels | SideLabels, calibrate: bool
    ) -> Experiment:
        schedule = self.schedule
        if table == "contention":
            budget_s = schedule.budget_s
            schedule = msgspec.structs.replace(
                schedule, minimum_s=min(SPLIT_S, budget_s), piece_s=min(PIECE_S, budget_s)
            )
        return Experiment(
            table=table,
            groups=groups,
            schedule=schedule,
            labels=msgspec.structs.replace(labels, stand_in=self.stand_in).stored(),
            calibrate=calibrate,
            note=self.note,
        )


def splits_of(chosen: ContentionOptions, cpus: int) -> list[tuple[int, int]]:
    """Return (threads of A, threads of B), the unmixed first; UsageError for one that does not fit."""
    if isinstance(chosen.splits, str):
        return [(cpus, 0), (0, cpus), *((n, cpus - n) for n in range(cpus - 1, 0, -1))]
    for a, b in chosen.splits:
        if a + b > cpus:
            asked = f"splits={a}:{b}"
            raise UsageError(f"{asked} needs {a + b} CPUs and {cpus} may be used here; try splits={cpus - 1}:1")
    most = max((a + b for a, b in chosen.splits), default=0)
    return list(dict.fromkeys([(most, 0), (0, most), *chosen.splits])) if chosen.splits else []


def targets_of(machine: Machine, chosen: ContentionOptions) -> tuple[Target, Target, str]:
    """Return a, b, and the note that is required if b only replaces a second tier."""
    near = {cpu.node for cpu in machine.identity.cpus if cpu.allowed}
    nodes = [node for node in machine.identity.nodes if node.memory_bytes > 0]
    first = min(nodes, key=lambda node: (node.number not in near, node.number), default=None)
    a = chosen.a or Target(where=str(first.number if first else 0))
    b = chosen.b or _other(machine, nodes, a)
    note = ""
    if b is None:
        b = STAND_IN
        note = (
            f"b is {b.word}, which is in the same memory as a: this machine has no second node with memory, so the "
            "file replaces a tier that is not there; name another with b=node:N or b=file:PATH"
        )
    pages = chosen.pages or ("4k" if {a.name, b.name} & {"file", "pool"} else "thp")
    return _known(machine, "a", a.on(pages)), _known(machine, "b", b.on(pages)), note


def _other(machine: Machine, nodes: list[Node], a: Target) -> Target | None:
    """Return a node other than a: one without CPUs first, then the nearest; None if there is none."""
    order = sorted(node.number for node in machine.identity.nodes)
    known = {f"node:{node.number}": dict(zip(order, node.distances, strict=False)) for node in nodes}
    distances = known.get(a.word, {})
    others = [node for node in nodes if f"node:{node.number}" != a.word]
    best = min(others, key=lambda node: (bool(node.cpus), distances.get(node.number, 0), node.number), default=None)
    return Target(where=str(best.number)) if best else None


def _known(machine: Machine, key: str, target: Target) -> Target:
    """Return a target; UsageError before anything is mapped if no core accepts it. The core checks other kinds."""
    word = target.word
    numbers = [str(node.number) for node in machine.identity.nodes]
    if target.name == "node" and target.where not in numbers:
        raise UnknownNameError(f"{key}={word}: there is no such node; nodes here: {', '.join(numbers)}")
    if target.name == "null" or (target.name in {"file", "pool"} and not target.where):
        raise UsageError(f"{key}={word} has no bytes to copy; try {key}=node:{numbers[0]} or {key}=file:PATH")
    return target


def pair_of(machine: Machine, chosen: ContentionOptions) -> Generator[Experiment, Answer, Pair]:
    """Return both targets and arrays by the cache of `a`; all options are validated before anything is measured."""
    a, b, stand_in = targets_of(machine, chosen)
    cpus = chosen_cpus(machine, chosen.cpus, a)
    if len(cpus) < 2 and chosen.splits:
        why = "contention needs two CPUs, one for each group; this process may use one"
        raise MachineError(f"{why}; allow it another, or measure the ratio of the targets alone with splits=none")
    splits_of(chosen, len(cpus))
    thread_counts(chosen.threads, cpus)
    schedule = Schedule(precision=chosen.precision, budget_s=chosen.budget, block_s=chosen.block, visits=chosen.visits)
    if chosen.array is None:
        large = a.on("thp") if a.node else a  # with pages of 4 KiB the TLB blurs the caches
        found = yield from effective_cache(machine, near_cpus(machine, a)[0], large, SEARCH)
        memory = min(
            (array(machine, found, cpus, 2, target) for target in (a, b)), key=lambda one: one.array_bytes
        )  # either target contains both arrays
    else:
        memory = Memory(chosen.array, "")
    note = "; ".join(part for part in (stand_in, memory.note) if part)
    return Pair(a, b, chosen.kernel, cpus, schedule, memory.array_bytes, note, bool(stand_in))


def ratio(pair: Pair, counts: tuple[int, ...]) -> Plan:
    """Yield each target alone, a then b for each number of threads, on all the memory."""
    for count in counts:
        for side in ("a", "b"):
            group = pair.group(side.upper(), pair.cpus[:count], f"{side}-{side}", of=count)
            labels = SideLabels(threads=count, side=side)
            yield pair.point("targets", (group,), labels, calibrate=True)


def contend(pair: Pair, mode: str, splits: list[tuple[int, int]]) -> Plan:
    """Yield all splits of a mode. Mixed splits use the loop variants of the largest unmixed ones, which come first."""
    walks: dict[str, Workload] = {}
    for a, b in splits:
        sides = (("A", "a-a", pair.cpus[:a]), ("B", mode, pair.cpus[a : a + b]))
        groups = tuple(
            pair.group(role, cpus, way, a + b, walks.get(role) if a and b else None)
            for role, way, cpus in sides
            if cpus
        )
        source, target = pair.of(mode)
        labels = SplitLabels(
            mode=MODES[mode], a_threads=a, b_threads=b,
            a_target=pair.a.word, b_source=source.word, b_target=target.word,
        )  # fmt: skip
        answer = yield pair.point("contention", groups, labels, calibrate=not (a and b))
        if not (a and b) and groups[0].role not in walks:
            walks[groups[0].role] = walk_that_ran(answer, groups[0])


def plan(machine: Machine, chosen: ContentionOptions) -> Plan:
    pair = yield from pair_of(machine, chosen)
    yield from ratio(pair, thread_counts(chosen.threads, pair.cpus))
    for mode in chosen.modes:
        yield from contend(pair, mode, splits_of(chosen, len(pair.cpus)))


suites.add(
    Suite(
        "contention",
        "two groups on two targets, every split of the CPUs",
        ContentionOptions,
        plan,
        details="Threads of group A copy within target a, and those of group B within, from or to target b, "
        "for every split of the CPUs. Before that, measures each target alone. Needs two CPUs. See "
        "[how to measure contention](../how-to/contention.md).",
    )
)
