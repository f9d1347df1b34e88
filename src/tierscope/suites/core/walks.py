"""How many page walks a core makes at the same time, from chains of loads that each need one.

    t(c)       time of a load with c chains, over one line of each of PAGES pages of 4 KiB                [s]
    h          the same with one chain, over as many lines side by side                                   [s]
    walk     = t(1) - h                                                                                   [s]
    walks    = walk / plateau of t(c), c of the last LAST points                                          [1]

PAGES are more than any TLB that we know has entries for, so that each load needs a walk. Lines are a page and a line
apart, in another set of the caches each. A walker is busy for the whole walk, and the load itself overlaps with other
walks. If more chains still shorten the time of a load, the number is a lower bound.
Blind to: page walks that caches of upper levels shorten; a limit by something else than walkers, such as one on misses
of a TLB.
Sources: J. D. C. Little, "A Proof for the Queuing Formula: L = lambda W", Operations Research 9, 1961; Intel, "64 and
IA-32 Architectures Optimization Reference Manual", 2024, chapter 2 (two and four walkers).
"""

import math
from collections.abc import Iterator

from tierscope.plans import Plan
from tierscope.record.work.loop import LoopWork
from tierscope.stats.median import Interval
from tierscope.suites.core.asker import Asker
from tierscope.suites.core.parameter import Made
from tierscope.suites.core.points import Points
from tierscope.suites.core.row import CoreRow
from tierscope.units import KiB

PROBE, APART, BESIDE = "translation", "pages apart", "side by side"
PARAMETER, UNIT = "page walks", "walks"
PAGE = 4 * KiB
PAGES = 1 << 13  # of 32 MiB; 4096 entries are the most of a TLB that we know, and their lines fit most second caches
CHAINS = range(1, 9)
LAST = 3  # points that show the plateau, with the most chains
FALLS = 0.88  # from six chains to eight: with more walkers than chains it is 6/8, with seven 6/7
MODEL = 0.2  # relative: walks that others wait for take longer; 3.4 and 4.0 of four walkers in two sizes
LEAST = 0.5  # of the time of a load without a walk: a shorter walk is not seen


def walks(asker: Asker) -> Plan:
    """Yield the points: loads that each need a page walk, then the same lines side by side."""
    apart = PAGE + asker.line
    for chains in CHAINS:
        work = LoopWork(chains=chains)
        yield from asker.ask(PROBE, work, APART, PAGES * apart, element=apart, pages="4k")
    yield from asker.ask(PROBE, LoopWork(chains=1), BESIDE, PAGES * asker.line)


def walk_rows(points: Points, made: Made) -> Iterator[CoreRow]:
    """Yield the row of the page walks; none if they were not asked for."""
    if not points.asked(PROBE):
        return
    name = PARAMETER, "", UNIT
    apart = {work.chains: time for work, time in points.times(PROBE, APART).items()}
    beside = points.times(PROBE, BESIDE).get(LoopWork(chains=1))
    if 1 not in apart or beside is None:
        yield made.unknown(*name, "the points with one chain have no time")
        return
    walk, half = apart[1][0] - beside[0], math.hypot(apart[1][1], beside[1])
    if walk - half < LEAST * beside[0]:
        yield made.unknown(*name, "a page walk takes too little time, or pages are not of 4 KiB", len(apart) + 1)
        return
    last = [apart[chains] for chains in CHAINS if chains in apart][-LAST:]
    if len(last) < LAST or max(CHAINS) not in apart:
        yield made.unknown(*name, "points with many chains have no time", len(apart) + 1)
        return
    loads = [(time / chains, its / chains) for chains, (time, its) in zip(range(9 - LAST, 9), last, strict=True)]
    plateau, its = sorted(loads)[LAST // 2]
    off = MODEL + half / walk + its / plateau
    value = Interval(walk / plateau * (1 - off), walk / plateau, walk / plateau * (1 + off), len(apart) + 1)
    if loads[-1][0] < FALLS * loads[0][0]:
        yield made.at_least(*name[:2], value, UNIT, f"{max(CHAINS)} chains still shorten the time of a load")
    else:
        yield made.known(*name[:2], value, UNIT)
