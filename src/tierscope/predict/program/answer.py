"""The time of a program on a tier, anchored to its time here, with bounds.

    T(B) = M * b / a + R            the reported time                                   [s]
    T(B) = M + b - a + R            as if what the model leaves open did not change     [s]
    T(B) = (M + R) * b / a          as if kernel and waits grew with the memory         [s]

M: time of the program itself, measured here (`itself`): the user time of one thread, of several what they take next to
each other. R: the rest of the wall time, in the kernel or waiting. The model's times here and on the tier are a and b.
The reported time is by the own core. Its parameters are not known exactly, so the tier is also replayed with other
cores that this machine may have (`cores`). The bounds contain the interval of one more core, in which cores count by
how well they explain M (`one_more`), for both ends of the interval of M. They also contain two readings of what the
model leaves open of M (`left_open`), of the own core and of the weighted mean of the others. They contain what the time
here leaves open of the front end (`front_end`).

The latency of the memory here was measured and has an interval. With the latency at an end of it, the own core takes a'
here, and the ratio changes. In a trace with gaps, some reads from memory may be hits in the program, and some hits may
be reads (`cold`). With either, the own core takes a" and b". Both changes are independent of the core, so that squares
add:

    reach of the bounds             sqrt(reach by cores^2 + reach by a'^2 + reach by b" / a"^2 + reach by M^2)

The last one is the interval of M: the time there is a multiple of it, so it is known no better.

The deviation of b / a by what was not traced is that of a ratio over the same units. With the rates
d = b_i - b / a * a_i of units next to a gap of n instructions,

    deviation of b = sqrt(sum over gaps of  n^2 (d_i - d_j)^2 / 2)

If the program moves few lines, they limit the bounds (`hardly`), and where no core explains M, they alone are an
answer. `anchor` has all reasons for which the time is not known.

Where the time goes, of the own core: `bandwidth` is the time saved if no access waits for another in the memory.
`latency` is the further time saved if the memory answers immediately: misses that others wait for.
Sources: of the anchor and its two readings, `predict.rows`, which moves runs of maps in the same way; of the ratio, W.
G. Cochran, "Sampling Techniques", 1977, chapter 6.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from tierscope.predict.program.anchor import Anchor, Pair, seconds_of
from tierscope.predict.program.cold import extremes
from tierscope.predict.program.front_end import between
from tierscope.predict.program.hardly import OfLine, reach
from tierscope.predict.program.left_open import left_open
from tierscope.predict.program.one_more import mean_of, one_more
from tierscope.simulated.begun import LEAST
from tierscope.simulated.replay import Traced


@dataclass(frozen=True, slots=True)
class Answer:
    """One tier. Ratios are of the whole wall time; None: not known, for the reason in `unknown`."""

    tier: str
    ratio: float | None
    low: float | None
    high: float | None
    seconds: float | None
    model_s: float
    latency_share: float | None = None  # of the time there
    bandwidth_share: float | None = None
    large_pages_share: float | None = None  # of the time there, that pages of 2 MiB would save
    unknown: str = ""
    notes: tuple[str, ...] = field(default=())
    lever: str = ""  # of a run of `response` of this program; "": there is none
    lever_ratio: float | None = None  # the slowdown by it; None: not known, for the reason in lever_unknown
    lever_low: float | None = None
    lever_high: float | None = None
    lever_unknown: str = ""

    def row(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


def answer(
    tier: str, here: Anchor, cores: Sequence[Traced], idle: Traced | None, instant: Traced | None,
    large: Traced | None, notes: tuple[str, ...] = (), each: OfLine | None = None,
) -> Answer:  # fmt: skip
    """Return the answer for a tier. cores: the same on the tier; each: what it adds to a line, None: not known.

    Variants of the own core: idle without queues in the memory, instant with a memory that answers immediately, large
    with pages of 2 MiB; None: not requested.
    """
    if here.misfits and (found := _whatever_core(tier, here, cores[0], each)):
        return replace(found, notes=(*notes, *found.notes))
    model = seconds_of(cores[0])
    latency, bandwidth = _shares(model, idle, instant)
    pages = max(1 - seconds_of(large) / model, 0.0) if large and model else None
    found = anchored(tier, here, cores[0], list(zip(here.cores, cores, strict=True))[1:])
    found = _within_lines(found, reach(here.lineup.lines, each, here.measured_s[0]))
    return replace(found, latency_share=latency, bandwidth_share=bandwidth, large_pages_share=pages, notes=notes)


def anchored(tier: str, here: Anchor, own: Traced, *others: Sequence[Pair]) -> Answer:
    """Return the answer for the time of the own core on the tier.

    others: all cores but the own one, as times here and on the tier, in the order of the anchor. The bounds contain the
    interval of each sequence.
    """
    model = seconds_of(own)
    if here.unknown:
        return Answer(tier, None, None, None, None, model, unknown=here.unknown)
    told = slowdown(here, own)
    every = [told, *_readings(here, model), *(end for pairs in others for end in _ends(here, pairs))]
    every += [end for pairs in others for end in _front_end(here, model, pairs[: here.lineup.readings])]
    memory = [_slowdown(here, model, seconds_of(end)) for end in here.ends]
    low, high = noisy(here, told, *reaching(told, every, memory, _in_doubt(here, model)))
    return Answer(tier, told, low, high, told * here.wall_s, model)


def _whatever_core(tier: str, here: Anchor, own: Traced, each: OfLine | None) -> Answer | None:
    """Return the answer for a program that moves few lines, if no core explains its time here; None for others.

    The ratio is 1 and the change by the own core, within the bounds.
    """
    model, (shortest, time, _) = seconds_of(own), here.measured_s
    ends = reach(here.lineup.lines, each, shortest)
    if ends is None:
        return None
    low, high = (_of_wall_s(here, time * end) for end in ends)
    told = min(max(_of_wall_s(here, time + model - here.model_s), low), high)
    note = (f"{tier} changes its time to {low:.3f}x to {high:.3f}x on any core, by the lines from and to memory alone; "
            f"nothing else is predicted: {here.unknown}")  # fmt: skip
    return Answer(tier, told, low, high, told * here.wall_s, model, notes=(note,))


def _within_lines(found: Answer, ends: tuple[float, float] | None) -> Answer:
    """Return the answer with the bounds that few lines leave of it; unchanged where they contradict it."""
    if ends is None or found.ratio is None or found.low is None or found.high is None:
        return found
    low, high = max(found.low, ends[0]), min(found.high, ends[1])
    return replace(found, low=low, high=high) if low <= found.ratio <= high else found


def _of_wall_s(here: Anchor, itself_s: float) -> float:
    """Return the ratio of the wall time for a time of the program itself; the rest stays."""
    return (itself_s + here.rest_s) / here.wall_s


def slowdown(here: Anchor, own: Traced) -> float:
    """Return the ratio of the wall time by the own core, for its time on the tier; without bounds."""
    return _slowdown(here, seconds_of(own), here.model_s)


def _slowdown(here: Anchor, there_s: float, model_s: float) -> float:
    return (here.measured_s[1] * there_s / model_s + here.rest_s) / here.wall_s


def _in_doubt(here: Anchor, there_s: float) -> list[float]:
    """Return the ratios if the reads in doubt are hits, and if the hits in doubt are reads."""
    if here.instant is None:
        return []
    times = (extremes(time, seconds_of(here.instant), here.doubt) for time in (there_s, here.model_s))
    return [_slowdown(here, *pair) for pair in zip(*times, strict=True)]


def reaching(told: float, *sources: Sequence[float]) -> tuple[float, float]:
    """Return the bounds around a ratio. sources: ratios by causes that are independent, each with all its ends.

    If none of them is below 1, the tier is slower in each respect, and neither is the bound; the same above 1.
    """
    every = [told, *(end for ends in sources for end in ends)]
    down = math.hypot(*(told - min(told, *ends) for ends in sources if ends))
    up = math.hypot(*(max(told, *ends) - told for ends in sources if ends))
    least, most = (1.0 if min(every) >= 1 else 0.0), (1.0 if max(every) <= 1 else math.inf)
    return max(told - down, least), min(told + up, most)


def noisy(here: Anchor, told: float, low: float, high: float) -> tuple[float, float]:
    """Return the bounds around a ratio of the time here, with the interval of that time."""
    least, middle, most = here.measured_s
    down, up = (told * (1 - least / middle), told * (most / middle - 1)) if middle else (0.0, 0.0)
    return max(told - math.hypot(told - low, down), 0.0), told + math.hypot(high - told, up)


def _shares(model: float, idle: Traced | None, instant: Traced | None) -> tuple[float | None, float | None]:
    """Return the shares of waits for latency and for bandwidth."""
    if idle is None or instant is None or not model:
        return None, None
    alone, at_once = min(seconds_of(idle), model), seconds_of(instant)
    return max(alone - at_once, 0.0) / model, 1 - alone / model


def _ends(here: Anchor, others: Sequence[Pair]) -> Iterator[float]:
    """Yield ratios of the wall time that the bounds contain, in all readings."""
    pairs = [(seconds_of(old), seconds_of(new)) for old, new in others]
    ratios = [b / a if a else 0.0 for a, b in pairs]  # without a time here, its weight is 0
    deviations = [
        paired_deviation(old, new) / a if a else 0.0 for (old, new), (a, _) in zip(others, pairs, strict=True)
    ]
    for time, given in zip(here.measured_s, here.weights, strict=True):
        explained = mean_of(given, [a for a, _ in pairs]) / time
        left_open = _left_open(here, mean_of(given, ratios), explained)
        for ratio in (*one_more(given, ratios, deviations), *left_open):
            yield from _of_wall(here, time, ratio)


def _readings(here: Anchor, there_s: float, here_s: float | None = None) -> Iterator[float]:
    """Yield ratios of the wall time for what the own core leaves open of the time here, read both ways."""
    model = here.model_s if here_s is None else here_s
    for time in here.measured_s:
        for ratio in _left_open(here, there_s / model, model / time):
            yield from _of_wall(here, time, ratio)


def _front_end(here: Anchor, there_s: float, others: Sequence[Pair]) -> Iterator[float]:
    """Yield ratios of the wall time by other readings of the front end, and between any two. others: of these."""
    for old, new in others:
        if here.allows(old):
            yield from _readings(here, seconds_of(new), seconds_of(old))
            yield _slowdown(here, seconds_of(new), seconds_of(old))
    every = [(here.model_s, there_s), *((seconds_of(old), seconds_of(new)) for old, new in others)]
    for one, another in combinations(every, 2):
        for time in here.measured_s:
            for ratio in between(one, another, time):
                yield from _of_wall(here, time, ratio)


def _of_wall(here: Anchor, time: float, ratio: float) -> Iterator[float]:
    """Yield a ratio of the time of the program itself as one of the wall time, with both readings of the rest."""
    yield ratio  # kernel and waits grow with the memory
    yield (time * ratio + here.rest_s) / (time + here.rest_s)


def _left_open(here: Anchor, ratio: float, explained: float) -> tuple[float, ...]:
    """Return both readings of what the model leaves open, for b / a and a / M."""
    own = here.model_s
    share = 1 - seconds_of(here.instant) / own if here.instant is not None and own else 0.0
    return left_open(ratio, explained, share)


def paired_deviation(old: Traced, new: Traced) -> float:
    """Return the standard deviation of the new time that is not that of the old one; in seconds."""
    factor = seconds_of(new) / (seconds_of(old) or 1.0)
    both = [(o, n) for o, n in zip(old.parts, new.parts, strict=True) if o[1] >= LEAST]
    rates = [(n[2] - factor * o[2]) / o[1] for o, n in both]
    gaps = [float(o[0]) for o, _ in both[1:]]
    pairs = zip(gaps, rates, rates[1:], strict=False)
    return math.sqrt(sum(gap * gap * (before - after) ** 2 / 2 for gap, before, after in pairs))
