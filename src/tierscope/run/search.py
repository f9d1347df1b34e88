"""A search for the fastest of many variants by short noisy trials, within a time.

1. The guesses are tried.
2. Then batches of BATCH variants follow: those that may be the fastest by what all trials say (`stats.field`), each
   with a boldness drawn at random. Variants next to the best come first by themselves, as they share most with it.
3. What is next to the best is tried, where that was not done: half and double distances, other streams and lines.
4. The best by then, and simpler ones that may be as fast, are the finalists: they alternate in rounds of longer trials,
   in another order each. One that is slower beyond doubt leaves.
5. The fastest wins, or the simplest that is not slower by more than TIE and not slower beyond doubt.

The search ends early if nothing can be expected of it.
Source: N. Srinivas et al., "Gaussian Process Optimization in the Bandit Setting", ICML 2010; the boldness at random:
J. Berk et al., "Randomised Gaussian Process Upper Confidence Bound for Bayesian Optimisation", IJCAI 2020.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from tierscope.stats.field import Field

V = TypeVar("V")
Floats = npt.NDArray[np.float64]

BATCH = 8  # trials between two looks at all of them, which take some 5 ms
MOST = 150  # trials of the search
EXPLORED = 0.7  # of the time, at most
FASTEST, SIMPLER = 3, 2  # finalists
FINAL_LENGTH = 2.5  # of a trial of a finalist, in those of others
ROUNDS = 18  # of the final, at most
LEAST_ROUNDS = 3  # between two looks at the finalists
LEAST_BOLD, BOLD = 0.5, 1.5  # standard deviations over the mean
TIE = 0.01  # a variant that is slower by no more is as fast
DOUBT = 2.0  # standard deviations beyond which a difference is there
AROUND, STEPS = 8, 3  # variants next to the best, looked at so often: the best may be another one then
SLOW = 2.5  # standard deviations: a variant whose only trial was that much slower than expected gets another one
GAIN = 0.003  # a search that can expect less ends
LEARNT = 1.6  # times as many trials as when the sizes were chosen last


@dataclass(frozen=True, slots=True)
class Found(Generic[V]):
    """All variants that were tried, the chosen one first, with the medians of their rates."""

    order: tuple[tuple[V, float | None], ...]
    trials: int
    tied: bool  # the chosen one is a simpler one than the fastest, and as fast


class Search(Generic[V]):
    """One search. rate(variant, length): a trial; None where it had no clean moment. clock: seconds."""

    def __init__(
        self,
        variants: Sequence[V],
        alike: Sequence[Floats],
        guesses: Sequence[int],
        simplicity: Callable[[V], tuple[int, ...]],
        rate: Callable[[V, float], float | None],
        clock: Callable[[], float],
        seed: int = 1995,
    ) -> None:
        self._variants, self._guesses, self._rate, self._clock = variants, guesses, rate, clock
        self._rank = {number: place for place, number in enumerate(sorted(
            range(len(variants)), key=lambda number: (simplicity(variants[number]), number)
        ))}  # fmt: skip
        self._field = Field(alike)
        self._draw = np.random.default_rng(seed)
        self._tried: dict[int, list[float]] = {}
        self._learnt = 0
        self._count = 0

    def run(self, seconds: float) -> Found[V]:
        """Search for so long; the guesses are tried in any case."""
        began = self._clock()
        for number in self._guesses:
            self._try(number, 1.0)
        while self._clock() - began < EXPLORED * seconds and self._count < MOST and len(self._field):
            chosen = self._promising()
            if not chosen:
                break
            for number in chosen:
                self._try(number, 1.0)
        for _ in range(STEPS if len(self._field) else 0):
            self._look_around()
        return self._final(began + seconds)

    def _look_around(self) -> None:
        """Try what is most like the best and was not tried: half and double distances, other streams and lines."""
        best = int(np.argmax(self._field.belief().mean))
        for number in self._field.nearest(best, AROUND):
            if number not in self._tried:
                self._try(number, 1.0)

    def _try(self, number: int, length: float) -> None:
        at, rate = self._clock(), self._rate(self._variants[number], length)
        rates = self._tried.setdefault(number, [])
        self._count += 1
        if rate:
            rates.append(rate)
            self._field.add(number, at, rate, length)

    def _learn(self) -> None:
        if len(self._field) >= LEARNT * self._learnt:
            self._field.learn()
            self._learnt = len(self._field)

    def _promising(self) -> list[int]:
        """Return the variants that may be the fastest; none if no gain can be expected."""
        self._learn()
        mean, deviation = self._field.belief()
        best = int(np.argmax(mean))
        if self._count >= 2 * len(self._guesses) and np.max(mean + deviation) - mean[best] < GAIN:
            return []
        chosen = self._field.slow(SLOW)[:BATCH]
        for boldness in LEAST_BOLD + self._draw.exponential(BOLD, size=BATCH - len(chosen)):
            bound = mean + boldness * deviation
            bound[chosen] = -np.inf
            chosen.append(int(np.argmax(bound)))
        return list(dict.fromkeys(chosen))

    def _final(self, until: float) -> Found[V]:
        left = self._finalists() if len(self._field) else []
        for turn in range(ROUNDS if len(left) > 1 else 0):
            for number in self._draw.permutation(left).tolist():
                self._try(number, FINAL_LENGTH)
            if turn % LEAST_ROUNDS == LEAST_ROUNDS - 1:
                left = self._remaining(left)
            if len(left) < 2 or self._clock() >= until:
                break
        return self._found()

    def _finalists(self) -> list[int]:
        """Return the best by what is known, and simpler ones that may be as fast."""
        self._field.learn()
        mean, deviation = self._field.belief()
        order = [int(n) for n in np.argsort(0.5 * deviation - mean)[:FASTEST]]
        as_fast = mean + np.minimum(deviation, TIE) >= mean.max() - TIE
        simpler = [int(n) for n in np.flatnonzero(as_fast) if n not in order]
        return order + sorted(simpler, key=self._rank.__getitem__)[:SIMPLER]

    def _remaining(self, left: list[int]) -> list[int]:
        """Return the finalists without those that are slower beyond doubt."""
        mean = self._field.belief().mean
        best = max(left, key=lambda number: mean[number])
        found = self._field.differences(left, best)
        return [n for n, m, d in zip(left, *found, strict=True) if n == best or m + DOUBT * d > -TIE / 2]

    def _found(self) -> Found[V]:
        known = {number: float(np.median(rates)) for number, rates in self._tried.items() if rates}
        if not known:
            unrated = tuple((self._variants[n], None) for n in self._tried)
            return Found(unrated, self._count, tied=False)
        self._field.learn()
        mean, deviation = self._field.belief()
        best = max(known, key=lambda number: mean[number] - 0.5 * deviation[number])
        chosen = self._simplest(best, list(known))
        rest = sorted((n for n in self._tried if n != chosen), key=lambda n: -known.get(n, 0.0))
        order = tuple((self._variants[n], known.get(n)) for n in (chosen, *rest))
        return Found(order, self._count, tied=chosen != best)

    def _simplest(self, best: int, known: list[int]) -> int:
        """Return the simplest of those that are as fast as the best one."""
        mean, deviation = self._field.differences(known, best)
        known_of = zip(known, mean, deviation, strict=True)
        even = [number for number, m, d in known_of if m >= -min(TIE, DOUBT * d) and d < TIE]
        return min([best, *even], key=self._rank.__getitem__)
