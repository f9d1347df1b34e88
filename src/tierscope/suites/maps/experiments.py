"""Maps: what an insert, a get, a remove of a key costs, structure by structure.

One experiment is one structure, one operation, one number of keys and one of threads. Its rounds are tasks: a sequence
of operations that was drawn before, timed as a whole and operation by operation. What makes and fills a structure
lies outside, and is timed apart. Inserts and removes alone take each key once, so that the structure is made or filled
anew before each round; gets, and mixtures that leave as many keys as they find, go on with what is there.

`preset=paper` has the counts and sizes of document 004: gets of hashmap_atomic with 50 000 to 7 million keys, and
inserts of 100 000 keys by size of the value. Its values of 1 byte were objects beside the entry, which held 16 bytes
to find them; here values of 16 bytes stand there. The sizes of its figure of inserts are not printed: decades are
taken, rounded up to words.

On a simulated memory a structure runs on its simulated CPUs: its own loads, stores, flushes and fences are recorded as
they are made and take simulated time, so that a map has a time on a device nobody owns. Operations whose accesses lie
in library code that is not recorded are refused there.

Blind to: what other programs do to a pool's file system; allocators other than libpmemobj's and the C library's.
Source: "Performance modelling of data structures on persistent memory" (document 004 of this project's sources), 4.3.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tierscope import units
from tierscope.errors import MachineError, UnknownNameError, UsageError
from tierscope.plans import Option, Options, Plan, Suite, options, suites
from tierscope.plans.cpus import near_cpus
from tierscope.plans.simulation import NAME as SIMULATED
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.registry import unknown
from tierscope.stats.contrast import ROUNDS, VICTIM

OPERATIONS = "insert,get,remove"
MIXED = "get:2+insert:1+remove:1"  # what the word `mixed` stands for
COUNT = 50_000  # the least of document 004
VALUE = "16B"
SHARE = "(?:get|insert|remove)(?::[0-9]{1,6})?"
MOST_KEYS = 1 << 32
LARGEST_VALUE = units.MiB
BATCH_S = 0.1  # of rounds between two looks at them; less where the budget is short
SHORTEST_S = 0.005  # of a batch, at least: what surrounds it takes a millisecond
PAPER = "paper"
PAPER_STRUCTURE = "hashmap_atomic"
PAPER_COUNTS = "50000,100000,500000,1000000,2000000,3000000,4000000,5000000,6000000,7000000"
PAPER_INSERTS, PAPER_VALUES = 100_000, (16, 104, 1000, 10_000)

OPTIONS: tuple[Option, ...] = (
    options.text(
        "structures",
        None,
        "names, as `tierscope catalogue` lists them; auto: all that the target takes, those in pools, the"
        " volatile ones, or both where memory is simulated (of `map` the gets alone)",
    ),
    options.text(
        "operations", OPERATIONS, "`insert`, `get`, `remove`, `mixed`, or shares as `get:8+insert:1+remove:1`"
    ),
    options.text("keys", "uniform", "how keys are drawn: `uniform`, `zipf` (exponent 0.99), `zipf:EXPONENT`"),
    options.text("value", VALUE, "sizes of one value, multiples of 8 bytes up to 1 MiB"),
    options.text("count", str(COUNT), "numbers of keys, of all threads together"),
    options.count("round", None, "operations of one round of each thread; auto: as many as it has keys", 1, MOST_KEYS),
    options.text("threads", "1", "numbers of threads, one CPU each"),
    options.text("sharing", "own", "`own`: each thread has a structure; `one`: all threads share one, behind a lock"),
    options.target(
        "target",
        "node:0",
        "`node:N` for volatile structures; `pool:PATH` for a new pool, `pool:PATH,open` for one that is "
        "there and empty; `sim:PRESET` for all of them on a [simulated "
        "memory](../how-to/simulated-memories.md)",
    ),
    options.text("preset", "none", "`paper`: counts, sizes and structure of document 004"),
    options.count("seed", 1995, "of keys and their order", 1),
    options.text("cpus", None, "CPUs to use, in this order; auto: those of the node, one of each core first"),
    options.share("precision", 0.05, "half of the 95 % interval of the time over the time; also as `5%`"),
    options.seconds("budget", 3.0, "most seconds timed for one point; eight batches of rounds are always run"),
)


@dataclass(frozen=True)
class Point:
    """One row. count: keys of all threads; value: bytes."""

    structure: str
    operation: str
    count: int
    value: int
    threads: int


def structures_of(machine: Machine, chosen: Options, target: Target) -> list[str]:
    """Those asked for, or all that the target takes; UsageError for one that it does not take.

    MachineError for one that this build has not.
    """
    fitting = [name for name, takes in machine.structures.items() if target.name in (takes, SIMULATED)]
    if chosen["structures"] is None:
        if not fitting:
            raise UsageError(f"target={target.word}: no structure of this build lives there; "
                             "try target=node:0 or target=pool:PATH")  # fmt: skip
        return [PAPER_STRUCTURE] if chosen["preset"] == PAPER and PAPER_STRUCTURE in fitting else fitting
    names = list(dict.fromkeys(options.words_of(chosen["structures"])))
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
    """Why this cannot run on simulated memory, which needs every access of the structure's code; "" where it can."""
    if target.name != SIMULATED or operation == "get":
        return ""
    return machine.structures_unrecorded.get(name, "")


