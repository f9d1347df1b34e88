"""The plateau of memory in a staircase of latency over footprint, also where a ramp follows it.

Memory is the last plateau of `stats.levels`. Where the staircase ends on a ramp behind the last plateau, memory may
still be that plateau: page walks make its latency rise with the footprint, and so does a host that takes pages
away. A plateau is memory if all of these are true:

    latency of the plateau   at least twice that of the one before
    length of it             at least two octaves
    rise of the ramp         less than a factor of two in two octaves, and less than that in all; or the largest
                             footprint takes the time of a window of it if it is visited window by window
    end of the ramp          at least twice the largest cache that the system reports

A pass window by window comes back to a line after all others, so that a cache of less than half the footprint answers
hardly any of them. Page walks are as many as in a window. So a ramp that vanishes is page walks, however steep it is.

Page walks with 4 KiB pages add 20 % per octave. In a guest with 2 MiB pages, nested walks and a host that takes
pages away added 25 to 35 % per octave beyond 512 MiB (measured). Behind a cache of at most half the latency of memory,
the knee is a factor of two or more within an octave or two.
Blind to: a last cache that is so large that it passes for memory, with a memory that is hardly slower behind it. With
windows, also to a buffer of whole pages in front of a memory, since a window visits all lines of a page.
"""

import math
from dataclasses import dataclass

import numpy as np

from tierscope.arrays import Floats
from tierscope.stats.levels import Level, Staircase
from tierscope.stats.levels_doubt import ONE_LEVEL

TWICE, LONG = 2.0, 2.0  # times a latency or a cache; octaves
WALKS = math.log(2.0) / 2  # per octave


@dataclass(frozen=True, slots=True)
class Plateau:
    """The footprints at which memory answers, both included. levels: those before it, the nearest first.

    rise: of the latency beyond `to_bytes`, over that of the plateau; 0 where nothing is beyond.
    """

    levels: tuple[Level, ...]
    from_bytes: float
    to_bytes: float
    rise: float = 0.0


@dataclass(frozen=True, slots=True)
class Windows:
    """A footprint that was visited window by window: bytes of both, and the seconds of an access."""

    footprint_bytes: float
    window_bytes: float
    access_s: float


def memory_plateau(
    stairs: Staircase, sizes: Floats, times: Floats, reported_bytes: float = 0.0, windows: Windows | None = None
) -> Plateau | None:
    """Return the plateau of memory; None where the staircase does not reach it.

    sizes: footprints in bytes, rising; times: seconds of an access; both of shape (points,). reported_bytes: of the
    largest data cache; 0: not known.
    """
    if stairs.memory_s is not None and stairs.memory_from_bytes is not None and stairs.levels:
        return Plateau(stairs.levels, stairs.memory_from_bytes, math.inf)
    if len(stairs.levels) < 2 or sizes[-1] < TWICE * reported_bytes:
        return None
    *before, last = stairs.levels
    inside = (sizes > before[-1].high_bytes) & (sizes <= last.low_bytes)
    inside &= times > last.latency_s * math.exp(-ONE_LEVEL)
    if last.latency_s < TWICE * before[-1].latency_s or not inside.any():
        return None
    begin = float(sizes[inside].min())
    octaves = math.log2(float(sizes[-1]) / last.low_bytes)
    top = float(np.max(times[sizes > last.low_bytes]))
    ramp = math.log(top / float(times[sizes == last.low_bytes][0]))
    steep = ramp > WALKS * max(octaves, 1.0) or top > TWICE * last.latency_s
    if math.log2(last.low_bytes / begin) < LONG or (steep and not _is_walks(windows, begin, last, reported_bytes)):
        return None
    return Plateau(tuple(before), begin, last.low_bytes, top / last.latency_s - 1)


def _is_walks(windows: Windows | None, begin: float, last: Level, reported_bytes: float) -> bool:
    """Return whether the pass by windows takes the time of the plateau, which contains a window."""
    if windows is None or windows.footprint_bytes < TWICE * max(reported_bytes, last.low_bytes):
        return False
    inside = begin <= windows.window_bytes <= last.low_bytes
    return inside and windows.access_s < last.latency_s * math.exp(ONE_LEVEL)
