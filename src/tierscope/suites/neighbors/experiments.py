"""Noisy neighbours: how much slower a victim becomes beside aggressors, and beside other victims.

All counts of one victim are takes of one experiment: they run in turns, round after round, so that the victim alone
and the victim beside others are never far apart in time (`stats.contrast`). A victim that lives in the shared cache
has most to lose: the chase walks half of the effective last-level cache, so that alone it hits, and beside
aggressors that stream through the cache it misses. The triad lives in memory and loses bandwidth. The flow is a whole
program, a min-cost flow by network simplex, as SPEC's mcf is.

Blind to what aggressors do to each other: their own bandwidth is no result here, see `suites.contention.experiments`.
Source: document 002 (several tasks of mcf beside writers to persistent memory, one CPU each).
"""

from collections.abc import Generator

import msgspec

from tierscope.errors import UsageError
from tierscope.plans import Option, Options, Plan, Suite, options, suites
from tierscope.plans.answer import Answer
from tierscope.plans.cpus import near_cpus
from tierscope.plans.kernels import FENCES, FLUSHES, arrays
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
from tierscope.record.experiment import Experiment, Group, Label, Schedule, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.suites.neighbors import fio as neighbor_fio
from tierscope.suites.neighbors.cpus import Places, places
from tierscope.units import LINE_BYTES, KiB, MiB, show_bytes, word_bytes

BUILT_IN = ("flow", "chase", "triad")
VICTIMS = (*BUILT_IN, neighbor_fio.NAME)
SIZES = ("test", "train", "ref")
SLEEP = "sleep"
FLUSHING = tuple(f"flush_{name}" for name in FLUSHES)
AGGRESSORS = (*FLUSHING, "chase", SLEEP, neighbor_fio.NAME)  # besides all kernels that walk lines
CHUNK_BYTES = 4 * KiB  # of aggressors that flush, as in the source
COMMAND = "cmd"

CACHE_SHARE = 0.5  # of the effective last-level cache that the chase walks: alone it hits, with some room for others
SMALLEST_CHASE = 8 * MiB  # beyond the private caches of all cores sold
SMALLEST_ARRAY = 64 * MiB  # of an aggressor: with all its operands far beyond a private cache
BATCH_S = 0.1  # of one take in one round
SLOW_HOP_S = 150e-9  # of a chase that misses: a batch holds four walks even then
WALKS = 4  # of which the first is not counted
LONGEST_BATCH_S = 2.0
TASK_BLOCK_S = 0.02  # of aggressors beside tasks: the core keeps 20000 blocks of each, so that tasks may take 400 s

OPTIONS: tuple[Option, ...] = (
    options.text("victim", "flow", f"{options.listed(VICTIMS)}, several, or `victim='cmd ./solve in.txt'`, a command"),
    options.text("size", "test", f"of the flow: {options.listed(SIZES)}"),
    options.text("victims", "1", "numbers of victims that run at the same time, one CPU each"),
    options.text(
        "aggressors",
        None,
        "numbers of aggressors, one CPU each; auto: 0, 1, 2, 4, ... and all free CPUs; 0 is always run, "
        "since the others are compared with it",
    ),
    options.text(
        "aggressor",
        "copy",
        "a kernel on arrays, one that flushes (`flush_clwb`, `flush_clflushopt`, ...), `chase`, "
        "`fio`, or `sleep`: the control that must show no slowdown",
    ),
    options.size(
        "aggressor_chunk",
        None,
        "of an aggressor that flushes, bytes stored before their lines are flushed, a multiple of 64; auto: 4 KiB",
    ),
    options.text(
        "aggressor_fence", None, "of the same: fence after each `chunk`, each `line`, or `never`; auto: chunk"
    ),
    options.target("aggressor_target", "node:0", "where the aggressors' bytes live"),
    options.size(
        "aggressor_array",
        None,
        "bytes of each array of each aggressor; auto: the reported last-level cache, from 64 MiB to 512 "
        "MiB; all within half of the free memory",
    ),
    options.target("target", "node:0", "location of `chase` and `triad`; all victims and aggressors run on its node"),
    options.size(
        "victim_array",
        None,
        "bytes of each array of `chase` and `triad`; auto: half of the effective last-level cache for "
        "`chase`, as for `stream` for `triad`",
    ),
    options.text("pages", "thp", "page size of all memory: `4k`, `thp`, `2m`, `1g`"),
    options.text(
        "victim_cpus", None, "a CPU for each victim, in this order; auto: those of the target's node, one of each core"
    ),
    options.text("aggressor_cpus", None, "a CPU for each aggressor, in order; auto: the others, the last one first"),
    options.text("overlap", "no", "`yes`: victims and aggressors may be given the same CPUs, and share them"),
    options.seconds("timeout", 600.0, "most seconds for one run of a command; beyond, it hangs"),
    *neighbor_fio.OPTIONS,
    options.share("precision", 0.02, "half of the slowdown's 95 % interval over the slowdown"),
    options.seconds("budget", 10.0, "most seconds for each pair of numbers, after the first eight rounds"),
)


