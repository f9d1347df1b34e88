"""Noisy neighbours: how much aggressors, and other victims, slow a victim down.

All counts of one victim are takes of one experiment. They alternate, round after round, so the victim alone and the
victim with others are never far apart in time (`stats.contrast`). A victim in the shared cache has most to lose. The
chase visits half of the effective last-level cache: alone it hits, and with aggressors that stream through the cache it
misses. The triad uses memory and loses bandwidth. The flow is a whole program, a min-cost flow by network simplex, as
SPEC's mcf is.

Blind to what aggressors do to each other: their own bandwidth is not a result here, see
`suites.contention.experiments`.
Source: document 002 (several tasks of mcf with writers to persistent memory, one CPU each).
"""

from collections.abc import Generator

import msgspec

from tierscope.errors import MachineError, UsageError
from tierscope.plans import Plan, Suite, suites
from tierscope.plans.answer import Answer
from tierscope.plans.cpus import near_cpus
from tierscope.plans.kernels import arrays
from tierscope.plans.kinds import ALL, names_of, words_of
from tierscope.plans.sizes import (
    BELIEVED,
    MEMORY_SHARE,
    SEARCH,
    Memory,
    array,
    effective_cache,
    free_bytes,
    half_of_what,
)
from tierscope.record.catalogue import FLUSH
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.record.work.block import BlockWork
from tierscope.record.work.call import CallWork
from tierscope.record.work.hop import HopWork
from tierscope.record.work.line import LineWork
from tierscope.record.work.task import TaskWork
from tierscope.suites.neighbors import fio as neighbor_fio
from tierscope.suites.neighbors.cpus import Places, places
from tierscope.suites.neighbors.labels import NeighborsLabels
from tierscope.suites.neighbors.options import (
    AGGRESSORS,
    CHUNK_BYTES,
    COMMAND,
    KERNELS,
    SLEEP,
    NeighborsOptions,
    is_line,
)
from tierscope.units import LINE_BYTES, MiB, show_bytes

LINE = "command"  # the victim of the core that runs a line of the user, requested as `cmd LINE`
CACHE_SHARE = 0.5  # of the effective last-level cache, for the chase: alone it hits, and others have some space
SMALLEST_CHASE = 8 * MiB  # beyond the private caches of all cores sold
SMALLEST_ARRAY = 64 * MiB  # of an aggressor: with all its operands far beyond a private cache
BATCH_S = 0.1  # of one take in one round
SLOW_HOP_S = 150e-9  # of a chase that misses: a batch contains four passes even then
WALKS = 4  # passes; the first is left out
LONGEST_BATCH_S = 2.0
TASK_BLOCK_S = 0.02  # of aggressors with tasks: the core keeps 20000 blocks of each, so tasks may take 400 s


def numbers(machine: Machine, chosen: NeighborsOptions) -> tuple[list[int], list[int], Places]:
    """Return the numbers of simultaneous victims, of simultaneous aggressors (0 first), and their CPUs."""
    victims, asked = sorted(set(chosen.victims)), list(chosen.aggressors or ())
    near = near_cpus(machine, chosen.target)
    own, others = chosen.victim_cpus or (), chosen.aggressor_cpus or ()
    place = places(machine, near, own, others, overlap=chosen.overlap == "yes")
    place.fit(victims, asked)
    return victims, sorted({0, *asked}) if asked else place.counts(victims[0]), place


def takes(
    victims: list[int], aggressors: list[int], place: Places
) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """Return the sets of groups that run together, victims first, and for each set the one that it is compared with.

    With aggressors, that is the same victims without them. Several victims without aggressors are compared with one
    alone, if that is measured.
    """
    pairs = [(n, k) for n in victims for k in aggressors if place.fits(n, k)]
    first = max(victims)
    sets = tuple((*range(n), *range(first, first + k)) for n, k in pairs)
    lone = (1, 0) if (1, 0) in pairs else None
    return sets, tuple(pairs.index((n, 0) if k else lone or (n, 0)) for n, k in pairs)


