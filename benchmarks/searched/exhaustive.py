"""An exhaustive search of the fastest variant, and how the chosen ones compare with it, by noisy trials.

1. All variants are tried in rounds, each time in another random order. After each round the slower half is left out, by
   the means over all rounds, until FINALISTS are left.
2. These and the chosen ones alternate in SELECTING rounds: the fastest of them is the best.
3. The best and the chosen ones alternate in PROVING rounds. Ratios come from these alone, so that a variant that was
   fast by luck, and is the best for that reason, is not fast by luck here. The ratio is the Hodges-Lehmann estimate of
   the rounds' ratios, with its 95 % interval by Wilcoxon's signed ranks.

A trial counts by its rate over the median of the trials around it in time: a machine that drifts drifts for all.
Blind to: variants that a search cannot find either (`run.around`), and what differs between two mappings.
Sources: Z. Karnin, T. Koren, O. Somekh, "Almost Optimal Exploration in Multi-Armed Bandits", ICML 2013 (halving);
`stats.contrast` for the interval.
"""

import math
import random
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean, median
from typing import Generic, TypeVar

import numpy as np

from tierscope.record.catalogue import Kernel
from tierscope.record.work.line import LineWork
from tierscope.run.around import FARTHEST, NEAREST, is_variant
from tierscope.run.candidates import Candidate
from tierscope.stats.contrast import estimate
from tierscope.stats.median import Interval

V = TypeVar("V", bound=Hashable)

FINALISTS = 8
TRIED = 2  # times in each round
AROUND = 15  # trials before and after one, which show the speed of the machine then
SELECTING, PROVING = 20, 40  # rounds
ENOUGH, SAME = 0.98, 0.9  # goals: of the best, and of the calls
CONFIDENCE = 0.95
CALLS = 10
NOTHING = Interval(math.nan, math.nan, math.nan, 0)


@dataclass(frozen=True)
class Proof(Generic[V]):
    """The result. best: of all; ratios: of each chosen variant to the best; tried: variants."""

    best: V
    ratios: dict[V, Interval]
    tried: int


def space(entries: Sequence[Kernel]) -> list[Candidate]:
    """Return every variant that a search may find among a kernel's entries in the catalogue."""
    distances = (0, *(NEAREST << step for step in range((FARTHEST // NEAREST).bit_length())))
    layouts = {
        (entry.isa, shape.streams, shape.unroll, shape.interleave_bytes)
        for entry in entries
        if entry.available and entry.rank > 0
        for shape in entry.shapes
    }
    every = (
        Candidate(isa, LineWork(
            streams=streams, unroll=unroll, interleave_bytes=paged, prefetch_bytes=loads, prefetchw_bytes=stores,
        ))
        for (isa, streams, unroll, paged), loads, stores in product(sorted(layouts), distances, distances)
    )  # fmt: skip
    return [one for one in every if is_variant(one, entries)]


def prove(
    rate: Callable[[V], float | None], variants: Sequence[V], chosen: Sequence[V], dice: random.Random
) -> Proof[V]:
    """Find the best variant, and compare the chosen ones with it. rate: a trial; None where no moment was clean.

    A ratio is not a number where no trial of one of the two had a clean moment.
    """
    left = _halved(rate, variants, dice)
    finals = list(dict.fromkeys([*left, *chosen]))
    rounds = _rounds(rate, finals, SELECTING, dice)
    levels = {one: _level([found[one] for found in rounds if one in found]) for one in finals}
    best = max(levels, key=levels.__getitem__)
    if math.isinf(levels[best]):
        return Proof(best, dict.fromkeys(chosen, NOTHING), len(variants))
    last = list(dict.fromkeys([best, *chosen]))
    rounds = _rounds(rate, last, PROVING, dice) if len(last) > 1 else []
    ratios = {one: _ratio(rounds, one, best) for one in dict.fromkeys(chosen)}
    return Proof(best, ratios, len(variants))


def _halved(rate: Callable[[V], float | None], variants: Sequence[V], dice: random.Random) -> list[V]:
    """Return the variants that are left when the slower half was left out again and again."""
    left, scores = list(variants), {one: list[float]() for one in variants}
    while len(left) > FINALISTS:
        order = [one for _ in range(TRIED) for one in dice.sample(left, len(left))]
        for one, score in zip(order, _standings([rate(one) for one in order]), strict=True):
            if score is not None:
                scores[one].append(score)
        left.sort(key=lambda one: _level(scores[one]), reverse=True)
        left = left[: max(FINALISTS, math.ceil(len(left) / 2))]
    return left


def _standings(rates: Sequence[float | None]) -> list[float | None]:
    """Return the logarithm of each rate over the median of those around it in time."""
    found: list[float | None] = []
    for place, rate in enumerate(rates):
        near = [one for one in rates[max(0, place - AROUND) : place + AROUND + 1] if one]
        found.append(math.log(rate / median(near)) if rate else None)
    return found


def _rounds(
    rate: Callable[[V], float | None], variants: Sequence[V], count: int, dice: random.Random
) -> list[dict[V, float]]:
    """Return the logarithms of the rates of each round."""
    found = []
    for _ in range(count):
        tried = {one: rate(one) for one in dice.sample(list(variants), len(variants))}
        logs = {one: math.log(value) for one, value in tried.items() if value}
        middle = median(logs.values()) if logs else 0.0
        found.append({one: value - middle for one, value in logs.items()})
    return found


def _level(scores: Sequence[float]) -> float:
    """Return the mean without what is far off, on the slow side mostly; -inf without any."""
    if not scores:
        return -math.inf
    middle = median(scores)
    width = 5 * 1.4826 * median(abs(one - middle) for one in scores)
    return fmean(one for one in scores if abs(one - middle) <= width)


def _ratio(rounds: Sequence[dict[V, float]], one: V, best: V) -> Interval:
    if one == best:
        return Interval(1.0, 1.0, 1.0, len(rounds))
    logs = np.array([found[one] - found[best] for found in rounds if one in found and best in found])
    found = estimate(logs, CONFIDENCE)
    return Interval(math.exp(found.low), math.exp(found.middle), math.exp(found.high), found.count)


@dataclass(frozen=True)
class Row:
    """One case. usual: ratio of the variant that most calls chose; worst, first: of any call, of the first one."""

    case: str
    variants: int
    best: str
    usual_variant: str
    usual: Interval
    worst: Interval
    first: Interval
    same: int
    calls: int

    @property
    def verdict(self) -> str:
        """Return 'reached', 'missed', 'not known' (the interval contains the aim) or 'a trial' (fewer than CALLS)."""
        if self.calls < CALLS:
            return "a trial"
        if self.same < SAME * self.calls or self.usual.high < ENOUGH:
            return "missed"
        return "reached" if self.usual.low >= ENOUGH else "not known"


def row(case: str, proof: Proof[V], chosen: Sequence[V], show: Callable[[V], str]) -> Row:
    """Return one case. chosen: of each call, in order."""
    usual, same = Counter(chosen).most_common(1)[0]
    return Row(
        case, proof.tried, show(proof.best), show(usual), proof.ratios[usual],
        min((proof.ratios[one] for one in chosen), key=lambda ratio: ratio.middle), proof.ratios[chosen[0]],
        same, len(chosen),
    )  # fmt: skip
