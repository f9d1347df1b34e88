"""How much the latency of a load from memory varies, from loads that retire in order.

    t          time of a load with CHAINS chains and n fillers behind each                        [s]
    K        = ceil(window of these fillers / (n + 1)), loads in the window at the same time      [1]
    c        = K t / latency of one chain                                                         [1]
    spread s   with c = factor(K, s)                                                              [1]

Loads that miss retire in the order of the program, so that the slowest one in the window decides when the next one
begins. If all took the same time, c would be 1. The factor is that of latencies 1 - s + s E with a mean of 1, where E
is exponential: R(i) = max(R(i - 1), R(i - K) + L(i)) for the retirement R of load i. This is what a simulated memory
with this `spread` does. On a real core the answer also contains the cycles from a retirement to the begin of the load
that gets its place. n is in the middle of the range that gives K.
Blind to: why the latency varies; where few loads fit, the variation within the caches.
Source: L. Kleinrock, "Queueing Systems", volume 1, 1975 (waits behind others are nearly exponential). The recursion is
that of a window of K with retirement in order, and has no other source.
"""

import math
from collections.abc import Iterator, Mapping
from functools import cache

import numpy as np

from tierscope.plans import Plan
from tierscope.record.work.loop import LoopWork
from tierscope.stats.median import Interval
from tierscope.suites.core.asker import Asker
from tierscope.suites.core.parameter import Made
from tierscope.suites.core.points import Points
from tierscope.suites.core.row import CoreRow
from tierscope.suites.core.step import Step

PROBE, PARAMETER, UNIT = "spread", "latency spread", "of the latency"
FILLERS = ("result", "nop")  # the first one whose window is known
CHAINS = 8
LOADS = (4, 6)  # K: more would come near the number of chains
LOADS_DRAWN = 20_000
STEPS = np.linspace(0, 0.9, 31)
BUSY = 0.5  # share of the time that the instructions may take by themselves
AGREE = 0.1  # the answers of both K may differ by this much more than their intervals


def fillers_of(window: int, loads: int) -> int:
    """Return the fillers with which this number of loads is in a window."""
    return max(round(window / (loads - 0.5)) - 1, 1)


def windows_of(steps: Mapping[str, Step]) -> dict[str, int]:
    """Return each kind of filler whose window is known, with one load; the one that serves first."""
    return {filler: steps[filler].low + 1 for filler in FILLERS if filler in steps and steps[filler].high is not None}


def spreads(asker: Asker, steps: Mapping[str, Step]) -> Plan:
    """Yield the points; none where no window is known."""
    filler, window = next(iter(windows_of(steps).items()), ("", 0))
    for loads in LOADS if filler else ():
        work = LoopWork(chains=CHAINS, filler=filler, fillers=fillers_of(window, loads))
        yield from asker.ask(PROBE, work)


@cache
def factors(loads: int) -> tuple[float, ...]:
    """Return the factor for each of STEPS."""
    waits = np.random.default_rng(1).exponential(size=LOADS_DRAWN)
    waits = waits / waits.mean()
    retired = np.zeros((loads, len(STEPS)))  # the last ones
    last = np.zeros(len(STEPS))
    for number, wait in enumerate(waits):
        row = retired[number % loads]
        np.maximum(last, row + 1 - STEPS + STEPS * wait, out=row)
        last = row
    return tuple(last / LOADS_DRAWN * loads)


def spread_of(factor: float, loads: int) -> float:
    """Return the spread with this factor, within STEPS."""
    return float(np.interp(factor, factors(loads), STEPS))


def spread_rows(points: Points, made: Made, steps: Mapping[str, Step], filler_s: float) -> Iterator[CoreRow]:
    """Yield the row of the spread; none if it was not asked for. filler_s: of one filler alone, at most."""
    if not points.asked(PROBE):
        return
    name = PARAMETER, "memory", UNIT
    latency = points.times("latency").get(LoopWork(chains=1))
    windows, own = windows_of(steps), points.times(PROBE)
    if latency is None or not own or any(work.filler not in windows for work in own):
        yield made.unknown(*name, "the latency, the window or its points have no time")
        return
    answers = []
    for work, (seconds, its) in own.items():
        load_s = seconds / CHAINS
        loads = math.ceil(windows[work.filler] / (work.fillers + 1))
        if (work.fillers + 1) * filler_s > BUSY * load_s:
            yield made.unknown(*name, "the instructions take as long as the loads", len(own))
            return
        factor = loads * load_s / latency[0]
        off = factor * math.hypot(its / seconds, latency[1] / latency[0])
        if factor + off < 1:
            yield made.unknown(*name, "more loads are in a window than its step shows", len(own))
            return
        ends = [spread_of(factor + sign * off, loads) for sign in (-1, 0, 1)]
        answers.append(Interval(ends[0], ends[1], ends[2], 1))
    low, high = min(one.low for one in answers), max(one.high for one in answers)
    if max(one.low for one in answers) > min(one.high for one in answers) + AGREE:
        yield made.unknown(*name, "windows of two sizes do not agree", len(own))
        return
    middle = float(np.mean([one.middle for one in answers]))
    yield made.known(*name[:2], Interval(low, middle, high, len(own)), UNIT)
