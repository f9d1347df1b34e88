"""Maps: the cost of an insert, a get, a remove of a key, structure by structure.

One experiment is one structure, one operation, one number of keys and one of threads. Its rounds are tasks: a sequence
of operations that was drawn before, timed as a whole and operation by operation. This time does not include making and
filling a structure, which is timed separately. Inserts and removes alone take each key once, so the structure is made
or filled again before each round. Gets, and mixtures that leave as many keys as they find, continue with the structure
as they find it.

`preset=paper` has the counts and sizes of document 004: gets of hashmap_atomic with 50 000 to 7 million keys, and
inserts of 100 000 keys by size of the value. Its values of 1 byte were objects outside the entry, which contained 16
bytes to find them; here values of 16 bytes replace these. The document does not print the sizes of its figure of
inserts: here they are decades, rounded up to multiples of 8 bytes.

On an emulated tier the first load of each line in an operation waits for the floor, in the order of the structure's own
code. Flushes and fences are not delayed, so structures in pools take gets alone there.

On a simulated memory a structure runs on its simulated CPUs. Its own loads, stores, flushes and fences are recorded as
they occur and take simulated time, so a map has a time on a device that nobody owns. Operations with accesses in
library code that is not recorded are refused there.

Blind to: what other programs do to a pool's file system; allocators other than libpmemobj's and the C library's.
Source: "Performance modelling of data structures on persistent memory" (document 004 of this project's sources), 4.3.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from tierscope import units
from tierscope.errors import MachineError, UnknownNameError, UsageError
from tierscope.plans import Plan, Suite, suites
from tierscope.plans.cpus import chosen_cpus
from tierscope.plans.kinds import Help, Kind, Names, Numbers, Seconds, Share, Visits, several_sizes, words_of
from tierscope.plans.prefetch import PrefetchOptions
from tierscope.plans.simulation import NAME as SIMULATED
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.record.work.key import KeyedWork
from tierscope.registry import unknown
from tierscope.stats.contrast import ROUNDS, VICTIM
from tierscope.suites.maps.labels import MapsLabels
from tierscope.tables.emulated import NAME as EMULATED

OPERATIONS = ("insert", "get", "remove")
MIXED = "get:2+insert:1+remove:1"  # what the word `mixed` stands for
COUNT = 50_000  # the least of document 004
VALUE = 16  # bytes
SHARE = "(?:get|insert|remove)(?::[0-9]{1,6})?"
MOST_KEYS = 1 << 32
LARGEST_VALUE = units.MiB
BATCH_S = 0.1  # of rounds between two looks at them; less where the budget is short
SHORTEST_S = 0.005  # of a batch, at least: what surrounds it takes a millisecond
RECORDED = (SIMULATED, EMULATED)  # targets that take all structures, by the accesses of their code
UNDELAYED = "its flushes and fences are not delayed there"
PAPER = "paper"
PAPER_STRUCTURE = "hashmap_atomic"
PAPER_COUNTS = (50_000, 100_000, 500_000, *(million * 10**6 for million in range(1, 8)))
PAPER_INSERTS, PAPER_VALUES = 100_000, (16, 104, 1000, 10_000)


def _operations(word: str) -> Names:
    """Return each once; what a mixture means is the core's to read."""
    if not words_of(word):
        raise UsageError(f"no operation is named; try operations={','.join(OPERATIONS)}")
    return tuple(dict.fromkeys(MIXED if one == "mixed" else one for one in words_of(word)))


def _counts(word: str) -> Numbers:
    """Return numbers of keys, each once; ranges have no sense here."""
    if not re.fullmatch("[0-9]{1,18}(,[0-9]{1,18})*", word):
        raise UsageError("this is not a list of numbers such as 50000,100000")
    return tuple(dict.fromkeys(int(one) for one in word.split(",")))


Operations = Annotated[
    tuple[Annotated[str, Meta(pattern=rf"^{SHARE}(\+{SHARE})*$")], ...],
    Kind(_operations, ",".join, needed=f"this is not known; try insert, get, remove, mixed, or {MIXED}"),
]
Counts = Annotated[
    tuple[Annotated[int, Meta(ge=1, le=MOST_KEYS)], ...],
    Meta(min_length=1),
    Kind(_counts, lambda counts: ",".join(map(str, counts)), needed=f"numbers from 1 to {MOST_KEYS} are needed"),
]
Values = Annotated[
    tuple[Annotated[int, Meta(ge=8, le=LARGEST_VALUE, multiple_of=8)], ...],
    Meta(min_length=1),
    several_sizes("size of a value", f"a multiple of 8 bytes up to {units.show_bytes(LARGEST_VALUE)} is needed"),
]
Drawn = Annotated[
    str,
    Meta(pattern=r"^(uniform|zipf(:[0-9]+(\.[0-9]+)?)?)$"),
    Kind(needed="this is not known; try keys=uniform or keys=zipf:0.99"),
]
Sharing = Annotated[Literal["own", "one"], Kind(needed="this is not known; try sharing=own or sharing=one")]
Preset = Annotated[Literal["none", "paper"], Kind(needed="this is not known; try preset=paper")]


