"""All loop variants of a kernel that the core is built for, with every distance of prefetch that is worth a trial.

The distances are powers of two. Below DISTANCES a prefetch comes too late, as the load follows within some ns; above it
is evicted from the first-level cache before its use, or its page is not yet in the TLB.
`alike` is what a search learns by: two variants that share instructions, layout or a distance will probably share a
part of their speed. `simplicity` orders variants by how little they add to a plain loop.
Blind to: layouts that the core is not built for (`core/kernels/walk.hpp` lists them), distances in between.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tierscope.record.catalogue import Kernel, Shape
from tierscope.record.work.line import LineWork
from tierscope.run.candidates import Candidate
from tierscope.units import KiB

Floats = npt.NDArray[np.float64]

DISTANCES = (128, 256, 512, 1 * KiB, 2 * KiB, 4 * KiB, 8 * KiB)  # bytes
ISA, LAYOUT, LOADS, STORES = range(4)
OTHER_ISA, OTHER_KIND = 0.6, 0.3  # how alike two variants are of which one has a wider vector, or a prefetch
REACH = {LAYOUT: 2.0, LOADS: 3.0, STORES: 3.0}  # octaves after which a third of the likeness is left


class Point(NamedTuple):
    """Where a variant is: ordinal numbers, distances as logarithms of two, 0 for none."""

    isa: str
    streams: float
    unroll: float
    paged: bool
    loads: float
    stores: float


def space_of(entries: Iterable[Kernel]) -> list[Candidate]:
    """All variants on vectors of one kernel's entries in the catalogue, the widest vectors first.

    Where no vectors run, those in scalar code; empty only if nothing runs.
    """
    usable = sorted((e for e in entries if e.available), key=lambda e: -e.rank)
    vectors = [e for e in usable if e.rank > 0] or usable
    return [Candidate(e.isa, work) for e in vectors for shape in e.shapes for work in _works(shape)]


def _works(shape: Shape) -> list[LineWork]:
    return [
        LineWork(
            streams=shape.streams, unroll=shape.unroll, interleave_bytes=shape.interleave_bytes,
            prefetch_bytes=loads, prefetchw_bytes=stores,
        )
        for loads in (DISTANCES if shape.prefetch else (0,))
        for stores in (DISTANCES if shape.prefetchw else (0,))
    ]  # fmt: skip


def simplicity(one: Candidate) -> tuple[int, ...]:
    """Return a key that is lower for the simpler variant: prefetches, streams, pages, lines, distances."""
    work = one.work
    prefetches = (work.prefetch_bytes > 0) + (work.prefetchw_bytes > 0)
    paged = work.interleave_bytes > 0
    return (prefetches, work.streams, paged, work.unroll, work.prefetch_bytes + work.prefetchw_bytes)


def alike(variants: Sequence[Candidate]) -> list[Floats]:
    """Return how alike all pairs are in instructions, layout and both distances; each of shape (variants, variants)."""
    points = [_point(one) for one in variants]
    isa = np.array([one.isa for one in points])
    layout = _near([one.streams for one in points], LAYOUT) * _near([one.unroll for one in points], LAYOUT)
    paged = np.array([one.paged for one in points])
    return [
        np.where(np.equal.outer(isa, isa), 1.0, OTHER_ISA),
        layout * np.where(np.equal.outer(paged, paged), 1.0, OTHER_KIND),
        _distances([one.loads for one in points], LOADS),
        _distances([one.stores for one in points], STORES),
    ]


def _point(one: Candidate) -> Point:
    work = one.work
    streams, unroll = float(np.log2(work.streams)), float(np.log2(work.unroll))
    loads, stores = (float(np.log2(size)) if size else 0.0 for size in (work.prefetch_bytes, work.prefetchw_bytes))
    return Point(one.isa, streams, unroll, work.interleave_bytes > 0, loads, stores)


def _near(numbers: Sequence[float], axis: int) -> Floats:
    return np.asarray(np.exp(-np.abs(np.subtract.outer(numbers, numbers)) / REACH[axis]))


def _distances(numbers: Sequence[float], axis: int) -> Floats:
    """Of a kind none and a kind that has a distance."""
    has = np.array(numbers) > 0
    return np.where(np.equal.outer(has, has), OTHER_KIND + (1 - OTHER_KIND) * _near(numbers, axis), OTHER_KIND)