def operations_for(machine: Machine, chosen: Options, target: Target, name: str, asked: list[str]) -> list[str]:
    """Those that run there; UsageError for one that does not, of a structure that was named."""
    refused = [(one, why) for one in asked if (why := unrecorded(machine, target, name, one))]
    if refused and chosen["structures"] is not None:
        one, why = refused[0]
        raise UsageError(f"operation {one} of {name} does not run on target={target.word}: {why}; "
                         "try structures=unordered_map,robin_map, or operations=get")  # fmt: skip
    return [one for one in asked if one not in dict(refused)]


def operations_of(chosen: Options) -> list[str]:
    """Each once; what a mixture means is the core's to read."""
    words = options.words_of(chosen["operations"])
    if not words:
        raise UsageError(f"no operation is named; try operations={OPERATIONS}")
    for word in words:
        if word != "mixed" and not re.fullmatch(rf"{SHARE}(\+{SHARE})*", word):
            raise UsageError(f"operations={word} is not known; try insert, get, remove, mixed, or {MIXED}")
    return list(dict.fromkeys(MIXED if word == "mixed" else word for word in words))


def counts_of(chosen: Options) -> list[int]:
    """Numbers of keys, each once; ranges have no sense here."""
    if not re.fullmatch(r"[0-9, ]+", str(chosen["count"])):
        raise UsageError(f"count={chosen['count']} is no list of numbers such as 50000,100000")
    counts = list(dict.fromkeys(options.numbers_of(chosen["count"], "count")))
    for count in counts:
        if not 1 <= count <= MOST_KEYS:
            raise UsageError(f"count={count}: a number of keys from 1 to {MOST_KEYS} is needed")
    return counts


def values_of(chosen: Options) -> list[int]:
    """Bytes, each once; UsageError for what no structure takes."""
    sizes = list(dict.fromkeys(units.parse_bytes(word) for word in options.words_of(chosen["value"])))
    for size in sizes:
        if not 8 <= size <= LARGEST_VALUE or size % 8:
            raise UsageError(f"value={size}B: a multiple of 8 bytes up to {units.show_bytes(LARGEST_VALUE)} is needed")
    if not sizes:
        raise UsageError(f"no size of a value is named; try value={VALUE}")
    return sizes


def cpus_of(machine: Machine, chosen: Options, target: Target) -> tuple[int, ...]:
    asked = options.numbers_of(chosen["cpus"], "cpus")
    usable = machine.cpus()
    for cpu in asked:
        if cpu not in usable:
            raise UsageError(f"CPU {cpu} may not be used here; usable: {','.join(map(str, usable))}")
    return tuple(dict.fromkeys(asked)) or tuple(near_cpus(machine, target))


def threads_of(chosen: Options, cpus: tuple[int, ...], counts: list[int]) -> list[int]:
    threads = list(dict.fromkeys(options.numbers_of(chosen["threads"], "threads")))
    for number in threads:
        if not 1 <= number <= len(cpus):
            raise UsageError(f"threads={number}: there are {len(cpus)} CPUs, one for each thread")
        if number > min(counts):
            raise UsageError(f"threads={number}: {min(counts)} keys leave none to some of them; try a larger count")
    return threads