def victims_of(chosen: Options) -> list[str]:
    """Names of VICTIMS, or one command as 'cmd LINE'; UsageError for a command without a line."""
    word = str(chosen["victim"])
    if word.split(" ", 1)[0] != COMMAND:
        return options.names_of("victim", word, BUILT_IN if word == "all" else VICTIMS)  # fio may not be there
    if not word.removeprefix(COMMAND).strip():
        raise UsageError("victim=cmd has no command line; try victim='cmd ./solve in.txt'")
    return [word]


def _one_of(kind: str, chosen: Options, key: str, known: tuple[str, ...]) -> str:
    (name, *others) = options.names_of(kind, chosen[key], known)
    if others:
        raise UsageError(f"{key}={chosen[key]}: one {kind} at a time")
    return name


def numbers(machine: Machine, chosen: Options) -> tuple[list[int], list[int], Places]:
    """Victims at once, aggressors at once (0 first), and their CPUs."""
    victims = sorted(set(options.numbers_of(chosen["victims"], "victims")))
    if not victims or victims[0] < 1:
        raise UsageError(f"victims={chosen['victims']}: one victim or more is needed")
    neighbor_fio.engine_of(chosen)  # a wrong word is told, needed or not
    near = near_cpus(machine, Target.parse(str(chosen["target"])))
    overlap = _one_of("answer", chosen, "overlap", ("yes", "no")) == "yes"
    own = options.numbers_of(chosen["victim_cpus"], "victim_cpus")
    others = options.numbers_of(chosen["aggressor_cpus"], "aggressor_cpus")
    place = places(machine, near, tuple(own), tuple(others), overlap=overlap)
    asked = options.numbers_of(chosen["aggressors"], "aggressors")
    place.fit(victims, asked)
    return victims, sorted({0, *asked}) if asked else place.counts(victims[0]), place


def takes(
    victims: list[int], aggressors: list[int], place: Places
) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """The sets of groups that run at once, victims first, and for each the one that it is compared with.

    With aggressors: the same victims without. Several victims without: one alone, where that is measured.
    """
    pairs = [(n, k) for n in victims for k in aggressors if place.fits(n, k)]
    first = max(victims)
    sets = tuple((*range(n), *range(first, first + k)) for n, k in pairs)
    lone = (1, 0) if (1, 0) in pairs else None
    return sets, tuple(pairs.index((n, 0) if k else lone or (n, 0)) for n, k in pairs)


def victim(machine: Machine, kind: str, array_bytes: int, chosen: Options) -> tuple[Workload, Target]:
    """The work of each victim, and where its bytes live. A task keeps its memory to itself."""
    if is_command(kind):
        line = neighbor_fio.line(chosen) if kind == neighbor_fio.NAME else kind.removeprefix(COMMAND).strip()
        return command(line, chosen), Target(name="null", where="")
    if kind == "flow":
        size = _one_of("size", chosen, "size", SIZES)
        return Workload(kernel="flow", footprint_bytes=0, size=size), Target(name="null", where="")
    target = Target.parse(str(chosen["target"]), str(chosen["pages"]))
    return Workload(kernel=kind, footprint_bytes=arrays(machine, kind) * array_bytes), target


def is_command(kind: str) -> bool:
    """Whether other programs do the work."""
    return kind.startswith(COMMAND) or kind == neighbor_fio.NAME


def command(line: str, chosen: Options) -> Workload:
    return Workload(kernel="command", footprint_bytes=0, command=line, limit_s=float(chosen["timeout"] or 0))


