"""The findings on the prefetchers from the windows: what trains them, and how far ahead they fetch.

A prefetcher that learns which lines of a page an instruction visits fetches any line that always follows. If it fetches
the line at the distance `irregular`, no other answer shows what else trains it: the others are then `not known`.
"""

from collections.abc import Iterator, Mapping

from tierscope.record.work.loop import LoopWork
from tierscope.stats.median import Interval
from tierscope.suites.core.ask import GAP, Fetch, is_stream, share_of
from tierscope.suites.core.fetch import Bound, Share, farthest, fewest, streamed
from tierscope.suites.core.parameter import Made
from tierscope.suites.core.points import LoopTimes, Points
from tierscope.suites.core.row import CoreRow

LEARNED = "a prefetcher that learns which lines follow fetched a line to which neither the next line nor a stride leads"
WAYS = {0: "up", 1: "down"}


def fetched_rows(points: Points, made: Made) -> Iterator[CoreRow]:
    """Yield the rows of the prefetchers; none if no windows were measured."""
    times = points.times("fetch")
    latency = points.one("latency", LoopWork(chains=1))
    if not times or latency is None:
        return
    answers = _Answers(times, latency[0], made)
    lines, irregular = next(iter(answers.shares(Fetch("irregular")).items()), (0, None))
    learned = irregular.fetched if irregular else None
    yield answers.pattern(irregular, lines)
    if learned is not False:
        why = LEARNED if learned else "whether one learns patterns is not sure enough"
        for parameter, level, unit in answers.names():
            yield made.unknown(parameter, level, unit, why, len(times))
        return
    yield from answers.next_lines()
    yield from answers.numbers()


class _Answers:
    def __init__(self, times: LoopTimes, latency_s: float, made: Made) -> None:
        self._times, self._latency_s, self._made = times, latency_s, made
        trains = [work.train for work in times if work.train and work.stride == GAP and work.ahead > GAP]
        self._train = max(trains, default=0)

    def shares(self, asked: Fetch) -> dict[int, Share]:
        return asked.shares(self._times, self._latency_s)

    def pattern(self, share: Share | None, lines: int) -> CoreRow:
        name, unit = ("pattern", ""), "lines"
        if share is None or share.fetched is None:
            return self._made.unknown(*name, unit, "its point is not sure enough", 2)
        if not share.fetched:
            return self._made.none(*name, unit, f"a line {lines} lines from one that is visited is not fetched", 2)
        return self._made.known(*name, Interval(lines, lines, lines, 2), unit)

    @staticmethod
    def names() -> tuple[tuple[str, str, str], ...]:
        return (
            *(("next line", level, "lines") for level in ("up", "down", "pair")),
            *(("visits that train", level, "lines") for level in WAYS.values()),
            ("widest stride", "up", "lines"),
            *(("lines ahead", level, "lines") for level in WAYS.values()),
            ("streams", "", "streams"),
        )

    def _next(self, down: int, parity: str) -> bool | None:
        work = LoopWork(chains=1, train=1, ahead=1, down=down, parity=parity)
        apart = LoopWork(chains=1, train=1, ahead=1, down=down, parity=parity, apart=1)
        if work not in self._times or apart not in self._times:
            return None
        return share_of(work, self._times[work], self._times[apart], self._latency_s).fetched

    def next_lines(self) -> Iterator[CoreRow]:
        """Yield whether next lines are fetched, in the same pair of lines and across pairs, as far as it was asked.

        The line after an odd one, and that before an even one, are in other pairs; the others are in the same.
        """
        asked = {work.down for work in self._times if work.train == 1 and work.parity}
        pair = (self._next(0, "even"), self._next(1, "odd"))
        across = {"up": self._next(0, "odd"), "down": self._next(1, "even")}
        both = None if None in pair else all(pair)
        for level, fetched in (*across.items(), ("pair", both)):
            if level != "up" and 1 not in asked:
                continue  # only lines upwards were asked for
            if fetched is None:
                yield self._made.unknown("next line", level, "lines", "its points are not sure enough", 2)
            elif fetched:
                yield self._made.known("next line", level, Interval(1, 1, 1, 2), "lines")
            else:
                yield self._made.none("next line", level, "lines", "", 2)

    def numbers(self) -> Iterator[CoreRow]:
        for down, level in WAYS.items():
            if shares := self.shares(Fetch("train", down=down)):
                yield self._trained(level, shares)
        if not self._train:
            return  # no more was asked for
        strides = self.shares(Fetch("stride", train=self._train))
        widest = farthest(strides)
        yield self._bounded("widest stride", "up", widest, 1, _listed(strides))
        for down, level in WAYS.items():
            bound = farthest(self.shares(Fetch("ahead", train=self._train, down=down)))
            yield self._bounded("lines ahead", level, bound, GAP, f"after {self._train} visits")
        if streams := self.shares(Fetch("streams", train=self._train)):
            yield self._bounded("streams", "", farthest(streams), 1)

    def _trained(self, level: str, shares: Mapping[int, Share]) -> CoreRow:
        """Return the visits that train a prefetcher. If no number is enough, a stream along a page decides: some cores
        wait for over ten visits, and fetch only a part of what follows.
        """
        found, name, unit = fewest(shares), "visits that train", "lines"
        if found.low or level != "up":
            return self._bounded(name, level, found, 1)
        fetched = self._streamed()
        if fetched is False and not found.why:
            lines = "that the next line alone leaves" if self._next(0, "odd") else "of its lines alone"
            return self._made.none(name, level, unit, f"and a stream along a page takes the time {lines}", 2)
        if fetched:
            least = 1 + max((n for n, share in shares.items() if share.fetched is False), default=0)
            why = "a stream along a page is fetched, and no shorter one is sure enough"
            return self._made.at_least(name, level, Interval(least, least, least, 2), unit, why)
        why = found.why or f"{max(shares)} visits of a page train none, and a stream along a page is not sure enough"
        return self._made.unknown(name, level, unit, why, 2)

    def _streamed(self) -> bool | None:
        alone = self._times.get(LoopWork(chains=1, train=1, ahead=1, parity="odd", apart=1))
        along = [time for work, time in self._times.items() if is_stream(work)]
        return streamed(along[0], alone, next_line=self._next(0, "odd") is True) if alone and along else None

    def _bounded(self, parameter: str, level: str, bound: Bound, times: int, note: str = "") -> CoreRow:
        unit = "streams" if parameter == "streams" else "lines"
        low, high = bound.low * times, bound.high * times + (times - 1 if bound.high else 0)
        if bound.low and bound.why and bound.low == bound.high:
            return self._made.at_least(parameter, level, Interval(low, low, low, 2), unit, bound.why)
        if bound.why:
            return self._made.unknown(parameter, level, unit, bound.why, 2)
        if not bound.low:
            return self._made.none(parameter, level, unit, "", 2)
        return self._made.known(parameter, level, Interval(low, (low + high) / 2, high, 2), unit, why=note)


def _listed(strides: dict[int, Share]) -> str:
    fetched = [str(stride) for stride in sorted(strides) if strides[stride].fetched]
    return f"of the strides {', '.join(map(str, sorted(strides)))}, those fetched are {', '.join(fetched) or 'none'}"