def points_of(machine: Machine, chosen: Options, target: Target, cpus: tuple[int, ...]) -> Iterator[Point]:
    """All that is asked; every word is read before the first one is measured."""
    if chosen["preset"] not in ("none", PAPER):
        raise UsageError(f"preset={chosen['preset']} is not known; try preset={PAPER}")
    paper = chosen["preset"] == PAPER
    names, operations, values = structures_of(machine, chosen, target), operations_of(chosen), values_of(chosen)
    counts = counts_of({**chosen, "count": PAPER_COUNTS} if paper and chosen["count"] == str(COUNT) else chosen)
    threads = threads_of(chosen, cpus, counts)
    if not re.fullmatch(r"uniform|zipf(:[0-9]+(\.[0-9]+)?)?", str(chosen["keys"])):
        raise UsageError(f"keys={chosen['keys']} is not known; try keys=uniform or keys=zipf:0.99")
    if chosen["sharing"] not in ("own", "one"):
        raise UsageError(f"sharing={chosen['sharing']} is not known; try sharing=own or sharing=one")
    for name in names:
        for number in threads:
            if paper:
                yield from (Point(name, "get", count, values[0], number) for count in counts)
                yield from (Point(name, "insert", PAPER_INSERTS, value, number) for value in PAPER_VALUES)
                continue
            for operation in operations_for(machine, chosen, target, name, operations):
                yield from (Point(name, operation, count, value, number) for count in counts for value in values)


def experiment(point: Point, chosen: Options, target: Target, cpus: tuple[int, ...]) -> Experiment:
    """One take that is compared with nothing: `stats.contrast` judges the time of its rounds."""
    seed, steps = chosen["seed"], chosen["round"]
    work = Workload(
        kernel=point.structure,
        footprint_bytes=0,
        operation=point.operation,
        keys=str(chosen["keys"]),
        sharing=str(chosen["sharing"]),
        count=point.count,
        value_bytes=point.value,
        per_block=int(steps or 0),
        seed=int(seed or 0),
    )
    precision, budget_s = float(chosen["precision"] or 0), float(chosen["budget"] or 0)
    batch_s = max(min(BATCH_S, budget_s / ROUNDS), SHORTEST_S)
    if target.name == SIMULATED:  # nothing surrounds a batch, and rounds differ in their keys alone
        batch_s = SHORTEST_S
    return Experiment(
        table="maps",
        groups=(Group(workload=work, target=target, team=Team(cpus=cpus[: point.threads]), role=VICTIM),),
        schedule=Schedule(precision=precision, minimum_s=batch_s, budget_s=max(budget_s, batch_s)),
        labels={"structure": point.structure, "operation": point.operation},
        takes=((0,),),
        against=(0,),
    )


def plan(machine: Machine, chosen: Options) -> Plan:
    """Structure after structure, so that their times lie side by side for one operation after the other."""
    target = Target.parse(str(chosen["target"]))
    cpus = cpus_of(machine, chosen, target)
    for point in list(points_of(machine, chosen, target, cpus)):
        yield experiment(point, chosen, target, cpus)


def left_out(machine: Machine, chosen: Options) -> tuple[str, ...]:
    """Structures of the default list that the target would take and this build has not."""
    if chosen["structures"] is not None or chosen["preset"] == PAPER:
        return ()
    target = Target.parse(str(chosen["target"]))
    kind, asked = target.name, operations_of(chosen)
    partly = (
        f"operations {', '.join(those)} of structure {name} are left out on target={target.word}: {why}; "
        "try unordered_map or robin_map for them"
        for name, why in machine.structures_unrecorded.items()
        if (those := [one for one in asked if unrecorded(machine, target, name, one)])
    )
    absent = (
        f"structure {name} is left out; try what it takes: {why}"
        for name, why in machine.structures_lacking.items()
        if kind == SIMULATED or ("libpmemobj" in why) == (kind == "pool")
    )
    return (*absent, *partly)


suites.add(
    Suite(
        "maps",
        "inserts, gets and removes of keys in data structures, in pools or in volatile memory",
        OPTIONS,
        plan,
        left_out,
        structures=True,
        details="See [how to measure operations on maps](../how-to/maps.md).",
    )
)
