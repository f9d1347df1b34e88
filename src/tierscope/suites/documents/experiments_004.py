"""Document 004: latency of persistent memory and DRAM, buffers and strides, and a hash map in a pool on each.

It measured latency and bandwidth with LENS. Then it measured pmembench's map_get on hashmap_atomic with 50 000 to 7
million operations, and map_insert of 100 000 keys by size of the value. Both ran on persistent memory and on DRAM that
the kernel shows as persistent (memmap=). The option counters= counts events of the processor, as for every suite.
"""

from collections.abc import Iterator
from typing import Annotated

from tierscope.plans import suites
from tierscope.plans.kinds import Help
from tierscope.record.experiment import Target
from tierscope.record.machine import Machine
from tierscope.suites.documents.options import TierOptions
from tierscope.suites.documents.parts import Part, Skipped, document

STRUCTURE = "hashmap_atomic"
COUNTS, FEW_COUNTS = "50000,100000,500000,1000000,2000000,3000000,4000000,5000000,6000000,7000000", "50000,500000"
INSERTS, VALUES, FEW_VALUES = "100000", "16,104,1000,10000", "16,1000"
LINE = "64B"


class PoolOptions(TierOptions, frozen=True, kw_only=True):
    """Options of `tierscope run document-004`."""

    pool: Annotated[
        Target | None,
        Help("pool of the hash map on the second tier, such as `pool:/mnt/pmem/p`; auto: the hash map is left out"),
    ] = None
    dram_pool: Annotated[
        Target | None,
        Help(
            "pool of the same on DRAM, such as `pool:/mnt/emdram/p` on an emulated device; auto: what compares both is "
            "left out"
        ),
    ] = None


def parts(machine: Machine, chosen: PoolOptions) -> Iterator[Part | Skipped]:
    """Yield the probers on both tiers, then the hash map in both pools."""
    yield from _probers(machine, chosen, chosen.dram)
    if chosen.nvm is None:
        yield Skipped(chosen.lacking("latency, buffers and strides of persistent memory"))
    else:
        yield from _probers(machine, chosen, chosen.nvm)
        on = {"target": chosen.nvm.word, "pages": chosen.pages} | chosen.shared
        yield Part("buffers", on if chosen.printed else on | {"to": "32MiB"})
        yield Part("stride", on)
    if STRUCTURE not in machine.structures:
        why = machine.structures_lacking.get(STRUCTURE, "not part of this build")
        yield Skipped(f"{STRUCTURE} is left out: it is {why}; try a build with libpmemobj")
        return
    yield from _maps(chosen, chosen.pool, "the hash map is left out: pool= names no pool; try pool=pool:/mnt/pmem/p")
    why = "the hash map on DRAM is left out: dram_pool= names no pool; try dram_pool=pool:/dev/shm/p"
    yield from _maps(chosen, chosen.dram_pool, why)


def _probers(machine: Machine, chosen: PoolOptions, target: Target) -> Iterator[Part | Skipped]:
    """Yield dependent reads over regions, and stores past the caches."""
    yield Part("latency", {"target": target.word, "pages": chosen.pages} | chosen.shared)
    if "nt" in machine.flushes:
        words = {"target": target.word, "pages": chosen.pages, "instructions": "nt,none", "chunks": LINE}
        yield Part("flush", words | chosen.shared)


def _maps(chosen: PoolOptions, pool: Target | None, why: str) -> Iterator[Part | Skipped]:
    if pool is None:
        yield Skipped(why)
        return
    on = {"target": pool.word, "structures": STRUCTURE} | chosen.shared
    yield Part("maps", on | {"operations": "get", "count": COUNTS if chosen.printed else FEW_COUNTS})
    values = VALUES if chosen.printed else FEW_VALUES
    yield Part("maps", on | {"operations": "insert", "count": INSERTS, "value": values})
    yield Part("maps", on | {"operations": "remove", "count": INSERTS})


suites.add(
    document(
        "004", "latency of persistent memory, and a hash map in pools, compared with DRAM and with a model", parts,
        PoolOptions, structures=True,
    )
)  # fmt: skip