def victim(machine: Machine, kind: str, array_bytes: int, chosen: NeighborsOptions) -> tuple[Workload, Target]:
    """Return the work of each victim, and where its bytes are. A task keeps its memory to itself."""
    if is_command(kind):
        line = fio_line(chosen) if kind == neighbor_fio.NAME else kind.removeprefix(COMMAND).strip()
        return command(line, chosen), Target(name="null", where="")
    if kind not in KERNELS:
        return _task(kind, TaskWork(size=chosen.size)), Target(name="null", where="")
    target = chosen.target.on(chosen.pages)
    work = HopWork() if kind == "chase" else LineWork()
    return Workload(kernel=kind, footprint_bytes=arrays(machine, kind) * array_bytes, work=work), target


def is_command(kind: str) -> bool:
    """Return whether other programs do the work."""
    return is_line(kind) or kind == neighbor_fio.NAME


def kinds_of(machine: Machine, chosen: NeighborsOptions) -> tuple[str, ...]:
    """Return the victims; MachineError for one that this build lacks, UnknownNameError for one that no build has."""
    if is_line(chosen.victim[0]):
        return chosen.victim
    built = {name: why for name, why in machine.victims.items() if name != LINE}
    here = (*(name for name, why in built.items() if not why), *KERNELS)
    if chosen.victim == (ALL,):
        return here
    kinds = names_of("victim", chosen.victim, (*built, *KERNELS, neighbor_fio.NAME))
    for name in kinds:
        if built.get(name):
            raise MachineError(f"victim {name} is not available here: {built[name]}; try victim={','.join(here)}")
    return kinds


def fio_line(chosen: NeighborsOptions) -> str:
    return neighbor_fio.line(chosen.fio_path, chosen.fio_size, chosen.fio_engine)


def command(line: str, chosen: NeighborsOptions) -> Workload:
    return _task(LINE, TaskWork(command=line, limit_s=chosen.timeout))


def _task(kernel: str, work: TaskWork) -> Workload:
    return Workload(kernel=kernel, footprint_bytes=0, work=work)


