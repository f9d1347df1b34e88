"""The parameters of a core that the points of one target show, one row each.

    cycle          = time of a sum that waits for the one before                                    [s]
    width          = fillers / (time / cycle), of the faster one of mix and integers                 [1]
    reorder buffer = fillers that fit between two loads, and one load more                          [1]
    branch miss    = 2 (time with a random branch - time never taken) / cycle                       [cycles]

A random bit is predicted correctly half of the time, so half of the branches miss. A parameter that another one could
hide is `at least`, with the reason. Sources: see `suites.core.experiments`.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from tierscope.stats.median import Interval
from tierscope.suites.core.coded import coded_rows
from tierscope.suites.core.fetched import fetched_rows
from tierscope.suites.core.flight import Flight, flight_of
from tierscope.suites.core.parameter import AT_LEAST, KNOWN, UNKNOWN, Made
from tierscope.suites.core.points import CodePoints, Points, interval
from tierscope.suites.core.row import CoreRow
from tierscope.suites.core.spread import spread_rows
from tierscope.suites.core.step import Step, step_of
from tierscope.suites.core.walks import walk_rows

MERGED = 1.1  # nops per cycle over the fastest of UNITS: above it, some take no entry
CLOCK = 0.04  # by which the clock of a core changes between the loop that shows a cycle and another one
REGISTERS = 0.9  # of what the registers of a part allow: from here they may be the limit
FILLS = 0.8  # of the reorder buffer
LOADS = 1.13  # instructions of a line, with those of the loop
NEAR = 1.25  # factor on the fastest time in which the core issues loads: below it, that may be the limit
MORE = 1.25  # factor of the bandwidth of all threads on that of one: above it, memory is not the limit of one
ALIKE = 0.15  # relative: levels that agree
GUESSED = 0.5  # cycles: what dispatch and the end of the loop may hide of a miss
FILLERS = ("nop", "integer", "vector", "mix", "result")
UNITS = ("mix", "integer")  # fillers that no core drops
APART = 1.5  # the ends of a width: from here on, a part of the visits met another core than the others
CHANGES = "the time of its loops changes too much from visit to visit"


def parameters(points: Points, code: CodePoints, made: Made) -> list[CoreRow]:
    """Return the rows. points, code: of one target, that of `made`."""
    return list(Core(points, code, made).rows())


@dataclass
class Core:
    points: Points
    code: CodePoints
    made: Made
    cycle: tuple[float, float] | None = None

    def rows(self) -> Iterator[CoreRow]:
        self.cycle = self._cycle()
        if self.cycle is None:
            yield self.made.unknown("cycle", "", "cycles", "its point has no time")
            return
        seconds, half = self.cycle
        yield self.made.known("cycle", "", interval(1, 0, 1), "cycles", seconds=interval(seconds, half, 1))
        rates = self._rates()
        yield from self._widths(rates)
        steps = {filler: step_of(pairs) for filler in FILLERS if (pairs := self.points.pairs("window", filler))}
        for filler, step in steps.items():
            yield self._window(filler, step)
        reorder = self._reorder(steps, rates) if steps else None
        if reorder:
            yield reorder
        if pairs := self.points.pairs("store", "store"):
            yield self._stores(step_of(pairs), len(pairs), reorder)
        pairs = self.points.pairs("load", "load")
        results, loads = steps.get("result"), step_of(pairs)
        if self.points.asked("load"):
            yield self._loads(loads, len(pairs), reorder, results)
        places = min((one.low for one in (results, loads) if one and one.high is not None), default=math.inf)
        yield from self._flights(rates, reorder, places)
        if miss := self._guess():
            yield miss
        yield from walk_rows(self.points, self.made)
        yield from spread_rows(self.points, self.made, steps, seconds / self._slowest(rates))
        yield from fetched_rows(self.points, self.made)
        latencies = {level: time for level in self.code.sizes() for time in self.points.times("code", level).values()}
        yield from coded_rows(self.code, latencies, seconds, self.made)

    def _cycle(self) -> tuple[float, float] | None:
        for work, (seconds, half) in self.points.times("cycle").items():
            return seconds / work.fillers, half / work.fillers
        return None

    @staticmethod
    def _slowest(rates: dict[str, Interval]) -> float:
        """Return the instructions per cycle of the slower one of nops and integers; 1 where it is not known."""
        return min((rates[filler].middle for filler in ("nop", "integer") if filler in rates), default=1.0)

    def _in_cycles(self, seconds: float, half: float) -> tuple[float, float]:
        assert self.cycle
        cycles = seconds / self.cycle[0]
        return cycles, math.hypot(half / self.cycle[0], cycles * self.cycle[1] / self.cycle[0])

    def _rates(self) -> dict[str, Interval]:
        found = {}
        for work, (seconds, half) in self.points.times("width").items():
            cycles, off = self._in_cycles(seconds, half)
            rate = work.fillers / cycles
            found[work.filler] = interval(rate, rate * off / cycles + rate / work.fillers, 1)
        return found

    def _widths(self, rates: dict[str, Interval]) -> Iterator[CoreRow]:
        unit = "instructions a cycle"
        for filler, rate in rates.items():
            yield self.made.known("rate", filler, rate, unit)
        nop, best = rates.get("nop"), _best(rates)
        if nop is None or best is None:
            if self.points.asked("width"):
                yield self.made.unknown("width", "", unit, CHANGES)
            return
        if nop.middle > MERGED * best.middle:
            why = f"nops are {nop.middle / best.middle:.1f}x as fast: they are merged, or other units limit the others"
            least = in_wholes(best, best.high)
            yield self.made.at_least("width", "", Interval(least.low, least.low, least.low, 1), unit, why)
            return
        width = in_wholes(best, max(best.high, nop.high))
        if width.high > APART * width.low and not self.made.documented("width"):
            yield self.made.unknown("width", "", unit, CHANGES)
        else:
            yield self.made.known("width", "", width, unit)

    def _window(self, filler: str, step: Step) -> CoreRow:
        count = len(self.points.pairs("window", filler))
        if step.high is None:
            return self._no_step("window", filler, step, count)
        return self.made.known("window", filler, _fits(step, count), "instructions")

    def _no_step(self, parameter: str, level: str, step: Step, count: int, unit: str = "instructions") -> CoreRow:
        if not step.low:
            return self.made.unknown(parameter, level, unit, step.why, count)
        return self.made.at_least(parameter, level, Interval(step.low, step.low, step.low, count), unit, step.why)

    def _reorder(self, steps: dict[str, Step], rates: dict[str, Interval]) -> CoreRow:
        """Return the size from nops, unless these are merged; else from the mix, unless registers may limit it."""
        nop, mix = steps.get("nop"), steps.get("mix")
        best = _best(rates)
        merged = "nop" not in rates or best is None or rates["nop"].middle > MERGED * best.middle
        count = sum(len(self.points.pairs("window", filler)) for filler in steps)
        if nop and nop.high is not None and not merged:
            if mix and mix.high is not None and mix.low > nop.high:
                return self.made.at_least(
                    "reorder buffer", "", _fits(mix, count), "instructions", "nops end sooner than the mix"
                )
            return self.made.known("reorder buffer", "", _fits(nop, count), "instructions")
        if mix is None or mix.high is None:
            found = mix or nop or Step(0, None, "no filler was measured")
            return self._no_step("reorder buffer", "", found, count)
        room = self._mixed(steps)
        if room is not None and mix.high < REGISTERS * room:
            return self.made.known("reorder buffer", "", _fits(mix, count), "instructions")
        why = "nops take no entry of their own here, and registers may be what limits the mix"
        if not merged:
            why = f"registers may be what limits the mix, and of nops {nop.why if nop else 'none was measured'}"
        if "nop" not in rates and self.points.asked("width"):
            why = f"registers may be what limits the mix, and nops may be merged: {CHANGES}"
        return self.made.at_least("reorder buffer", "", _fits(mix, count), "instructions", why)

    @staticmethod
    def _mixed(steps: dict[str, Step]) -> float | None:
        """Return how many fillers of the mix the registers allow: half of them take one of each file."""
        integer, vector = steps.get("integer"), steps.get("vector")
        if not integer or not vector or integer.high is None or vector.high is None:
            return None
        return min(2.0 * integer.low, 2.0 * vector.low)

    def _stores(self, step: Step, count: int, reorder: CoreRow | None) -> CoreRow:
        if step.high is None:
            return self._no_step("store buffer", "", step, count, "stores")
        found = Interval(step.low, (step.low + step.high - 1) / 2, step.high - 1, count)
        if reorder is None or reorder.value is None or reorder.answer not in (KNOWN, AT_LEAST):
            return self.made.at_least(
                "store buffer", "", found, "stores", "the reorder buffer, which may fill first, is not known"
            )
        if step.high >= REGISTERS * reorder.value.low:
            return self.made.at_least("store buffer", "", found, "stores", "the reorder buffer fills first")
        return self.made.known("store buffer", "", found, "stores")

    def _loads(self, step: Step, count: int, reorder: CoreRow | None, results: Step | None) -> CoreRow:
        """Return the size of the load buffer, which contains the two loads, too. Each load also takes a register."""
        if step.high is None:
            return self._no_step("load buffer", "", step, count, "loads")
        found = Interval(step.low + 2, (step.low + step.high + 3) / 2, step.high + 1, count)
        if (
            reorder is None
            or reorder.value is None
            or reorder.answer not in (KNOWN, AT_LEAST)
            or not (results and results.low)
        ):
            why = "the reorder buffer and the registers, which may fill first, are not known"
        elif step.high >= REGISTERS * reorder.value.low:
            why = "the reorder buffer fills first"
        elif step.high >= REGISTERS * results.low:
            why = "registers run out first"
        else:
            return self.made.known("load buffer", "", found, "loads")
        return self.made.at_least("load buffer", "", found, "loads", why)

    def _flights(self, rates: dict[str, Interval], reorder: CoreRow | None, places: float) -> Iterator[CoreRow]:
        found = {
            level: flight_of(self.points.lines(level, self.points.threads(level))) for level in self.points.levels()
        }
        every = next((level for level in found if level.endswith("all threads")), None)
        for level, flight in found.items():
            count = len(self.points.lines(level))
            value = Interval(flight.low, flight.middle, flight.high, count)
            why = flight.why
            if not why and level == every:
                share = "the cores themselves" if self._scales(found, every) else "memory, or a part that cores share"
                yield self.made.known("lines in flight", level, value, "lines", why=f"limited by {share}")
                continue
            why = why or self._hidden(level, flight, found, every, rates, reorder, places)
            if why and not flight.middle:
                yield self.made.unknown("lines in flight", level, "lines", why, count)
            elif why:
                yield self.made.at_least("lines in flight", level, value, "lines", why)
            else:
                yield self.made.known("lines in flight", level, value, "lines")

    def _scales(self, found: dict[str, Flight], every: str) -> bool:
        """Return whether all threads together had as many lines as each alone, multiplied by their number."""
        one, threads = found.get("memory"), self.points.threads(every)
        return bool(one and found[every].plateau_s * threads < one.plateau_s * (1 + ALIKE))

    def _hidden(
        self, level: str, flight: Flight, found: dict[str, Flight], every: str | None, rates: dict[str, Interval],
        reorder: CoreRow | None, places: float,
    ) -> str:  # fmt: skip
        """Return what else than the core's lines could have ended the curve, or "".

        places: the smaller number of registers and of places for loads, since each load takes both; inf: not known.
        """
        assert self.cycle
        if reorder is None or reorder.value is None:
            return "the reorder buffer, which may fill first, is not known"
        if flight.high * LOADS >= FILLS * reorder.value.low:
            return "the reorder buffer fills first"
        if flight.high >= FILLS * places:
            return "registers, or the places for loads, run out first"
        mix = rates.get("mix")
        if mix is None or flight.plateau_s < NEAR * LOADS * self.cycle[0] / mix.middle:
            return "the core issues loads no faster"
        agree = any(
            abs(other.middle - flight.middle) < ALIKE * flight.middle and not other.why
            for name, other in found.items()
            if name not in (level, every)
        )
        if level == "memory" and every and not found[every].why and flight.plateau_s > MORE * found[every].plateau_s:
            return ""
        return "" if agree else "memory, or the cache, may be what limits a thread"

    def _guess(self) -> CoreRow | None:
        times = {work.random: (time, work.fillers) for work, time in self.points.times("guess").items()}
        if set(times) != {0, 1}:
            return None
        (drawn, its), guesses = times[1]
        (never, other), _ = times[0]
        seconds, half = 2 * (drawn - never) / guesses, 2 * math.hypot(its, other) / guesses
        if seconds <= half:
            return self.made.unknown("branch miss", "", "cycles", "a branch on a random number costs no more", 2)
        cycles, off = self._in_cycles(seconds, half)
        return self.made.known(
            "branch miss", "", interval(cycles, off + GUESSED, 2), "cycles", seconds=interval(seconds, half, 2)
        )


def _best(rates: dict[str, Interval]) -> Interval | None:
    """Return the rate of the fastest fillers that no core drops; None without any."""
    return max((rates[filler] for filler in UNITS if filler in rates), key=lambda rate: rate.middle, default=None)


def in_wholes(rate: Interval, most: float) -> Interval:
    """Return the whole numbers from `rate` to `most`, since no core takes a part of an instruction per cycle.

    The clock may change by CLOCK between two loops. `rate` itself is returned where no whole number is that close.
    """
    first, last = math.ceil(rate.low * (1 - CLOCK)), math.floor(most * (1 + CLOCK))
    if first > last:
        return Interval(rate.low, rate.middle, most, rate.count)
    return Interval(float(first), min(max(rate.middle, first), last), float(last), rate.count)


def _fits(step: Step, count: int) -> Interval:
    """Return the size of a buffer that the fillers and one or two loads fill, from the two bounds of the step."""
    assert step.high is not None
    low, high = step.low + 1, step.high + 1
    return Interval(low, (low + high) / 2, high, count)


__all__ = ["AT_LEAST", "KNOWN", "UNKNOWN", "parameters"]
