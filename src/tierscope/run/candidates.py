"""The loop variants worth trying for one kernel: the short list that calibration measures.

The choice follows from what a kernel does, not from a table of machines: how many arrays it loads, and how its stores
reach memory. Loads gain from many streams, which keep more hardware prefetchers busy, and from prefetches some 0.5 to 2
KiB ahead. Plain stores gain from a prefetch for ownership. Non-temporal stores gain from few open write-combining
buffers. On some processors they also gain from alternating pages, which keep more DRAM banks open. Best guesses come
first, so that a calibration that is cut short still ends near the best.
Blind to: variants that the core is not built for (the catalogue lists those that it is).
Source: H. J. Lu, N. Goldstein, "x86: Optimizations for memmove-vec-unaligned-erms", GNU C Library 2.33, 2020; Intel,
"64 and IA-32 Architectures Optimization Reference Manual", software prefetch scheduling distance.
"""

from collections.abc import Iterable
from typing import NamedTuple

from tierscope.record import catalogue
from tierscope.record.catalogue import Kernel
from tierscope.record.work.line import LineWork
from tierscope.units import KiB

Shape = tuple[int, int, int, int, int]  # streams, unroll, then bytes: interleave, prefetch, prefetchw

PAGE = 4 * KiB  # distance of streams walked page by page
NEAR, FAR, FARTHEST = 512, 1 * KiB, 2 * KiB  # bytes: with 8 streams at 16 GB/s, 250 ns to 1 us ahead of the load
LONGEST = 14  # candidates of one kernel; a search begins with the first of them (`run.calibrate`)

LOADS_ONLY: tuple[Shape, ...] = (
    (12, 1, 0, NEAR, 0),
    (8, 1, 0, FAR, 0),
    (8, 2, 0, FARTHEST, 0),
    (12, 1, 0, FARTHEST, 0),
    (8, 2, 0, FAR, 0),
    (12, 1, 0, FAR, 0),
    (8, 1, 0, NEAR, 0),
    (8, 1, 0, 0, 0),
    (12, 1, 0, 0, 0),
    (4, 1, 0, FARTHEST, 0),
    (4, 1, PAGE, FARTHEST, 0),
    (1, 4, 0, FAR, 0),
)
PLAIN_STORES_ONLY: tuple[Shape, ...] = (
    (8, 1, 0, 0, FAR),
    (4, 1, 0, 0, FAR),
    (12, 1, 0, 0, FAR),
    (8, 2, 0, 0, NEAR),
    (12, 1, 0, 0, 0),
    (4, 1, 0, 0, NEAR),
    (8, 1, 0, 0, FARTHEST),
    (8, 1, 0, 0, 0),
    (4, 1, PAGE, 0, 0),
    (1, 4, 0, 0, FAR),
)
PLAIN_STORES: tuple[Shape, ...] = (
    (8, 1, 0, FAR, FAR),
    (8, 1, 0, FARTHEST, FAR),
    (4, 1, 0, FARTHEST, FAR),
    (8, 1, 0, NEAR, FAR),
    (12, 1, 0, FARTHEST, FAR),
    (8, 2, 0, FARTHEST, FAR),
    (4, 1, 0, NEAR, NEAR),
    (8, 1, 0, FARTHEST, 0),
    (12, 1, 0, FARTHEST, 0),
    (4, 1, 0, FAR, 0),
    (4, 1, PAGE, FAR, 0),
    (1, 4, 0, FAR, FAR),
    (8, 1, 0, 0, 0),
)
STREAMED_STORES_ONLY: tuple[Shape, ...] = (
    (1, 4, 0, 0, 0),
    (4, 2, PAGE, 0, 0),
    (8, 2, PAGE, 0, 0),
    (4, 1, 0, 0, 0),
    (4, 1, PAGE, 0, 0),
    (8, 1, 0, 0, 0),
    (12, 1, 0, 0, 0),
    (1, 1, 0, 0, 0),
)
STREAMED_STORES: tuple[Shape, ...] = (
    (12, 1, 0, NEAR, 0),
    (8, 1, 0, FAR, 0),
    (12, 1, 0, FAR, 0),
    (4, 1, PAGE, FAR, 0),
    (8, 1, 0, NEAR, 0),
    (8, 2, PAGE, NEAR, 0),
    (8, 1, 0, FARTHEST, 0),
    (4, 2, PAGE, FAR, 0),
    (4, 1, 0, FAR, 0),
    (4, 1, PAGE, NEAR, 0),
    (4, 1, 0, NEAR, 0),
    (8, 1, 0, 0, 0),
    (1, 4, 0, FAR, 0),
)
NARROW = 2  # of a lower ISA: shorter vectors win rarely, so only their best guesses are tried


class Candidate(NamedTuple):
    """One variant of a kernel to try."""

    isa: str
    work: LineWork


def candidates(entries: Iterable[Kernel]) -> list[Candidate]:
    """Return the variants to try, best guess first, from one kernel's entries in the catalogue (one for each ISA).

    Entries that this CPU cannot run are left out; empty only if none runs.
    """
    usable = sorted((e for e in entries if e.available), key=lambda e: -e.rank)
    if not usable:
        return []
    best, *lower = usable
    chosen = _of(best)
    for entry in lower:
        if entry.rank > 0:  # scalar code is the reference, never the fastest where there are vectors
            chosen = chosen[: LONGEST - NARROW] + _of(entry)[:NARROW]
    return chosen[:LONGEST]


def _of(entry: Kernel) -> list[Candidate]:
    built = {_key(shape) for shape in entry.shapes}
    wanted = [shape for shape in _guesses(entry) if _wanted_key(shape) in built]
    return [_candidate(entry.isa, shape) for shape in wanted or map(_plainest, sorted(built)[:LONGEST])]


def _guesses(entry: Kernel) -> tuple[Shape, ...]:
    loads = any(operand.loads for operand in entry.operands)
    match entry.store:
        case "none":
            return LOADS_ONLY
        case "plain":
            return PLAIN_STORES if loads else PLAIN_STORES_ONLY
        case "nt" | "direct":
            return STREAMED_STORES if loads else STREAMED_STORES_ONLY
        case _:
            return ()


def _key(shape: catalogue.Shape) -> tuple[int, int, int, bool, bool]:
    return (shape.streams, shape.unroll, shape.interleave_bytes, shape.prefetch, shape.prefetchw)


def _wanted_key(shape: Shape) -> tuple[int, int, int, bool, bool]:
    return (*shape[:3], shape[3] > 0, shape[4] > 0)


def _plainest(key: tuple[int, int, int, bool, bool]) -> Shape:
    return (*key[:3], NEAR * key[3], FAR * key[4])


def _candidate(isa: str, shape: Shape) -> Candidate:
    streams, unroll, interleave, prefetch, prefetchw = shape
    work = LineWork(
        streams=streams,
        unroll=unroll,
        prefetch_bytes=prefetch,
        prefetchw_bytes=prefetchw,
        interleave_bytes=interleave,
    )
    return Candidate(isa, work)