def aggressor(machine: Machine, chosen: NeighborsOptions, most: int) -> tuple[Workload, Target, str]:
    """Return the work of each aggressor, where its bytes are, and why they are fewer than the rule requires."""
    flushing = [f"{FLUSH}{name}" for name in machine.flushes]
    (name, *_) = names_of("aggressor", words_of(chosen.aggressor), (*machine.kernels, *flushing, *AGGRESSORS))
    if name != chosen.aggressor:
        raise UsageError(f"aggressor={chosen.aggressor}: one aggressor at a time")
    if name == neighbor_fio.NAME:
        return command(fio_line(chosen), chosen), Target(name="null", where=""), ""
    if name == SLEEP:
        return Workload(kernel=SLEEP, footprint_bytes=0, work=CallWork()), Target(name="null", where=""), ""
    target = chosen.aggressor_target.on(chosen.pages)
    operands, work = arrays(machine, name), _with_fence(name, chosen, name in flushing)
    if chosen.aggressor_array is not None:
        return _of(work, operands * chosen.aggressor_array), target, ""
    wanted = min(max(machine.last_level_cache_bytes(), SMALLEST_ARRAY), BELIEVED)
    limit = int(free_bytes(machine, target) * MEMORY_SHARE / max(1, most * operands))
    size = max(min(wanted, limit) // MiB, 1) * MiB
    limited = half_of_what(machine, target)
    note = f"aggressors' arrays of {show_bytes(size)} instead of {show_bytes(wanted)}: limited by {limited}"
    return _of(work, operands * size), target, note if size < wanted // MiB * MiB else ""


def _with_fence(name: str, chosen: NeighborsOptions, flushes: bool) -> Workload:
    """Return the kernel without its footprint; UsageError for a chunk or a fence of one that does not flush."""
    chunk, fence = chosen.aggressor_chunk, chosen.aggressor_fence
    if not flushes:
        for key, value in (("aggressor_chunk", chunk), ("aggressor_fence", fence)):
            if value is not None:
                raise UsageError(f"{key}={value}: {name} does not flush; try aggressor=flush_clwb")
        return Workload(kernel=name, footprint_bytes=0, work=HopWork() if name == "chase" else LineWork())
    work = BlockWork(element_bytes=chunk or CHUNK_BYTES, fence=fence or "chunk")
    return Workload(kernel=name, footprint_bytes=0, work=work)


def _of(work: Workload, footprint: int) -> Workload:
    return msgspec.structs.replace(work, footprint_bytes=footprint)


def victim_memory(
    machine: Machine, chosen: NeighborsOptions, kind: str, cache_bytes: int | None, place: Places
) -> Memory:
    """Return the bytes of each array of a chase or triad."""
    if kind not in KERNELS:
        return Memory(0, "")
    if chosen.victim_array is not None:
        return Memory(chosen.victim_array, "")
    if kind == "triad":
        target = chosen.target.on(chosen.pages)
        return array(machine, cache_bytes, place.victims[:1], arrays(machine, "triad") * len(place.victims), target)
    known = cache_bytes or machine.last_level_cache_bytes()
    return Memory(max(int(known * CACHE_SHARE) // MiB * MiB, SMALLEST_CHASE), "")


def schedule(kind: str, array_bytes: int, chosen: NeighborsOptions) -> Schedule:
    """Return the schedule. `minimum_s` is the length of a batch: several passes of a chase, or at least a block.

    A task takes as long as it needs.
    """
    walk_s = array_bytes / LINE_BYTES * SLOW_HOP_S if kind == "chase" else 0.0
    kernel = kind in KERNELS
    limit_s = chosen.timeout if is_command(kind) else 0.0
    block_s = Schedule().block_s if kernel else max(TASK_BLOCK_S, limit_s / 16000)
    return Schedule(
        block_s=block_s,
        precision=chosen.precision,
        minimum_s=max(block_s, min(max(BATCH_S, WALKS * walk_s), LONGEST_BATCH_S)),
        budget_s=chosen.budget,
        visits=chosen.visits,
    )


def labels(kind: str, chosen: NeighborsOptions, aggressing: Workload, target: Target) -> NeighborsLabels:
    return NeighborsLabels(
        victim=COMMAND if is_line(kind) else kind,
        size=None if kind in KERNELS or is_command(kind) else chosen.size,
        command=kind.removeprefix(COMMAND).strip() if is_line(kind) else None,
        aggressor_kernel=neighbor_fio.NAME if isinstance(aggressing.work, TaskWork) else aggressing.kernel,
        aggressor_target=target.word,
    )


def measure(machine: Machine, chosen: NeighborsOptions) -> Generator[Experiment, Answer, None]:
    """Yield one experiment for each kind of victim; before it the effective cache if the victim's footprint depends on
    it.
    """
    kinds = kinds_of(machine, chosen)
    victims, aggressors, place = numbers(machine, chosen)
    sets, against = takes(victims, aggressors, place)
    disturbing, there, note = aggressor(machine, chosen, max(aggressors))
    works = {kind: victim(machine, kind, 0, chosen) for kind in kinds}
    cache_bytes = None
    if chosen.victim_array is None and not set(KERNELS).isdisjoint(kinds):
        target = chosen.target.on(chosen.pages)
        cache_bytes = yield from effective_cache(machine, place.victims[0], target, SEARCH)
    for kind in kinds:
        memory = victim_memory(machine, chosen, kind, cache_bytes, place)
        work, target = victim(machine, kind, memory.array_bytes, chosen) if memory.array_bytes else works[kind]
        groups = [_group(work, target, cpu, "victim", place) for cpu in place.victims[: max(victims)]]
        groups += [_group(disturbing, there, cpu, "aggressor", place) for cpu in place.aggressors[: max(aggressors)]]
        yield Experiment(
            table="neighbors",
            groups=tuple(groups),
            schedule=schedule(kind, memory.array_bytes, chosen),
            labels=labels(kind, chosen, disturbing, there).stored(),
            note="; ".join(part for part in (memory.note, note, place.note) if part),
            takes=sets,
            against=against,
        )


def _group(work: Workload, target: Target, cpu: int, role: str, place: Places) -> Group:
    return Group(workload=work, target=target, team=Team(cpus=(cpu,)), role=role, shared=cpu in place.shared)


def plan(machine: Machine, chosen: NeighborsOptions) -> Plan:
    yield from measure(machine, chosen)


suites.add(
    Suite(
        "neighbors",
        "slowdown of a victim with aggressors, and with other victims",
        NeighborsOptions,
        plan,
        kernels=True,
        flushes=True,
        victims=True,
        details="All numbers alternate with the victim alone. Pairs of numbers that need more CPUs than there"
        " are end with status 2 if both were requested; a default list leaves them out. Needs two "
        "CPUs. See [how to find out what noisy neighbours cost](../how-to/noisy-neighbours.md).",
    )
)
