"""Document 002: three flush instructions after each copy, and how flushing writers slow a computation.

It wrote 20 GB sequentially into a DAX file of 1 GB, in copies of 1 KB to 2 MB, on one core. Then it ran 1, 4 and 8
tasks of SPEC mcf with and without 8 writers that flush with clflushopt and no fence. Last it ran one task with 1, 4 and
8 writers to DRAM. The victim here is the suite's min-cost flow, since mcf is not free.
"""

from collections.abc import Iterator

from tierscope.plans import suites
from tierscope.plans.flushes import missing
from tierscope.plans.sizes import MEMORY_SHARE, free_bytes
from tierscope.record.experiment import Target
from tierscope.record.machine import Machine
from tierscope.suites.documents.options import TierOptions, cores, fitting
from tierscope.suites.documents.parts import Part, Skipped, document
from tierscope.units import show_bytes, show_size

CHUNKS = "1KiB,2KiB,4KiB,1MiB,2MiB"
INSTRUCTIONS = ("clflush", "clflushopt", "clwb")
TASKS = (1, 4, 8)
MOST = 8  # writers, and tasks
FILE_BYTES, WRITTEN_BYTES = 1_000_000_000, "20GB"
SIZES = ("test", "train", "ref")
WRITER = "clflushopt"


def parts(machine: Machine, chosen: TierOptions) -> list[Part | Skipped]:
    """Return flushes on the second tier, tasks alone, and tasks with writers to the second tier and to DRAM."""
    lacking = missing(machine) | {name: name for name in INSTRUCTIONS if name not in machine.flushes}
    found: list[Part | Skipped] = [
        Skipped(f"{name} is left out: this CPU has no {lacking[name]}; try a machine that has it")
        for name in INSTRUCTIONS
        if name in lacking
    ]
    if chosen.nvm is None:
        found.append(Skipped(chosen.lacking("the comparison of flush instructions")))
    else:
        found += _flushes(machine, chosen, chosen.nvm, [name for name in INSTRUCTIONS if name not in lacking])
    if cores(machine) < 2:
        return [*found, Skipped("neighbours are left out: they need two CPUs, one for the task and one for a writer")]
    return [*found, *_neighbors(machine, chosen, WRITER in lacking)]


def _flushes(machine: Machine, chosen: TierOptions, nvm: Target, names: list[str]) -> Iterator[Part | Skipped]:
    words = {"target": nvm.word, "pages": chosen.pages, "chunks": CHUNKS, "instructions": ",".join(names)}
    if chosen.printed:
        words["total"] = WRITTEN_BYTES
        room = int(free_bytes(machine, nvm) * MEMORY_SHARE)
        if len(names) * FILE_BYTES <= room:
            words["footprint"] = str(FILE_BYTES)
        else:
            yield Skipped(
                f"files of {show_size(FILE_BYTES)} are left out: {len(names)} of them exceed half of the free space, "
                f"{show_bytes(room)}; the size that fits is used instead"
            )
    yield Part("flush", words | chosen.shared)


def _neighbors(machine: Machine, chosen: TierOptions, no_writer: bool) -> Iterator[Part | Skipped]:
    """Yield tasks alone on all cores, and tasks with writers on half of the cores."""
    most = cores(machine)
    half = min(MOST, most // 2)
    tasks, why = fitting(TASKS, most, "tasks") if chosen.printed else (_spread(min(MOST, most)), "")
    if why:
        yield Skipped(why)
    writers = Skipped(f"writers are left out: this CPU has no {WRITER}; try a machine that has it")
    for size in SIZES if chosen.printed else SIZES[:1]:
        common = {"victim": "flow", "size": size} | chosen.shared
        yield Part("neighbors", common | {"victims": _list(tasks), "aggressors": "0"})
        if no_writer:
            yield writers
            continue
        flushing = common | {"aggressor": f"flush_{WRITER}", "aggressor_fence": "never"}
        both, few = _spread(half), _list((half,))
        if chosen.nvm is None:
            yield Skipped(chosen.lacking("the cost of writers to the second tier"))
        else:
            on = {"aggressor_target": chosen.nvm.word, "pages": chosen.pages}
            yield Part("neighbors", flushing | on | {"victims": _list(both), "aggressors": few})
        if size != SIZES[-1]:  # the document has no such run of the largest input
            on = {"aggressor_target": chosen.dram.word, "pages": chosen.pages}
            yield Part("neighbors", flushing | on | {"victims": "1", "aggressors": _list(_spread(half))})


def _spread(most: int) -> tuple[int, ...]:
    """Return one, half and all, as the document has 1, 4 and 8."""
    return tuple(sorted({1, max(1, most // 2), most}))


def _list(numbers: tuple[int, ...]) -> str:
    return ",".join(map(str, numbers))


suites.add(
    document(
        "002", "flush instructions on a DAX file, and what flushing writers cost a computation", parts, TierOptions
    )
)
