"""Document 001: 1.3 GB of memory in blocks of 8 B to 80 MB, divided among 1, 2, 4 and 8 threads; and STREAM.

In a virtual machine, it copied (memcpy), wrote in sequence (memset) and wrote at random (memset). It also ran STREAM
with 10 million doubles in each array on one thread.
"""

from collections.abc import Iterator

from tierscope.plans import suites
from tierscope.record.machine import Machine
from tierscope.suites.documents.options import DocumentOptions, pages_of
from tierscope.suites.documents.parts import Part, Skipped, document

BLOCKS = "8B,8KB,8MB,80MB"
THREADS = "1,2,4,8"  # also on fewer CPUs, as in the document: threads then share a CPU
MEMORY = "1300000000"
ARRAY = "80000000"  # bytes of each array of STREAM
KERNELS = "copy,scale,add,triad"


def parts(_machine: Machine, chosen: DocumentOptions) -> Iterator[Part | Skipped]:
    """Yield blocks over threads, then STREAM."""
    where = {"target": chosen.dram.word, "pages": pages_of(chosen.dram)} | chosen.shared
    blocks, stream = dict(where), where | {"kernels": KERNELS, "threads": "1"}
    if chosen.printed:
        blocks["memory"], stream["array"] = MEMORY, ARRAY
    yield Part("blocks", blocks | {"blocks": BLOCKS, "operations": "all", "threads": THREADS})
    yield Part("stream", stream)


suites.add(
    document("001", "fixed memory in blocks over threads: throughput, latency and STREAM", parts, DocumentOptions)
)
