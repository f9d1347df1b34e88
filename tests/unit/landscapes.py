"""Made machines on which the fastest loop variant is known: a true rate for each variant, and trials with noise.

`peak` has one best place and falls off around it. `parts` adds random effects of each choice and of pairs of choices.
`rough` is `parts` with an effect of each variant alone. `machine` follows from latency, lines in flight, streams and
distances that its prefetcher follows, all drawn at random. Trials have white noise, now and then a disturbance, and a
drift that is common to all variants.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from tierscope.arrays import Floats
from tierscope.run.candidates import Candidate

TRIAL_S, SET_UP_S = 0.010, 0.003  # of a trial, as seen on a quiet guest


@dataclass
class Made:
    """Rates of the variants, and trials of them. noise: standard deviation of a trial of length 1."""

    rates: Floats
    seed: int
    noise: float = 0.015
    disturbed: float = 0.05  # share of the trials
    drift: float = 0.03
    now: float = 0.0
    draw: np.random.Generator = field(init=False)
    _level: float = 0.0

    def __post_init__(self) -> None:
        self.draw = np.random.default_rng(self.seed)

    def clock(self) -> float:
        """Return the time that trials took."""
        return self.now

    def trial(self, number: int, length: float) -> float:
        """Return what a trial of a variant shows."""
        lasts = TRIAL_S * length + SET_UP_S
        self.now += lasts
        keep = np.exp(-lasts / 0.3)
        self._level = keep * self._level + self.drift * np.sqrt(1 - keep**2) * self.draw.normal()
        shown = self._level + self.draw.normal(0, self.noise / np.sqrt(length))
        if self.draw.random() < self.disturbed:
            shown -= self.draw.uniform(0.05, 0.7)
        return float(self.rates[number] * np.exp(shown))

    def share(self, number: int) -> float:
        """Return the rate of a variant over that of the best one."""
        return float(self.rates[number] / self.rates.max())


def _choices(variants: Sequence[Candidate]) -> Floats:
    """Shape (variants, choices): ordinal numbers of ISA, streams, unroll, pages, distances."""
    isas = sorted({one.isa for one in variants})
    rows = [
        (
            isas.index(one.isa), np.log2(one.work.streams), np.log2(one.work.unroll),
            one.work.interleave_bytes > 0, *(np.log2(d) - 6 if d else 0 for d in _distances(one)),
        )
        for one in variants
    ]  # fmt: skip
    return np.array(rows, dtype=np.float64)


def _distances(one: Candidate) -> tuple[int, int]:
    return one.work.prefetch_bytes, one.work.prefetchw_bytes


def peak(variants: Sequence[Candidate], draw: np.random.Generator) -> Floats:
    """The best variant is drawn; each step away from it in a choice costs a part that is drawn, too."""
    places = _choices(variants)
    costs = draw.uniform(0.01, 0.08, places.shape[1])
    away = np.abs(places - places[draw.integers(len(places))])
    return np.asarray(1e8 * np.exp(-np.minimum(away, 4) @ costs))


def parts(variants: Sequence[Candidate], draw: np.random.Generator) -> Floats:
    """Effects of each choice, then of each pair of choices, without any order among the values of a choice."""
    places = _choices(variants)
    logs = np.zeros(len(places))
    for size, columns in [(0.06, [c]) for c in range(places.shape[1])] + [
        (0.02, list(pair)) for pair in combinations(range(places.shape[1]), 2)
    ]:
        _, level = np.unique(places[:, columns], axis=0, return_inverse=True)
        logs += draw.normal(0, size, level.max() + 1)[level.ravel()]
    return np.asarray(1e8 * np.exp(logs))


def rough(variants: Sequence[Candidate], draw: np.random.Generator) -> Floats:
    """The same, and an effect of each variant alone."""
    return np.asarray(parts(variants, draw) * np.exp(draw.normal(0, 0.01, len(variants))))


def machine(variants: Sequence[Candidate], draw: np.random.Generator) -> Floats:
    """Lines in flight over latency, bounded by the bus: see the comments."""
    isa, streams, unroll, paged, loads, stores = _choices(variants).T
    latency, in_flight = draw.uniform(80, 250), draw.uniform(12, 60)  # ns; lines
    followed, ahead = draw.uniform(2, 20), draw.uniform(0.5, 4)  # streams of the prefetcher; lines of each
    wanted, width = draw.uniform(1.5, 6), draw.uniform(0.3, 2.0)  # the right distance, log2 of lines; its tolerance
    hardware = np.minimum(2.0**streams, followed) * ahead * (1 - 0.3 * paged * draw.random())
    useful = np.exp(-(((loads - wanted) / width) ** 2) / 2) * (loads > 0)
    owned = np.exp(-(((stores - wanted + 1) / width) ** 2) / 2) * (stores > 0)
    flight = 4 + hardware + 12 * useful + 6 * owned * draw.random()
    flight = in_flight * (1 - np.exp(-flight / in_flight))
    misses = 1 + draw.uniform(0, 0.02) * np.maximum(2.0**streams - 8, 0) + draw.uniform(0, 0.1) * paged
    work = draw.uniform(0.1, 1.5) * (1 + 0.3 * (loads > 0) / 2.0**unroll) / (1 + draw.uniform(0, 0.6) * isa)
    bank = 1 + draw.uniform(0, 0.2) * np.abs(streams - draw.uniform(0, 4)) / 4
    return np.asarray(1e9 / (latency * misses * bank / flight + work))


KINDS: dict[str, Callable[[Sequence[Candidate], np.random.Generator], Floats]] = {
    "peak": peak, "parts": parts, "rough": rough, "machine": machine,
}  # fmt: skip


def slopes(best: Candidate, one: Candidate) -> float:
    """Return the speed of a variant on a machine with a known best: 4 % less for each step away from it."""
    there, here = _choices([best])[0], _choices([one])[0]
    return float(1.2e8 * np.exp(-0.04 * np.sum(np.minimum(np.abs(there - here), 3)) - 0.1 * (best.isa != one.isa)))


def flat(variants: Sequence[Candidate]) -> Floats:
    """All are as fast."""
    return np.full(len(variants), 1e8)
