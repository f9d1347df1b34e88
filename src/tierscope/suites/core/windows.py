"""The windows of pages that show what trains the prefetcher, and how far ahead it fetches."""

from dataclasses import dataclass

from msgspec.structs import replace

from tierscope.plans import Plan
from tierscope.record.work.loop import LoopWork
from tierscope.suites.core.ask import (
    AHEAD,
    FEW_TRAINED,
    STREAMS,
    STRIDES,
    TRAINED,
    Fetch,
    irregular,
    stream,
)
from tierscope.suites.core.asker import Asker
from tierscope.suites.core.fetch import Bound, farthest, fewest, next_size
from tierscope.suites.core.fetch import Share as Saved

UNTRAINED = 6  # visits of other windows, where no number of TRAINED was enough
ROUNDS = 12  # halvings of the unknown range, at most


@dataclass(frozen=True)
class Fetches:
    """Windows with and without their last line, and the time that the prefetcher saved.

    Windows that do not fit a page are left out: a page of 4 KiB has 64 lines, or 16 of 256 bytes.
    """

    asker: Asker

    def ask(self, works: list[LoopWork]) -> Plan:
        for work in filter(self.asker.fits, works):
            for apart in (0, 1):
                yield from self.asker.ask("fetch", replace(work, apart=apart))

    def saved(self, wanted: Fetch) -> dict[int, Saved]:
        times = self.asker.times("fetch")
        latency = self.asker.times("latency").get(LoopWork(chains=1), (0.0, 0.0))[0]
        return wanted.shares(times, latency)

    def sized(self, wanted: Fetch, sizes: tuple[int, ...]) -> Plan:
        """Yield points of these sizes, then points between the last that is fetched and the next."""
        yield from self.ask([wanted.work(size) for size in sizes])
        for _ in range(ROUNDS):
            more = next_size(self.saved(wanted))
            if more is None or wanted.work(more) in self.asker.times("fetch"):
                return
            yield from self.ask([wanted.work(more)])


def fetches(asker: Asker) -> Plan:
    """Yield the windows that show what trains the prefetcher, and how far ahead it fetches.

    Nothing where no line of a page shows that patterns are not learned: then no answer would be known.
    """
    probes, distance = Fetches(asker), irregular(asker.line)
    if distance is None:
        return
    for parity in ("even", "odd"):
        for down in (0, 1):
            yield from probes.ask([LoopWork(chains=1, train=1, ahead=1, down=down, parity=parity)])
    yield from probes.ask([Fetch("irregular").work(distance)])
    for down in (0, 1):
        yield from probes.ask([Fetch("train", down=down).work(n) for n in TRAINED])
    yield from streams_up(probes)
    up, falling = (fewest(probes.saved(Fetch("train", down=down))) for down in (0, 1))
    train = enough(up) or enough(falling) or UNTRAINED
    yield from probes.ask([Fetch("stride", train=train).work(n) for n in STRIDES])
    for down in (0, 1):
        yield from probes.sized(Fetch("ahead", train=train, down=down), AHEAD)
    if farthest(probes.saved(Fetch("ahead", train=train))).low:
        yield from probes.sized(Fetch("streams", train=train), STREAMS)


def streams_up(probes: Fetches) -> Plan:
    """Yield a stream along a page. It decides where no number of visits is enough, compared with a line alone. The
    questions about the next line ask for that.
    """
    yield from probes.asker.ask("fetch", stream(probes.asker.line))


def kind(asker: Asker) -> Plan:
    """Yield the windows that show the kind of prefetcher: whether next lines or strides upwards are fetched."""
    probes, distance = Fetches(asker), irregular(asker.line)
    if distance is None:
        return
    yield from probes.ask([LoopWork(chains=1, train=1, ahead=1, parity="odd")])
    yield from probes.ask([Fetch("irregular").work(distance)])
    yield from probes.ask([Fetch("train").work(n) for n in FEW_TRAINED])
    yield from streams_up(probes)


def enough(visits: Bound) -> int:
    """Return visits that were enough; 0 if none were. More may be too many: then a late line is still on its way."""
    return visits.low if visits.why else visits.high
