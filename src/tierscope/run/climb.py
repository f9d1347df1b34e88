"""A search for the fastest of many variants by short noisy trials.

1. The search tries the guesses, and the variant that an earlier search found: the kept one.
2. It tries new neighbours of the best, STEP variants at a time, each time with another trial of the best
   itself: a rate that was high by chance does not stay the best. Where the best has no new neighbour, the neighbours
   of the next one follow. Ends after MOST trials, or SEARCHED of the time that the caller gives.
3. Where none is kept, the best by then are tried again in HEATS rounds, so that a trial that was low or high by chance
   does not decide who is in the final.
4. The best of these and the kept one alternate in ROUNDS rounds of longer trials, in another order each: the final.
   Rates of one round are compared with each other, so that a machine that drifts drifts for all. On a noisy machine
   there are twice as many rounds where none is kept.
5. The kept variant stays unless another one is certainly faster by more than STAYS. Where none is kept, the fastest
   wins, or the simplest of those that are slower by no more than TIE. The mean over the rounds counts, without trials
   that are far off (`centre`): a disturbance makes a variant slower by several per cent, and never faster.

Blind to a fast variant that is far from all that are fast.
Sources: hill climbing with a tie rule; fewer variants with more trials each: Z. Karnin, T. Koren, O. Somekh, "Almost
Optimal Exploration in Multi-Armed Bandits", ICML 2013 (sequential halving); the comparison with the kept one: R. Jain,
"The Art of Computer Systems Performance Analysis", 1991, section 13.4.1 (paired observations); the limit of what is far
off: F. R. Hampel, "The Influence Curve and its Role in Robust Estimation", JASA 69, 1974.
"""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from statistics import median, stdev
from typing import Generic, TypeVar

V = TypeVar("V", bound=Hashable)

STEP = 6  # variants between two more trials of the best
MOST, MOST_KEPT = 250, 40  # trials of the search, without and with a kept variant
HEATS, IN_HEATS, FEW_IN_HEATS = 4, 24, 12  # rounds, the variants in them, and where the time of the search is over
FINALISTS, FEW_FINALISTS = 6, 4  # in addition to the kept one
ROUNDS, ROUNDS_KEPT, LEAST_ROUNDS = 20, 10, 4  # of the final; with a kept variant; where the time is over
LONGEST_S = 4.0  # more than it takes here: an emulated machine needs 0.2 s for a trial
LIMITED_S = 1.0  # the same in a run with a limit: its points need the time for their visits
LEAST_S = 0.15  # for the guesses, and a short final
SEARCHED = 0.6  # of the time, the final has the rest
FINAL_LENGTH = 2.0  # of a trial in the final, in those of the search
NOISY = 0.01  # standard error of the final from which it takes twice as many rounds
TIE = 0.005  # a variant that is slower by no more is as fast; a larger share adds to what noise costs
STAYS = 0.015  # a kept one that is slower by no more stays
DOUBT = 4.0  # standard errors: several variants at a time
FAR_OFF = 5.0  # standard deviations, of a trial that does not count; 3 would cut good ones where the width is low


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
        self._rounds: list[dict[V, float]] = []  # rates of the heats, then of the final, as logarithms
        self._finals: list[V] = []
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
        for one in self._fastest():
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

    def _fastest(self) -> list[V]:
        return sorted((one for one, rates in self._rates.items() if rates), key=self._speed, reverse=True)

    def _final(self, kept: V | None) -> None:
        """Try the best again, then the best of these longer; none where a single variant has a rate."""
        heats, most = (FEW_IN_HEATS, FEW_FINALISTS) if self._is_over(SEARCHED) else (IN_HEATS, FINALISTS)
        best = self._fastest()[:heats]
        if kept is None and len(best) > 1:
            self._alternate(best, HEATS, 1.0, 1)
            best.sort(key=self._standing, reverse=True)
        finals = list(dict.fromkeys([*best[:most], *(() if kept is None else (kept,))]))
        if len(finals) < 2:
            return
        self._finals = finals
        self._rounds = []
        self._alternate(self._finals, ROUNDS if kept is None else ROUNDS_KEPT, FINAL_LENGTH, LEAST_ROUNDS)
        if kept is None and max(centre(self._shares(one))[1] for one in self._finals) > NOISY:
            self._alternate(self._finals, ROUNDS, FINAL_LENGTH, 0)

    def _alternate(self, variants: Sequence[V], rounds: int, length: float, least: int) -> None:
        """Try all of them in each round, in another order; at least `least` rounds where the time is over."""
        for number in range(rounds):
            if number >= least and self._is_over():
                break
            shift = number % len(variants)
            order = (*variants[shift:], *variants[:shift])
            tried = {one: self._try(one, length) for one in (order if number % 2 == 0 else reversed(order))}
            self._rounds.append({one: math.log(rate) for one, rate in tried.items() if rate})

    def _standing(self, variant: V) -> float:
        """Return the logarithm of a variant's rate over the median of its rounds; -inf without any."""
        return centre(self._shares(variant))[0]

    def _shares(self, variant: V) -> list[float]:
        return [found[variant] - median(found.values()) for found in self._rounds if variant in found]

    def _chosen(self, kept: V | None) -> V | None:
        """Return the winner of the final; None where there was none and no variant has a rate."""
        if not self._finals:
            return next(iter(self._fastest()), None)
        if kept is not None and self._rates[kept]:
            faster = {one: gain for one in self._finals if (gain := self._gain(one, kept)) > STAYS}
            return max(faster, key=faster.__getitem__) if faster else kept
        standing = {one: self._standing(one) for one in self._finals}
        best = max(standing.values())
        return min((one for one in self._finals if standing[one] >= best - TIE), key=self._simplicity)

    def _gain(self, one: V, kept: V) -> float:
        """Return how much faster than the kept one it is, as a logarithm; -inf if that is not certain."""
        pairs = [found[one] - found[kept] for found in self._rounds if one in found and kept in found]
        if one == kept or len(pairs) < 2:
            return -math.inf
        gain, error = centre(pairs)
        return gain if gain > DOUBT * error else -math.inf


def centre(numbers: Sequence[float]) -> tuple[float, float]:
    """Return the mean of the numbers that are not FAR_OFF from their median, and its standard error; -inf without any.

    Standard deviations are 1.4826 times the median distance from the median.
    """
    if not numbers:
        return -math.inf, math.inf
    middle = median(numbers)
    width = FAR_OFF * 1.4826 * median(abs(one - middle) for one in numbers)
    near = [one for one in numbers if abs(one - middle) <= width]
    error = stdev(near) / math.sqrt(len(near)) if len(near) > 1 else math.inf
    return sum(near) / len(near), error
