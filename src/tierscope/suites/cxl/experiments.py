"""CXL: a node without CPUs, or another slow memory, and DRAM: idle latency, curves under load, pages interleaved.

Linux presents a CXL expander as far memory. For near and far memory, one CPU chases alone and then with loads, as in
`loaded-latency`. Then all CPUs use arrays whose pages alternate: some near, then some far, as the kernel's weighted
interleaving places them. At some ratio both memories are full at the same time, and bandwidth is highest.
Blind to what else the link carries, and to devices that are interleaved below one node.
Source: Y. Sun et al., "Demystifying CXL Memory with Genuine CXL-Ready Systems and Devices", MICRO 2023; Linux,
Documentation/ABI/testing/sysfs-kernel-mm-mempolicy-weighted-interleave.
"""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Annotated

from tierscope.errors import MachineError, UsageError
from tierscope.plans import Plan, Suite, SuiteOptions, suites
from tierscope.plans.answer import Answer
from tierscope.plans.cpus import chosen_cpus
from tierscope.plans.kernels import LOADS, walk_of
from tierscope.plans.kinds import (
    Help,
    Kind,
    Names,
    Numbers,
    Pages,
    Size,
    Visits,
    names_of,
    several,
    words_of,
)
from tierscope.plans.loaded import apart, beside, idle
from tierscope.plans.simulation import NAME as SIMULATED
from tierscope.plans.sizes import Memory, array, chosen_array
from tierscope.plans.usual import Budget, Precision
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.record.work.hop import HopWork
from tierscope.record.work.line import LineWork
from tierscope.suites.cxl.labels import PagesLabels

Ratios = tuple[tuple[int, int], ...]
MIXES = tuple(name + form for name in LOADS for form in (("",) if name == "read" else ("", "_nt")))
EVERY: Ratios = ((1, 0), (8, 1), (4, 1), (3, 1), (2, 1), (1, 1), (1, 2), (0, 1))
PLAIN = "node"  # a target whose pages can be placed one by one


def _ratios(word: str) -> Ratios:
    """Return '3:1,1:1' as ((3, 1), (1, 1)); UsageError for anything else."""
    found = []
    for one in words_of(word):
        near, colon, far = one.partition(":")
        if not colon or not (near.isdecimal() and far.isdecimal()) or max(int(near), int(far)) > 255 or one == "0:0":
            raise UsageError("write pages near : pages far, at most 255 each, such as 3:1,1:1")
        found.append((int(near), int(far)))
    return tuple(dict.fromkeys(found))


class CxlOptions(SuiteOptions, frozen=True, kw_only=True):
    """Options of `tierscope run cxl`."""

    far: Annotated[Target | None, Help("the memory to measure; auto: the first node without CPUs")] = None
    near: Annotated[Target | None, Help("the DRAM next to it; auto: the node with CPUs that is nearest to far")] = None
    pages: Annotated[Pages, Help("page size: `4k`, `thp`; for pages that are interleaved, the size of a turn")] = "thp"
    ratios: Annotated[
        Ratios,
        Kind(_ratios, lambda ratios: ",".join(f"{near}:{far}" for near, far in ratios)),
        Help("pages near : pages far of a turn, such as `3:1,1:1`; `1:0` and `0:1` are each memory alone"),
    ] = EVERY
    kernel: Annotated[str, Help("kernel of the interleaved bandwidth")] = "read"
    mixes: Annotated[Names, several("mix", MIXES), Help("load kernels of the curves, as for `loaded-latency`")] = (
        "read",
        "mix_1r1w",
    )
    delays: Annotated[Numbers, Help("core cycles of delay after each burst of the load")] = (0, 50, 100, 200, 500, 2000)
    cpus: Annotated[
        Numbers | None,
        Help("CPUs to use, the chaser's first; auto: those of near, one of each core first"),
    ] = None
    array: Annotated[Size | None, Help("bytes of each array, as for `stream`, within half of what each memory has")] = (
        None
    )
    precision: Precision = 0.02
    budget: Budget = 1.0
    visits: Visits = 3


@dataclass(frozen=True)
class Pair:
    """The two memories and the CPUs that use them."""

    near: Target
    far: Target
    cpus: tuple[int, ...]

    def placed(self, near_pages: int, far_pages: int) -> Target:
        """Return the target whose pages alternate: `near_pages` near, then `far_pages` far."""
        if not far_pages:
            return self.near
        if not near_pages:
            return self.far
        turns = f"{self.near.where}={near_pages},{self.far.where}={far_pages}"
        return Target(name="interleave", where=turns, pages=self.near.pages)


def far_node(machine: Machine) -> int:
    """Return the first node that has only memory; MachineError if there is none."""
    for node in machine.identity.nodes:
        if node.memory_bytes and not node.cpus:
            return node.number
    nodes = ",".join(str(number) for number in machine.memory_nodes())
    raise MachineError(
        f"this machine has no node without CPUs (nodes with memory: {nodes}); try `tierscope vm cxl -- run cxl` on an "
        "emulated one, `tierscope run cxl near=sim:cxl_dram,memory=dram far=sim:cxl_dram` on a simulated one, or name "
        "another memory: far=node:1"
    )


