"""Where the time of a program goes, phase by phase, here and on each tier.

A phase is what runs from one marker of the program to the next; phases of one name are one. Without markers, phases are
equal parts of the model's time here. Markers are instructions of the program, the same ones on all machines:

    T(i)      model time of a machine before instruction i: known at the ends of the parts that are timed and every
              million instructions within them; in between, and in gaps, time passes evenly
    here      share of the phase of T of the own core, of the time that was measured
    ratio     of a phase on the tier and here, by the own core; its bounds contain one more core, in which the other
              cores count by how well they explain the time of the whole program here

The time here that the model leaves open is read in the same two ways as for the whole program (`left_open`), as if it
were spread over the phases as their time is. The share that waits is that of the phase.

The interval of one more core includes the deviation of what was not traced. With the rates d = b_i - ratio * a_i of
units, the n instructions of a gap that are in the phase have the variance n^2 (d_i - d_j)^2 / 2.
Blind to: time in the kernel, which has no phase; time that the model leaves open in one phase alone; the mean over
threads, since the phase of one thread is that of all.
Source: J. von Neumann et al., "The Mean Square Successive Difference", Annals of Mathematical Statistics 12(2), 1941.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from tierscope.predict.program.anchor import Anchor, seconds_of
from tierscope.predict.program.answer import noisy, reaching
from tierscope.predict.program.cold import extremes
from tierscope.predict.program.front_end import between_share
from tierscope.predict.program.left_open import left_open
from tierscope.predict.program.one_more import mean_of, one_more
from tierscope.simulated.begun import LEAST
from tierscope.simulated.replay import Traced

BEGIN = "begin"  # before the first marker
MOST = 40  # phases that are shown: of more names, the others are one
OTHERS = "other phases"
Numbers = npt.NDArray[np.float64]
Span = tuple[float, float]
"""First instruction, and the one behind the last."""


@dataclass(frozen=True, slots=True)
class Cores:
    """A tier. pairs: each core here and there, own first; idle, instant: variants of the own core, or None.

    ends: the own core here with the latency of memory at the ends of its interval.
    """

    tier: str
    pairs: Sequence[tuple[Traced, Traced]]
    idle: Traced | None
    instant: Traced | None
    ends: Sequence[Traced] = ()


@dataclass(frozen=True, slots=True)
class PhaseThere:
    """A phase on a tier. Shares are of its time there; None: not known."""

    tier: str
    ratio: float | None
    low: float | None
    high: float | None
    latency_share: float | None
    bandwidth_share: float | None


@dataclass(frozen=True, slots=True)
class Phase:
    """share: of the time here; seconds: None where the model does not match the time here."""

    name: str
    visits: int
    share: float
    seconds: float | None
    there: tuple[PhaseThere, ...]

    def row(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        own = {"name": self.name, "visits": self.visits, "share": self.share, "seconds": self.seconds}
        return own | {"tiers": [{name: getattr(one, name) for name in one.__slots__} for one in self.there]}


def phases(here: Anchor, tiers: Sequence[Cores], count: int) -> tuple[Phase, ...]:
    """Return the phases by markers; `count` equal parts of the time here if there is no marker."""
    own = here.cores[0]
    spans = _by_markers(own) if own.phases else _by_time(own, count)
    whole = seconds_of(own) or 1.0
    found = []
    for name, parts in spans.items():
        share = _time(own, parts) / whole
        seconds = None if here.unknown else share * here.measured_s[1]
        there = tuple(_there(here, one, parts) for one in tiers)
        found.append(Phase(name, len(parts), share, seconds, there))
    return tuple(found)


def _by_time(own: Traced, count: int) -> Mapping[str, list[Span]]:
    at, times = _curve(own)
    ends = np.interp(np.linspace(0, times[-1], count + 1), times, at)
    return {f"{i + 1} of {count}": [(float(ends[i]), float(ends[i + 1]))] for i in range(count)}


def _by_markers(own: Traced) -> Mapping[str, list[Span]]:
    marks = [(BEGIN, 0.0), *((name or "phase", float(at)) for name, at in own.phases)]
    ends = [at for _, at in marks[1:]] + [float(own.instructions + own.untraced_instructions)]
    spans: dict[str, list[Span]] = {}
    for (name, start), end in zip(marks, ends, strict=True):
        if end > start:
            key = name if name in spans or len(spans) < MOST else OTHERS
            spans.setdefault(key, []).append((start, end))
    return spans


def _there(here: Anchor, one: Cores, parts: Sequence[Span]) -> PhaseThere:
    ratios = [_ratio(a, b, parts) for a, b in one.pairs]
    own = one.pairs[0][1]
    time = _time(own, parts)
    latency = bandwidth = None
    if one.idle is not None and one.instant is not None and time > 0:
        alone = min(_time(one.idle, parts), time)
        latency, bandwidth = max(alone - _time(one.instant, parts), 0.0) / time, 1 - alone / time
    sure = [ratio for ratio in ratios if ratio is not None]
    if here.unknown or len(sure) < len(ratios):
        return PhaseThere(one.tier, None, None, None, latency, bandwidth)
    told, others = sure[0][0], sure[1:]
    ends = [one_more(given, [x for x, _ in others], [v for _, v in others]) for given in here.weights]
    open_ends = _left_open(here, parts, told, [ratio for ratio, _ in others])
    open_ends += _front_end(here, one, parts)
    every = [told, *(end for pair in ends for end in pair), *open_ends]
    memory = [time / a for end in one.ends if (a := _time(end, parts)) > 0]
    low, high = noisy(here, told, *reaching(told, every, memory, _in_doubt(here, one, parts)))
    return PhaseThere(one.tier, told, low, high, latency, bandwidth)


def _front_end(here: Anchor, one: Cores, parts: Sequence[Span]) -> Iterator[float]:
    """Yield the ratios of a phase by other readings of the front end that the time here allows, with what each leaves
    open of it, and between any two readings.
    """
    readings = 1 + here.lineup.readings
    for a, b in one.pairs[1:readings]:
        if here.allows(a) and (found := _ratio(a, b, parts)):
            share = _waits(here, a, parts)
            for time in here.measured_s:
                yield from left_open(found[0], seconds_of(a) / time, share)
            yield found[0]
    for (a, b), (c, d) in combinations(one.pairs[:readings], 2):
        for time in here.measured_s:
            if (mixed := between_share(seconds_of(a), seconds_of(c), time)) is not None:
                here_s, there_s = ((1 - mixed) * _time(x, parts) + mixed * _time(y, parts) for x, y in ((a, c), (b, d)))
                if here_s > 0:
                    yield there_s / here_s


def _waits(here: Anchor, core: Traced, parts: Sequence[Span]) -> float:
    """Return the share of a phase that waits for memory on a core here; 0 where that is not known."""
    time = _time(core, parts)
    return 1 - _time(here.instant, parts) / time if here.instant is not None and time > 0 else 0.0


def _left_open(here: Anchor, parts: Sequence[Span], told: float, others: Sequence[float]) -> list[float]:
    """Return the ratios of a phase by both readings of what the own core, and the mean of the others, leave open."""
    share = _waits(here, here.cores[0], parts)
    times = [seconds_of(core) for core in here.cores]
    found: list[float] = []
    for measured, given in zip(here.measured_s, here.weights, strict=True):
        found += left_open(told, times[0] / measured, share)
        found += left_open(mean_of(given, others), mean_of(given, times[1:]) / measured, share)
    return found


def _in_doubt(here: Anchor, one: Cores, parts: Sequence[Span]) -> list[float]:
    """Return the ratios of a phase if the reads in doubt are hits, and if the hits in doubt are reads (`cold`)."""
    if here.instant is None:
        return []
    instant = _time(here.instant, parts)
    times = (extremes(_time(core, parts), instant, here.doubt) for core in one.pairs[0])
    return [b / a for a, b in zip(*times, strict=True) if a > 0]


def _ratio(here: Traced, there: Traced, parts: Sequence[Span]) -> tuple[float, float] | None:
    """Return the ratio of a phase by one core, and its deviation by what was not traced."""
    a, b = _time(here, parts), _time(there, parts)
    return (b / a, _deviation(here, there, b / a, parts) / a) if a > 0 else None


def _deviation(here: Traced, there: Traced, ratio: float, parts: Sequence[Span]) -> float:
    """Return the standard deviation of the time there, less that of the ratio times the time here; in seconds."""
    variance, end, before = 0.0, 0.0, None
    for (gap, count, a), (_, _, b) in zip(here.parts, there.parts, strict=True):
        rate = (b - ratio * a) / count if count >= LEAST or before is None else before
        if before is not None:
            within = sum(max(min(stop, end + gap) - max(start, end), 0.0) for start, stop in parts)
            variance += within**2 * (rate - before) ** 2 / 2
        before = rate
        end += gap + count
    return float(variance**0.5)


def _time(traced: Traced, parts: Sequence[Span]) -> float:
    at, times = _curve(traced)
    return float(sum(np.diff(np.interp(part, at, times)).item() for part in parts))


def _curve(traced: Traced) -> tuple[Numbers, Numbers]:
    """Return instructions and the model time before them, from 0 to the whole program."""
    at, times = [0.0], [0.0]
    knots = list(traced.knots)
    rates = _rates(traced)
    for number, (gap, count, seconds) in enumerate(traced.parts):
        before = rates[max(number - 1, 0)]
        start, began = at[-1] + gap, times[-1] + gap * (before + rates[number]) / 2
        at.append(start)
        times.append(began)
        while knots and knots[0][0] == number:
            _, done, so_far = knots.pop(0)
            at.append(start + min(done, count))
            times.append(began + min(so_far, seconds))
        at.append(start + count)
        times.append(began + seconds)
    at.append(at[-1] + traced.last_gap)
    times.append(times[-1] + traced.last_gap * (rates[-1] if rates else 0.0))
    return np.array(at), np.maximum.accumulate(np.array(times))


def _rates(traced: Traced) -> list[float]:
    """Return seconds of an instruction by part; a part that is too short has the rate before it."""
    rates: list[float] = []
    for _, count, seconds in traced.parts:
        rates.append(rates[-1] if count < LEAST and rates else seconds / count)
    return rates
