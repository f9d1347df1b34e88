"""An imagined fleet: hosts with noise, tails, hidden kinds and planted faults, as arrays of logarithms.

value = healthy level of the host + fault + noise of the session, AR(1) over the days, + median of five repeats, of
which each is disturbed with 20 % chance (slower by an exponential of mean 3 %). The healthy level has a part that all
metrics of a host share (correlation 0.5). Signs are such that higher is faster.
"""

from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from tierscope.arrays import Floats, Places, Truths
from tierscope.errors import UsageError
from tierscope.fleet.imagine_options import ImagineOptions, Truth, planted

REPEATS, DISTURBED, DISTURBANCE = 5, 0.2, 0.03


@dataclass(frozen=True)
class Fleet:
    """Arrays of one fleet. level: (hosts, metrics); kind: slower DIMM kind; truth: what was planted."""

    options: ImagineOptions
    names: tuple[str, ...]
    level: Floats
    kind: Truths
    truth: Truth

    def fault(self, day: int) -> Floats:
        """Return what the faults add on one day, (hosts, metrics), at most 0."""
        found = np.zeros_like(self.level)
        loss = np.log1p(-self.options.size)
        place = {name: number for number, name in enumerate(self.names)}
        for name in self.truth.faults.get("slow", ()):
            found[place[name]] += loss
        for name in self.truth.faults.get("metric", ()):
            found[place[name], self.truth.metric[name]] += loss
        for kind in ("step", "drift"):
            for name in self.truth.faults.get(kind, ()):
                found[place[name]] += loss * self._grown(kind, self.truth.day[name], day)
        if "fleet" in self.truth.faults and day >= self.truth.day[""]:
            found += loss
        return found

    def _grown(self, kind: str, first: int, day: int) -> float:
        if kind == "step":
            return float(day >= first)
        return min(1.0, max(0.0, (day - first) / max(1, (self.options.days - 1 - first) / 2)))


def imagine(options: ImagineOptions) -> Fleet:
    """Return the hosts with their healthy levels and faults; equal options give equal fleets.

    UsageError for a first or a last day that the calendar does not have.
    """
    try:
        date.fromisoformat(options.start) + timedelta(days=options.days)
    except (ValueError, OverflowError) as error:
        raise UsageError(f"start={options.start} and {options.days} days: {error}; try start=2026-01-01") from error
    count = options.machines
    draw = np.random.default_rng([options.seed, 1])
    names = tuple(f"host{number:0{len(str(max(count - 1, 0)))}d}" for number in range(count))
    level = (_healthy(draw, (count, 1), options) + _healthy(draw, (count, options.metrics), options)) * np.sqrt(0.5)
    kind = draw.random(count) < (options.kinds_share if options.kinds_apart else 0.0)
    level[kind] += np.log1p(-options.kinds_apart)
    truth = _truth(options, names, kind, draw)
    return Fleet(options, names, level, kind, truth)


def _healthy(draw: np.random.Generator, shape: tuple[int, int], options: ImagineOptions) -> Floats:
    if options.tails == "t3":  # scaled to the same middle: the quartiles of a normal law with this spread
        return np.asarray(draw.standard_t(3, shape) * options.spread * 0.6745 / 0.7649)
    return np.asarray(draw.normal(0, options.spread, shape))


def _truth(options: ImagineOptions, names: tuple[str, ...], kind: Truths, draw: np.random.Generator) -> Truth:
    counts = planted(options)
    order = iter(draw.permutation(len(names)).tolist())
    faults = {
        fault: tuple(names[next(order)] for _ in range(count)) if fault != "fleet" else ()
        for fault, count in counts.items()
        if count
    }
    changed = [name for fault in ("step", "drift") for name in faults.get(fault, ())]
    first, last = options.days // 3, max(options.days // 3 + 1, options.days * 2 // 3)
    day = {name: int(draw.integers(first, last)) for name in changed}
    return Truth(
        options=options,
        faults=faults,
        metric={name: int(draw.integers(options.metrics)) for name in faults.get("metric", ())},
        day=day | ({"": options.days // 2} if "fleet" in faults else {}),
        slower_kind=tuple(name for name, slow in zip(names, kind.tolist(), strict=True) if slow),
    )


class Sessions:
    """Draws one session after another: the noise of each day depends on that of the day before."""

    def __init__(self, fleet: Fleet, stream: int = 2) -> None:
        self._fleet = fleet
        self._draw = np.random.default_rng([fleet.options.seed, stream])
        self._shared: Floats | None = None

    def next(self, day: int, hosts: Places | None = None) -> Floats:
        """Return the measured logarithms of a day, (hosts, metrics); of these hosts alone, without memory, if given."""
        fleet, options = self._fleet, self._fleet.options
        every = fleet.level + fleet.fault(day)
        if hosts is not None:
            return every[hosts] + self._session(len(hosts)) + self._repeats(len(hosts))
        fresh = self._session(len(every))
        keep = options.memory if self._shared is not None else 0.0
        before = self._shared if self._shared is not None else fresh
        self._shared = keep * before + np.sqrt(1 - keep**2) * fresh
        return every + self._shared + self._repeats(len(every))

    def _session(self, hosts: int) -> Floats:
        size = (hosts, self._fleet.options.metrics)
        return np.asarray(self._draw.normal(0, self._fleet.options.session_noise, size))

    def _repeats(self, hosts: int) -> Floats:
        size = (REPEATS, hosts, self._fleet.options.metrics)
        noise = self._draw.normal(0, self._fleet.options.run_noise, size)
        noise -= (self._draw.random(size) < DISTURBED) * self._draw.exponential(DISTURBANCE, size)
        return np.asarray(np.median(noise, axis=0))