def aggressor(machine: Machine, chosen: Options, most: int) -> tuple[Workload, Target, str]:
    """The work of each aggressor, where its bytes live, and why they are fewer than the rule asks."""
    name = _one_of("aggressor", chosen, "aggressor", (*machine.kernels, *AGGRESSORS))
    if name == neighbor_fio.NAME:
        return command(neighbor_fio.line(chosen), chosen), Target(name="null", where=""), ""
    if name == SLEEP:
        return Workload(kernel=SLEEP, footprint_bytes=0), Target(name="null", where=""), ""
    target = Target.parse(str(chosen["aggressor_target"]), str(chosen["pages"]))
    operands, work = arrays(machine, name), _flushing(name, chosen)
    if chosen["aggressor_array"] is not None:
        return _of(work, operands * int(chosen["aggressor_array"])), target, ""
    wanted = min(max(machine.last_level_cache_bytes(), SMALLEST_ARRAY), BELIEVED)
    limit = int(free_bytes(machine, target) * MEMORY_SHARE / max(1, most * operands))
    size = max(min(wanted, limit) // MiB, 1) * MiB
    limited = half_of_what(machine, target)
    note = f"aggressors' arrays of {show_bytes(size)} instead of {show_bytes(wanted)}: limited by {limited}"
    return _of(work, operands * size), target, note if size < wanted // MiB * MiB else ""


def _flushing(name: str, chosen: Options) -> Workload:
    """The kernel without its footprint; UsageError for a chunk or a fence of one that does not flush."""
    chunk, fence = chosen["aggressor_chunk"], chosen["aggressor_fence"]
    if name not in FLUSHING:
        for key, value in (("aggressor_chunk", chunk), ("aggressor_fence", fence)):
            if value is not None:
                raise UsageError(f"{key}={value}: {name} flushes nothing; try aggressor=flush_clwb")
        return Workload(kernel=name, footprint_bytes=0)
    size = CHUNK_BYTES if chunk is None else int(chunk)
    if size < LINE_BYTES or size % LINE_BYTES:
        raise UsageError(f"aggressor_chunk={size}B: whole lines of {LINE_BYTES} bytes are flushed; "
                         f"try aggressor_chunk={word_bytes(CHUNK_BYTES)}")  # fmt: skip
    word = "chunk" if fence is None else _one_of("fence", chosen, "aggressor_fence", FENCES)
    return Workload(kernel=name, footprint_bytes=0, element_bytes=size, fence=word)


def _of(work: Workload, footprint: int) -> Workload:
    return msgspec.structs.replace(work, footprint_bytes=footprint)


def victim_memory(machine: Machine, chosen: Options, kind: str, cache_bytes: int | None, place: Places) -> Memory:
    """Bytes of each array of a chase or triad."""
    if kind not in ("chase", "triad"):
        return Memory(0, "")
    if chosen["victim_array"] is not None:
        return Memory(int(chosen["victim_array"]), "")
    if kind == "triad":
        target = Target.parse(str(chosen["target"]), str(chosen["pages"]))
        return array(machine, cache_bytes, place.victims[:1], arrays(machine, "triad") * len(place.victims), target)
    known = cache_bytes or machine.last_level_cache_bytes()
    return Memory(max(int(known * CACHE_SHARE) // MiB * MiB, SMALLEST_CHASE), "")


def schedule(kind: str, array_bytes: int, chosen: Options) -> Schedule:
    """`minimum_s` is the length of a batch: several walks of a chase, a block at least; tasks last as they last."""
    walk_s = array_bytes / LINE_BYTES * SLOW_HOP_S if kind == "chase" else 0.0
    kernel = kind in ("chase", "triad")
    limit_s = float(chosen["timeout"] or 0) if is_command(kind) else 0.0
    block_s = Schedule().block_s if kernel else max(TASK_BLOCK_S, limit_s / 16000)
    return Schedule(
        block_s=block_s,
        precision=float(chosen["precision"] or 0),
        minimum_s=max(block_s, min(max(BATCH_S, WALKS * walk_s), LONGEST_BATCH_S)),
        budget_s=float(chosen["budget"] or 0),
    )


def labels(kind: str, chosen: Options, aggressing: Workload, target: Target) -> dict[str, Label]:
    return {
        "victim": COMMAND if kind.startswith(COMMAND) else kind,
        "size": str(chosen["size"]) if kind == "flow" else None,
        "command": kind.removeprefix(COMMAND).strip() if kind.startswith(COMMAND) else None,
        "aggressor_kernel": neighbor_fio.NAME if aggressing.command else aggressing.kernel,
        "aggressor_target": target.word,
    }


def measure(machine: Machine, chosen: Options) -> Generator[Experiment, Answer, None]:
    """One experiment for each kind of victim; before it the effective cache where a victim's footprint rests on it."""
    kinds = victims_of(chosen)
    victims, aggressors, place = numbers(machine, chosen)
    sets, against = takes(victims, aggressors, place)
    disturbing, there, note = aggressor(machine, chosen, max(aggressors))
    works = {kind: victim(machine, kind, 0, chosen) for kind in kinds}
    cache_bytes = None
    if chosen["victim_array"] is None and not {"chase", "triad"}.isdisjoint(kinds):
        target = Target.parse(str(chosen["target"]), str(chosen["pages"]))
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
            labels=labels(kind, chosen, disturbing, there),
            note="; ".join(part for part in (memory.note, note, place.note) if part),
            takes=sets,
            against=against,
        )


def _group(work: Workload, target: Target, cpu: int, role: str, place: Places) -> Group:
    return Group(workload=work, target=target, team=Team(cpus=(cpu,)), role=role, shared=cpu in place.shared)


def plan(machine: Machine, chosen: Options) -> Plan:
    yield from measure(machine, chosen)


suites.add(
    Suite(
        "neighbors",
        "slowdown of a victim with aggressors, and with other victims",
        OPTIONS,
        plan,
        kernels=True,
        details="All numbers alternate with the victim alone. Pairs of numbers that need more CPUs than there"
        " are end with status 2 if both were requested; a default list leaves them out. Needs two "
        "CPUs. See [how to find out what noisy neighbours cost](../how-to/noisy-neighbours.md).",
    )
)
