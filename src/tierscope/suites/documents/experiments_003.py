"""Document 003: latency and bandwidth over the delay of a load with non-temporal stores, and nine jobs of storage.

It ran Intel MLC in a virtual machine with the mixes W6 (writes alone), W7 (2:1), W8 (1:1) and W9 (3:1 reads to
non-temporal writes). Each mix had 19 delays, with 64 and 256 bytes between accesses. Then it ran fio at queue depth 16
with writes, 70 % reads and reads in blocks of 4, 32 and 128 KiB.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from tierscope.plans import suites
from tierscope.plans.kinds import Help, Kind
from tierscope.record.machine import Machine
from tierscope.suites.documents.options import DocumentOptions, cores, pages_of
from tierscope.suites.documents.parts import Part, Skipped, document

MIXES = "write_nt,mix_2r1w_nt,mix_1r1w_nt,mix_3r1w_nt"
DELAYS = "0,2,8,15,50,100,200,300,400,500,700,1000,1300,1700,2500,3500,5000,9000,20000"
FEW_DELAYS = "0,50,300,1000,2500,9000,20000"
JOBS = {"blocks": "4KiB,32KiB,128KiB", "mixes": "write,mix,read", "depths": "16", "read_share": "0.7"}
SHORT = {"orders": "random", "repeat": "500ms", "ramp": "200ms", "budget": "6s"}
STRIDES = {"strides": "64B,256B", "order": "sequential"}  # MLC's order without its option for random accesses


class StorageToo(DocumentOptions, frozen=True, kw_only=True):
    """Options of `tierscope run document-003`."""

    storage: Annotated[
        Annotated[str, Kind(lambda word: str(Path(word).absolute()))] | None,
        Help(
            "folder of the file that fio writes and reads, up to a quarter of the free space; auto: the jobs of "
            "storage are left out"
        ),
    ] = None


def parts(machine: Machine, chosen: StorageToo) -> Iterator[Part | Skipped]:
    """Yield loaded latency, then the jobs."""
    if cores(machine) < 2:
        yield Skipped("loaded latency is left out: it needs two CPUs, one to chase and one to load")
    else:
        words = {"target": chosen.dram.word, "pages": pages_of(chosen.dram), "mixes": MIXES} | STRIDES
        yield Part("loaded-latency", words | {"delays": DELAYS if chosen.printed else FEW_DELAYS} | chosen.shared)
    if chosen.storage is None:
        yield Skipped("the nine jobs of storage are left out: storage= names no folder; try storage=/var/tmp")
        return
    yield Part("storage", JOBS | {"path": chosen.storage} | ({} if chosen.printed else SHORT))


suites.add(
    document(
        "003", "latency under a load of non-temporal stores over delays, and nine jobs of storage", parts, StorageToo,
        mixed=True,
    )
)  # fmt: skip
