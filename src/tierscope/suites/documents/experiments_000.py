"""Document 000: STREAM on DRAM and on NVDIMMs over threads, and 16 threads divided between both.

It ran STREAM with 100 million doubles in each array, with 1 to 32 threads on 16 cores. Then it ran 16 threads: 1 to 15
of them copied within, from or to the NVDIMMs, and the others copied within DRAM, 32 GB together.
"""

from collections.abc import Iterator

from tierscope.plans import suites
from tierscope.plans.cpus import near_cpus
from tierscope.plans.kinds import word_numbers
from tierscope.plans.sizes import MEMORY_SHARE, free_bytes
from tierscope.record.experiment import Target
from tierscope.record.machine import Machine
from tierscope.suites.documents.options import TierOptions, cores, fitting
from tierscope.suites.documents.parts import Part, Skipped, document
from tierscope.units import show_bytes

KERNELS = "copy,scale,add,triad"
MODES = "nvm-nvm,nvm-dram,dram-nvm"
THREADS = range(1, 33)
FEW = 8  # up to this number of threads, each number is measured at this machine's own size
ARRAY_BYTES, ARRAYS = 800_000_000, 3
SPLIT = 16  # threads that the document divides between the tiers
CONTENDED_BYTES = 32_000_000_000  # in all arrays, two of each thread


def parts(machine: Machine, chosen: TierOptions) -> Iterator[Part | Skipped]:
    """Yield STREAM on both tiers, then each tier alone and all splits of the threads."""
    yield from _stream(machine, chosen, chosen.dram, "STREAM on DRAM")
    if chosen.nvm is None:
        yield Skipped(chosen.lacking("all but STREAM on DRAM"))
        return
    yield from _stream(machine, chosen, chosen.nvm, "STREAM on the second tier")
    if cores(machine) < 2:
        yield Skipped("contention is left out: it needs two CPUs, one for each tier; try a machine with more")
        return
    counts, _ = _threads(machine, chosen, chosen.dram)
    words = {"a": chosen.dram.word, "b": chosen.nvm.word, "modes": MODES}
    words |= {"splits": _splits(len(near_cpus(machine, chosen.dram)), chosen.printed)}
    words |= {"threads": word_numbers(counts)} | chosen.shared
    if chosen.printed:
        needed = CONTENDED_BYTES // 2  # of each of two arrays
        if _allowed(machine, chosen.dram, CONTENDED_BYTES) and _allowed(machine, chosen.nvm, CONTENDED_BYTES):
            words["array"] = str(needed)
        else:
            yield Skipped(_too_large(machine, chosen, "contention", CONTENDED_BYTES))
    yield Part("contention", words)


def _stream(machine: Machine, chosen: TierOptions, target: Target, what: str) -> Iterator[Part | Skipped]:
    counts, why = _threads(machine, chosen, target)
    if why:
        yield Skipped(why)
    words = {"target": target.word, "pages": chosen.pages, "kernels": KERNELS, "threads": word_numbers(counts)}
    if chosen.printed:
        if _allowed(machine, target, ARRAYS * ARRAY_BYTES):
            words["array"] = str(ARRAY_BYTES)
        else:
            yield Skipped(_too_large(machine, chosen, what, ARRAYS * ARRAY_BYTES))
    yield Part("stream", words | chosen.shared)


def _threads(machine: Machine, chosen: TierOptions, target: Target) -> tuple[tuple[int, ...], str]:
    """Return the document's numbers of threads that fit; else every number up to a few CPUs, and about ten of many."""
    most = len(near_cpus(machine, target))
    if chosen.printed:
        return fitting(THREADS, most, "threads")
    if most <= FEW:
        return tuple(range(1, most + 1)), ""
    own = cores(machine)
    marks = {1, 2, 4, FEW, own // 2, own * 11 // 16, own, min(own + 1, most), most}
    return tuple(sorted(one for one in marks if 1 <= one <= most)), ""


def _splits(cpus: int, printed: bool) -> str:
    """Return all splits of 16 CPUs; of more CPUs, those with the same shares, or the document's own 16 threads."""
    if cpus <= SPLIT:
        return "all"
    most = SPLIT if printed else cpus
    numbers = dict.fromkeys(round(most * share / SPLIT) for share in range(1, SPLIT))
    return ",".join(f"{most - b}:{b}" for b in numbers)


def _allowed(machine: Machine, target: Target, size: int) -> bool:
    return size <= free_bytes(machine, target) * MEMORY_SHARE


def _too_large(machine: Machine, chosen: TierOptions, what: str, size: int) -> str:
    free = min(free_bytes(machine, target) for target in (chosen.dram, chosen.nvm) if target)
    return (
        f"the document's size of {what}, {show_bytes(size)}, is left out: it is more than half of the free space, "
        f"{show_bytes(free)}; a size that fits is used instead"
    )


suites.add(document("000", "STREAM on two tiers over threads, and threads divided between both", parts, TierOptions))
