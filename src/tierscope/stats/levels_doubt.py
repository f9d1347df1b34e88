"""Why a level of a staircase, or the memory behind it, may not be what it seems: one sentence, or "".

A plateau has other explanations than one cache:

    its rise to a quarter of the misses, or from there to the next plateau, is long     another level hides in it

    the next plateau is less than 1.5x as high, 3x with pages of 4 KiB                 page walks

    it has more than twice the bytes of the largest cache reported                      page walks, other memory

    the largest footprint is still on a rise                                            memory itself

    it is near a floor that an emulation puts under all accesses                        the floor

The length of a rise caused by one cache: with lines replaced at random, a cyclic walk misses a quarter at 1.15x the
capacity C and all but 1 % at 5 C, 2.1 octaves later. With sets filled unevenly, hits of 1 / (1 + (f / C)^6) at the
footprint f, it misses 1 % at 0.5 C and a quarter at 0.8 C. The grid adds a point on each side. The step of 1.5: in a
guest, a two-dimensional page walk over large pages, with its tables cached, adds a third to a miss. Over small pages
its reads may miss, too, and triple the miss.
Source: as `stats.levels`; J. Gandhi, A. Basu, M. D. Hill and M. M. Swift, "Efficient Memory Virtualization: Reducing
Dimensionality of Nested Page Walks", MICRO 2014 (what walks cost in a guest).
"""

import math
from dataclasses import dataclass

import numpy as np

from tierscope.arrays import Floats, Truths
from tierscope.units import show_bytes, show_seconds

ONE_LEVEL = math.log(1.2)  # 278 to 398 ns over 1 to 4 GiB with 4 KiB pages is 20 % per octave
FEWEST = 3  # conclusive points of a plateau
LEVEL = math.log(1.1)  # of the plateau, either way: half of the least difference of two levels
END = 1.5  # octaves from agreement to a quarter of the misses
RISE = 2.25  # octaves from there to the next plateau
STEP, SMALL_STEP = math.log(1.5), math.log(3.0)
BLURRED = 1.9  # times the bytes of agreement: an octave, since footprints are rounded
BEYOND = 2.0  # times the bytes of the caches reported
FLOOR = 1.2  # times the floor


@dataclass(frozen=True, slots=True)
class Known:
    """The facts of the machine in addition to the curve; 0 is not known. small_pages: of 4 KiB, or not known."""

    small_pages: bool = False
    reported_bytes: float = 0.0  # of the largest data cache
    floor_s: float = 0.0  # under each access, where a tier is emulated


KNOWN = Known()


@dataclass(frozen=True, slots=True)
class Points:
    """Points by rising footprint; y: logarithm of the latency in seconds; sure: conclusive."""

    sizes: Floats
    y: Floats
    sure: Truths
    known: Known


@dataclass(frozen=True, slots=True)
class Place:
    """Numbers of points: where a plateau begins, agrees last, misses a quarter; where the next one begins, if any."""

    first: int
    low: int
    high: int
    next: int | None


def doubt_of_level(points: Points, place: Place, level: float, top: float) -> str:
    """Return why a level is in doubt. level, top: y of this plateau and of the next one, or of the last point."""
    known, sizes = points.known, points.sizes
    low, high = float(sizes[place.low]), float(sizes[place.high])
    inside = slice(place.first, place.low + 1)
    shown = (np.abs(points.y[inside] - level) <= LEVEL) & points.sure[inside]
    if known.floor_s and math.exp(level) < FLOOR * known.floor_s:
        return f"the emulated floor of {show_seconds(known.floor_s)} hides the caches below it"
    if np.count_nonzero(shown) < FEWEST:
        return f"fewer than {FEWEST} conclusive points show this latency; `run latency per_octave=4` measures more"
    if place.next is None:
        return "latency still rises at the largest footprint, so this may be memory; `run latency to=` measures further"
    if not (points.sure[place.low] and points.sure[place.high]):
        return f"the points at {show_bytes(low)} and {show_bytes(high)} are not both conclusive"
    begin = float(sizes[place.next])
    if math.log2(high / low) > END or math.log2(begin / high) > RISE:
        return f"latency rises from {show_bytes(low)} to {show_bytes(begin)}, which may contain another level"
    if top - level < (SMALL_STEP if known.small_pages else STEP):
        return f"page walks may also cause the step to {show_seconds(math.exp(top))}"
    if known.reported_bytes and high > BEYOND * known.reported_bytes:
        return f"the largest reported cache is {show_bytes(known.reported_bytes)}; page walks may also cause this step"
    return ""


def doubt_of_memory(points: Points, line: Floats) -> str:
    """Return why memory is in doubt. line: y of the last plateau, which may slope, at each of its points, the last
    ones.
    """
    known, largest = points.known, float(points.sizes[-1])
    near = np.abs(points.y[-line.size :] - line) <= LEVEL
    if known.floor_s and math.exp(line[-1]) < FLOOR * known.floor_s:
        return f"the emulated floor of {show_seconds(known.floor_s)} hides faster accesses"
    if np.count_nonzero(near & points.sure[-line.size :]) < FEWEST or not near[-1]:
        return f"fewer than {FEWEST} conclusive points show this latency, or the last one does not"
    if largest < BEYOND * known.reported_bytes:
        return f"the largest footprint is less than twice the reported cache, {show_bytes(known.reported_bytes)}"
    return ""


def doubt_of_last(known: Known, end: tuple[float, float], begin: float) -> str:
    """Return why the last level is not the last cache, although neither it nor memory is in doubt.

    end: bytes between which the level ends; begin: bytes from which on memory shows.
    """
    low, high = end
    if known.small_pages:
        return "with pages of 4 KiB the last level may be one of the TLB; measure with large pages (pages=thp)"
    if high < known.reported_bytes < begin and high >= BLURRED * low:
        return f"the rise after it may contain part of the reported {show_bytes(known.reported_bytes)}"
    return ""