def near_node(machine: Machine, far: int) -> int:
    """Return the nearest node with CPUs and memory: by the firmware's initiators of `far`, else by its distances."""
    able = [node.number for node in machine.identity.nodes if node.cpus and node.memory_bytes and node.number != far]
    if not able:
        raise MachineError(f"no node other than node {far} has CPUs and memory; name one: near=node:0")
    told = next((node.initiators for node in machine.identity.nodes if node.number == far), ())
    first = [node for node in told if node in able]
    return first[0] if first else min(able, key=lambda node: (machine.distance(node, far) or 255, node))


def pair_of(machine: Machine, chosen: CxlOptions) -> Pair:
    """Return both memories; UsageError if they are the same."""
    far = chosen.far or Target(name=PLAIN, where=str(far_node(machine)))
    number = int(far.where) if far.name == PLAIN and far.where.isdecimal() else -1
    if chosen.near is None and far.name == SIMULATED:
        raise UsageError(f"far={far.word}: name the simulated DRAM too: near={far.word},memory=dram")
    near = chosen.near or Target(name=PLAIN, where=str(near_node(machine, number)))
    if near.word == far.word:
        raise UsageError(f"near and far are both {near.word}; name two memories")
    near, far = near.on(chosen.pages), far.on(chosen.pages)
    return Pair(near, far, chosen_cpus(machine, chosen.cpus, near))


def placeable(pair: Pair) -> bool:
    """Return whether one array can have pages of both."""
    return pair.near.name == pair.far.name == PLAIN


def left_out(machine: Machine, chosen: CxlOptions) -> tuple[str, ...]:
    """Return what these memories or CPUs do not allow."""
    pair = pair_of(machine, chosen)
    found = []
    if not placeable(pair) and any(near and far for near, far in chosen.ratios):
        found.append(
            f"pages of {pair.near.word} and {pair.far.word} cannot be interleaved; try far= and near= with nodes"
        )
    if len(pair.cpus) < 2:
        found.append("curves under load need two CPUs, one to chase and one to load")
    return tuple(found)


def curves(
    machine: Machine, chosen: CxlOptions, pair: Pair, target: Target, memory: Memory, schedule: Schedule
) -> Generator[Experiment, Answer, None]:
    """Yield the chaser alone, then with every load, on one of the memories."""
    cpus, crowded = (pair.cpus, "") if chosen.cpus or len(pair.cpus) < 2 else apart(machine, pair.cpus)
    note = "; ".join(part for part in (memory.note, crowded) if part)
    work = Workload(kernel="chase", footprint_bytes=memory.array_bytes, work=HopWork())
    chase = Group(workload=work, target=target, team=Team(cpus=cpus[:1]), role="chaser")
    yield idle(chase, schedule, note)
    for mix in chosen.mixes if len(cpus) > 1 else ():
        for delay in sorted(chosen.delays):
            work = Workload(
                kernel=mix,
                footprint_bytes=walk_of(machine, mix).arrays * memory.array_bytes,
                work=LineWork(),
                pace_cycles=delay,
            )
            load = Group(workload=work, target=target, team=Team(cpus=cpus[1:]), role="load")
            yield beside(machine, chase, load, schedule, note)


def interleaved(
    machine: Machine, chosen: CxlOptions, pair: Pair, memory: Memory, schedule: Schedule
) -> Generator[Experiment, Answer, None]:
    """Yield all CPUs on pages of both memories, once for each ratio."""
    (kernel, *_) = names_of("kernel", words_of(chosen.kernel), machine.kernels)
    size = walk_of(machine, kernel).arrays * memory.array_bytes
    for near, far in chosen.ratios:
        if near and far and not placeable(pair):
            continue
        work = Workload(kernel=kernel, footprint_bytes=size, work=LineWork())
        group = Group(workload=work, target=pair.placed(near, far), team=Team(cpus=pair.cpus), role="bandwidth")
        yield Experiment(
            table="page_ratio",
            groups=(group,),
            schedule=schedule,
            labels=PagesLabels(near=pair.near.word, far=pair.far.word, near_pages=near, far_pages=far).stored(),
            calibrate=True,
            note=memory.note,
        )


def plan(machine: Machine, chosen: CxlOptions) -> Plan:
    """Yield both memories alone before the pages of both."""
    pair = pair_of(machine, chosen)
    schedule = Schedule(precision=chosen.precision, budget_s=chosen.budget, visits=chosen.visits)
    memory = yield from chosen_array(machine, chosen.array, None, pair.cpus, pair.cpus[0], pair.near)
    if chosen.array is None:
        memory = min(memory, array(machine, None, pair.cpus, target=pair.far), key=lambda one: one.array_bytes)
    for target in (pair.near, pair.far):
        yield from curves(machine, chosen, pair, target, memory, schedule)
    yield from interleaved(machine, chosen, pair, memory, schedule)


suites.add(
    Suite(
        "cxl",
        "a node without CPUs, such as CXL memory: latency, curves under load, pages interleaved with DRAM",
        CxlOptions,
        plan,
        left_out=left_out,
        kernels=True,
        details="See [how to measure CXL memory](../how-to/cxl.md).",
    )
)
