"""The neighbours of a loop variant: those that differ from it by one step of one choice.

Steps in prefetches: half or double the distance of one, or of both; no prefetch, or one of USUAL bytes. Steps in
layouts (streams, lines of a step, alternating pages): the most similar ones first. The last step is the vectors of
another ISA. Below NEAREST a prefetch comes too late, as the load follows within some ns. Above FARTHEST it leaves the
first-level cache before its use.
Blind to: layouts that the core is not built for (`core/kernels/walk.hpp` lists them), distances between powers of two.
"""

from collections.abc import Iterable, Sequence
from math import log2

import msgspec

from tierscope.record.catalogue import Kernel, Shape
from tierscope.record.work.line import LineWork
from tierscope.run.candidates import Candidate
from tierscope.units import KiB

NEAREST, USUAL, FARTHEST = 128, 512, 8 * KiB  # bytes; powers of two


def around(one: Candidate, entries: Sequence[Kernel]) -> list[Candidate]:
    """Return the variants one step away from this one, of one kernel's entries in the catalogue (one for each ISA)."""
    work = one.work
    steps = [
        Candidate(one.isa, msgspec.structs.replace(work, prefetch_bytes=loads, prefetchw_bytes=stores))
        for loads, stores in _distances(work.prefetch_bytes, work.prefetchw_bytes)
    ]
    usable = [entry for entry in entries if entry.available and entry.rank > 0]
    steps += [Candidate(one.isa, other) for other in _layouts(work, [e for e in usable if e.isa == one.isa])]
    steps += [Candidate(entry.isa, work) for entry in usable if entry.isa != one.isa]
    return [step for step in dict.fromkeys(steps) if step != one and is_built(step, usable)]


def is_built(one: Candidate, entries: Iterable[Kernel]) -> bool:
    """Return whether the core has such a loop for this CPU."""
    return any(
        entry.isa == one.isa and entry.available and any(_is_of(one.work, shape) for shape in entry.shapes)
        for entry in entries
    )


def is_variant(one: Candidate, entries: Iterable[Kernel]) -> bool:
    """Return whether a search may find this: the core has such a loop, and the distances are those that it tries."""
    distances = (one.work.prefetch_bytes, one.work.prefetchw_bytes)
    known = all(d == 0 or (NEAREST <= d <= FARTHEST and d.bit_count() == 1) for d in distances)
    return known and is_built(one, entries)


def simplicity(one: Candidate) -> tuple[int, ...]:
    """Return a key that is lower for the simpler variant: prefetches, streams, pages, lines, distances."""
    work = one.work
    prefetches = (work.prefetch_bytes > 0) + (work.prefetchw_bytes > 0)
    paged = work.interleave_bytes > 0
    return (prefetches, work.streams, paged, work.unroll, work.prefetch_bytes + work.prefetchw_bytes)


def _steps(distance: int) -> list[int]:
    if distance == 0:
        return [USUAL]
    return [step for step in (distance // 2, distance * 2) if NEAREST <= step <= FARTHEST] + [0]


def _distances(loads: int, stores: int) -> list[tuple[int, int]]:
    alone = [(step, stores) for step in _steps(loads)] + [(loads, step) for step in _steps(stores)]
    both = [(loads // 2, stores // 2), (loads * 2, stores * 2)] if loads and stores else []
    return alone + [(a, b) for a, b in both if min(a, b) >= NEAREST and max(a, b) <= FARTHEST]


def _layouts(work: LineWork, entries: Sequence[Kernel]) -> list[LineWork]:
    """Return the variant in other layouts with the same prefetches, the most similar layouts first."""
    shapes = dict.fromkeys(
        (shape.streams, shape.unroll, shape.interleave_bytes) for entry in entries for shape in entry.shapes
    )
    others = [
        msgspec.structs.replace(work, streams=streams, unroll=unroll, interleave_bytes=interleave)
        for streams, unroll, interleave in shapes
        if (streams, unroll, interleave) != (work.streams, work.unroll, work.interleave_bytes)
    ]
    return sorted(others, key=lambda other: _unlike(work, other))


def _unlike(one: LineWork, other: LineWork) -> float:
    """Return the octaves of streams and lines between two variants; alternating pages or not is one more."""
    paged = (one.interleave_bytes > 0) != (other.interleave_bytes > 0)
    return abs(log2(one.streams / other.streams)) + abs(log2(one.unroll / other.unroll)) + paged


def _is_of(work: LineWork, shape: Shape) -> bool:
    return (work.streams, work.unroll, work.interleave_bytes, work.prefetch_bytes > 0, work.prefetchw_bytes > 0) == (
        shape.streams, shape.unroll, shape.interleave_bytes, shape.prefetch, shape.prefetchw,
    )  # fmt: skip