class MapsOptions(PrefetchOptions, frozen=True, kw_only=True):
    """Options of `tierscope run maps`."""

    structures: Annotated[
        Names | None,
        Help(
            "names, as `tierscope catalogue` lists them; auto: all that the target takes, those in pools, the"
            " volatile ones, or both where memory is simulated (of `map` the gets alone)"
        ),
    ] = None
    operations: Annotated[
        Operations, Help("`insert`, `get`, `remove`, `mixed`, or shares such as `get:8+insert:1+remove:1`")
    ] = OPERATIONS
    keys: Annotated[Drawn, Help("how keys are drawn: `uniform`, `zipf` (exponent 0.99), `zipf:EXPONENT`")] = "uniform"
    value: Annotated[Values, Help("sizes of one value, multiples of 8 bytes up to 1 MiB")] = (VALUE,)
    count: Annotated[Counts, Help("numbers of keys, of all threads together")] = (COUNT,)
    round: Annotated[
        Annotated[int, Meta(ge=1, le=MOST_KEYS)] | None,
        Help("operations of one round of each thread; auto: as many as it has keys"),
    ] = None
    threads: Annotated[Numbers, Help("numbers of threads, one CPU each")] = (1,)
    sharing: Annotated[
        Sharing, Help("`own`: each thread has a structure; `one`: all threads share one, behind a lock")
    ] = "own"
    target: Annotated[
        Target,
        Help(
            "`node:N` for volatile structures; `pool:PATH` for a new pool, `pool:PATH,open` for one that is "
            "there and empty; `sim:PRESET` for all of them on a [simulated "
            "memory](../how-to/simulated-memories.md); `emu:latency=T` for loads that are [made "
            "slower](../how-to/emulated-tier.md), those in pools by gets alone"
        ),
    ] = Target()
    preset: Annotated[Preset, Help("`paper`: counts, sizes and structure of document 004")] = "none"
    seed: Annotated[int, Meta(ge=1, le=1 << 31), Help("of keys and their order")] = 1995
    cpus: Annotated[
        Numbers | None, Help("CPUs to use, in this order; auto: those of the node, one of each core first")
    ] = None
    precision: Annotated[Share, Help("half of the 95 % interval of the time over the time; also as `5%`")] = 0.05
    budget: Annotated[Seconds, Help("most seconds timed for one point; eight batches of rounds are always run")] = 3.0
    visits: Visits = 3


@dataclass(frozen=True)
class Point:
    """One row. count: keys of all threads; value: bytes."""

    structure: str
    operation: str
    count: int
    value: int
    threads: int


def structures_of(machine: Machine, chosen: MapsOptions, target: Target) -> list[str]:
    """Return those asked for, or all that the target accepts; UsageError for one that it does not accept.

    MachineError for one that this build lacks.
    """
    fitting = [name for name, takes in machine.structures.items() if target.name in (takes, *RECORDED)]
    if chosen.structures is None:
        if not fitting:
            raise UsageError(f"target={target.word}: no structure of this build lives there; "
                             "try target=node:0 or target=pool:PATH")  # fmt: skip
        return [PAPER_STRUCTURE] if chosen.preset == PAPER and PAPER_STRUCTURE in fitting else fitting
    names = list(dict.fromkeys(chosen.structures))
    for name in names:
        if name in machine.structures_lacking:
            raise MachineError(f"structure {name} is {machine.structures_lacking[name]}")
        if name not in machine.structures:
            raise UnknownNameError(unknown("structure", name, [*machine.structures, *machine.structures_lacking]))
        if name not in fitting:
            where = "target=pool:PATH" if machine.structures[name] == "pool" else "target=node:0"
            raise UsageError(f"structure {name} does not live on target={target.word}; try {where}")
    if not names:
        raise UsageError(f"no structure is named; known: {', '.join(machine.structures)}")
    return names


def unrecorded(machine: Machine, target: Target, name: str, operation: str) -> str:
    """Return why this cannot run on simulated memory or an emulated tier; "" where it can.

    Both need every access of the structure's code. An emulated tier delays loads alone.
    """
    if target.name not in RECORDED or operation == "get":
        return ""
    if target.name == EMULATED and machine.structures.get(name) == "pool":
        return UNDELAYED
    return machine.structures_unrecorded.get(name, "")


