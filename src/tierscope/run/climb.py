"""A search for the fastest of many variants by short noisy trials, a hundred at most.

1. The search tries the guesses, and the variant that an earlier search found: the kept one.
2. It tries new neighbours of the best, STEP variants at a time, each time with another trial of the best
   itself: a rate that was high by chance does not stay the best. Where the best has no new neighbour, the neighbours
   of the next one follow. Ends after MOST trials, or SEARCHED of the time that the caller gives.
3. The best by then and the kept one alternate in ROUNDS rounds of longer trials, in another order each: the final.
   The ratio of two within a round decides, so that a machine that drifts drifts for both.
4. The kept variant stays unless another one is certainly faster by more than STAYS. Where none is kept, the fastest
   wins, or the simplest of those that are slower by no more than TIE.

Blind to a fast variant that is far from all that are fast.
Source: hill climbing with a tie rule; the final by pairs: R. Jain, "The Art of Computer Systems Performance Analysis",
1991, section 13.4.1 (paired observations).
"""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from statistics import median, stdev
from typing import Generic, TypeVar

V = TypeVar("V", bound=Hashable)

STEP = 6  # variants between two more trials of the best
MOST, MOST_KEPT = 100, 40  # trials before the final, without and with a kept variant
FINALISTS = 5  # in addition to the kept one
ROUNDS, LEAST_ROUNDS = 5, 2  # of the final; where the time is over
LONGEST_S = 2.0  # twice what it takes: an emulated machine needs 0.2 s for a trial
LEAST_S = 0.15  # for the guesses, and a short final
SEARCHED = 0.6  # of the time, the final has the rest
FINAL_LENGTH = 4.0  # of a trial in the final, in those of the search
TIE = 0.01  # a variant that is slower by no more is as fast
STAYS = 0.015  # a kept one that is slower by no more stays
DOUBT = 4.0  # standard errors: of five pairs, several variants at a time


@dataclass(frozen=True, slots=True)
class Found(Generic[V]):
    """All variants that were tried, the chosen one first, the others by the medians of their rates."""

    order: tuple[tuple[V, float | None], ...]
    trials: int
    stayed: bool  # the chosen one is the kept one


class Climb(Generic[V]):
    """One search. rate(variant, length): a trial; None where it had no clean moment. around: what is next to one.

    clock: seconds; longest_s: of the search with its final.
    """

    def __init__(
        self,
        rate: Callable[[V, float], float | None],
        around: Callable[[V], Sequence[V]],
        simplicity: Callable[[V], tuple[int, ...]],
        clock: Callable[[], float],
        longest_s: float = LONGEST_S,
    ) -> None:
        self._rate, self._around, self._simplicity, self._clock = rate, around, simplicity, clock
        self._began, self._longest_s = clock(), longest_s
        self._rates: dict[V, list[float]] = {}
        self._finals: dict[V, list[float | None]] = {}
        self._trials = 0

    def run(self, guesses: Sequence[V], kept: V | None = None) -> Found[V]:
        """Search from these; the first guess is the choice where no trial had a clean moment, and none is kept."""
        first = ((kept,) if kept is not None else ()) + tuple(guesses)
        for variant in dict.fromkeys(first):
            self._try(variant, 1.0)
        most = MOST if kept is None else MOST_KEPT
        while self._trials < most and not self._is_over(SEARCHED) and (new := self._next()):
            for variant in new:
                self._try(variant, 1.0)
        self._final(kept)
        chosen = self._chosen(kept) or first[0]
        rest = sorted((one for one in self._rates if one != chosen), key=self._speed, reverse=True)
        return Found(tuple((one, self._median(one)) for one in (chosen, *rest)), self._trials, chosen == kept)

    def _is_over(self, share: float = 1.0) -> bool:
        return self._clock() >= self._began + share * self._longest_s

    def _next(self) -> list[V]:
        """Return new neighbours of the fastest one that has any, and that one; none where all are known."""
        known = sorted((one for one, rates in self._rates.items() if rates), key=self._speed, reverse=True)
        for one in known:
            if new := [variant for variant in self._around(one) if variant not in self._rates]:
                return [*new[:STEP], one]
        return []

    def _try(self, variant: V, length: float) -> float | None:
        found = self._rate(variant, length)
        self._trials += 1
        rates = self._rates.setdefault(variant, [])
        if found:
            rates.append(found)
        return found

    def _median(self, variant: V) -> float | None:
        rates = self._rates[variant]
        return median(rates) if rates else None

    def _speed(self, variant: V) -> float:
        return self._median(variant) or 0.0

    def _best(self) -> V | None:
        best = max(self._rates, key=self._speed)
        return best if self._rates[best] else None

    def _final(self, kept: V | None) -> None:
        known = sorted((one for one, rates in self._rates.items() if rates), key=self._speed, reverse=True)
        left = list(dict.fromkeys([*known[:FINALISTS], *(() if kept is None else (kept,))]))
        for turn in range(ROUNDS if len(left) > 1 else 0):
            if turn >= LEAST_ROUNDS and self._is_over():
                break
            shift = turn % len(left)
            for one in (*left[shift:], *left[:shift]):
                self._finals.setdefault(one, []).append(self._try(one, FINAL_LENGTH))

    def _chosen(self, kept: V | None) -> V | None:
        """Return the winner of the final; None where there was none and no variant has a rate."""
        if not self._finals:
            return self._best()
        if kept is not None and self._rates[kept]:
            faster = [one for one in self._finals if self._is_faster(one, kept)]
            return max(faster, key=lambda one: self._ratio(one, kept)) if faster else kept
        best = max(self._finals, key=self._speed)
        even = [one for one in self._finals if self._rates[one] and self._ratio(one, best) >= -TIE]
        return min([best, *even], key=self._simplicity)

    def _pairs(self, one: V, other: V) -> list[float]:
        """Return the logarithms of the ratios of two variants within the rounds of the final."""
        rounds = zip(self._finals[one], self._finals[other], strict=True)
        return [math.log(a / b) for a, b in rounds if a and b]

    def _ratio(self, one: V, other: V) -> float:
        pairs = self._pairs(one, other)
        return median(pairs) if pairs else -math.inf

    def _is_faster(self, one: V, other: V) -> bool:
        """Return whether it is certainly faster by more than STAYS."""
        pairs = self._pairs(one, other)
        if len(pairs) < 2 or median(pairs) <= STAYS:
            return False
        return median(pairs) > DOUBT * stdev(pairs) / math.sqrt(len(pairs))