def operations_for(machine: Machine, chosen: MapsOptions, target: Target, name: str) -> list[str]:
    """Return the operations that run there; UsageError for one that does not, of a structure that the user named."""
    refused = [(one, why) for one in chosen.operations if (why := unrecorded(machine, target, name, one))]
    if refused and chosen.structures is not None:
        one, why = refused[0]
        raise UsageError(f"operation {one} of {name} does not run on target={target.word}: {why}; "
                         "try structures=unordered_map,robin_map, or operations=get")  # fmt: skip
    return [one for one in chosen.operations if one not in dict(refused)]


def cpus_of(machine: Machine, chosen: MapsOptions, target: Target) -> tuple[int, ...]:
    return chosen_cpus(machine, chosen.cpus, target)


def threads_of(chosen: MapsOptions, cpus: tuple[int, ...], counts: Numbers) -> list[int]:
    threads = list(dict.fromkeys(chosen.threads))
    for number in threads:
        if not 1 <= number <= len(cpus):
            raise UsageError(f"threads={number}: there are {len(cpus)} CPUs, one for each thread")
        if number > min(counts):
            raise UsageError(f"threads={number}: {min(counts)} keys leave none to some of them; try a larger count")
    return threads


def points_of(machine: Machine, chosen: MapsOptions, target: Target, cpus: tuple[int, ...]) -> Iterator[Point]:
    """Yield all points that the user asked for; every option is read before the first one is measured."""
    paper = chosen.preset == PAPER
    names = structures_of(machine, chosen, target)
    counts = PAPER_COUNTS if paper and chosen.count == (COUNT,) else chosen.count
    threads = threads_of(chosen, cpus, counts)
    for name in names:
        for number in threads:
            if paper:
                yield from (Point(name, "get", count, chosen.value[0], number) for count in counts)
                yield from (Point(name, "insert", PAPER_INSERTS, value, number) for value in PAPER_VALUES)
                continue
            for operation in operations_for(machine, chosen, target, name):
                yield from (
                    Point(name, operation, count, value, number)
                    for count in counts
                    for value in dict.fromkeys(chosen.value)
                )


def experiment(point: Point, chosen: MapsOptions, target: Target, cpus: tuple[int, ...]) -> Experiment:
    """Return one take that is compared with nothing: `stats.contrast` judges the time of its rounds."""
    work = Workload(
        kernel=point.structure,
        footprint_bytes=0,
        work=KeyedWork(
            operation=point.operation,
            keys=chosen.keys,
            sharing=chosen.sharing,
            count=point.count,
            value_bytes=point.value,
        ),
        per_block=chosen.round or 0,
        seed=chosen.seed,
    )
    precision, budget_s = chosen.precision, chosen.budget
    batch_s = max(min(BATCH_S, budget_s / ROUNDS), SHORTEST_S)
    if target.name == SIMULATED:  # nothing surrounds a batch, and rounds differ in their keys alone
        batch_s = SHORTEST_S
    return Experiment(
        table="maps",
        groups=(Group(workload=work, target=target, team=Team(cpus=cpus[: point.threads]), role=VICTIM),),
        schedule=Schedule(
            precision=precision, minimum_s=batch_s, budget_s=max(budget_s, batch_s), visits=chosen.visits
        ),
        labels=MapsLabels(structure=point.structure, operation=point.operation).stored(),
        takes=((0,),),
        against=(0,),
    )


def plan(machine: Machine, chosen: MapsOptions) -> Plan:
    """Yield the points of one structure after the other."""
    target = chosen.target
    cpus = cpus_of(machine, chosen, target)
    for point in list(points_of(machine, chosen, target, cpus)):
        yield experiment(point, chosen, target, cpus)


def left_out(machine: Machine, chosen: MapsOptions) -> tuple[str, ...]:
    """Return structures of the default list that the target would accept and this build lacks."""
    if chosen.structures is not None or chosen.preset == PAPER:
        return ()
    target = chosen.target
    kind, asked = target.name, chosen.operations
    parts: dict[tuple[str, str], list[str]] = {}
    for name in machine.structures:
        refused = {one: why for one in asked if (why := unrecorded(machine, target, name, one))}
        for why in dict.fromkeys(refused.values()):
            those = ", ".join(one for one in refused if refused[one] == why)
            parts.setdefault((those, why), []).append(name)
    partly = (
        f"operations {those} of structure{'s' * (len(names) > 1)} {', '.join(names)} are left out on "
        f"target={target.word}: {why}; try unordered_map or robin_map for them"
        for (those, why), names in parts.items()
    )
    absent = (
        f"structure {name} is left out; try what it takes: {why}"
        for name, why in machine.structures_lacking.items()
        if kind in RECORDED or ("libpmemobj" in why) == (kind == "pool")
    )
    return (*absent, *partly)


suites.add(
    Suite(
        "maps",
        "inserts, gets and removes of keys in data structures, in pools or in volatile memory",
        MapsOptions,
        plan,
        left_out,
        structures=True,
        details="See [how to measure operations on maps](../how-to/maps.md).",
    )
)
