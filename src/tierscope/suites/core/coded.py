"""The findings on how instructions come to a core, from the loops of much code.

    lines of code in flight = latency of that cache / time of a line of code there                [1]   (Little's law)
    unknown target          = time of a jump - that of the line that it waits for - 1              [cycles]

A chain of loads shows the latency. A load also waits for the nearest cache, which a fetch of instructions does not, and
a line keeps its place until the core has dispatched it. Prefetchers may have brought some of the lines that the loads
visit. So the time of a line in flight has a lower bound, the latency less that of the nearest cache, and an upper one,
HITS of the latency and the time of a near line.

A jump whose target is not known ends what is fetched ahead. So every second one, the first in its line, waits for the
line. Where the lines may be in the nearest cache, the cost has both bounds.
Blind to: whether the core or the cache limits the lines in flight; branches that are predicted wrong; a redirect of at
most 3 cycles, which counts as a known target, until a jump also waits for its line.
Source: J. D. C. Little, "A Proof for the Queuing Formula: L = lambda W", Operations Research 9, 1961.
"""

from collections.abc import Iterator, Mapping, Sequence

from tierscope.stats.median import Interval
from tierscope.suites.core.code import DENSE, LINE, NEAR_BYTES, SURE_BYTES, Jump, Targets, jumps, targets
from tierscope.suites.core.parameter import Made
from tierscope.suites.core.points import CodePoints, interval
from tierscope.suites.core.row import CoreRow

IN_FLIGHT, TARGETS, UNKNOWN = "lines of code in flight", "jump targets", "unknown target"
SLOWER = 1.25  # factor on the time of a near line, below which nothing delays a line
MORE = 1.2  # factor on the jumps that are too many: from here on, no target is known
MODEL = 0.05  # relative: a line waits for the core, too, and a load for its own instruction
HITS = 1.2  # factor on the latency: prefetchers may have brought some of the lines that the chain of loads visits
SOME = 0.9  # of the jumps that cost little more: some of their targets may be unknown
NEAREST = 5.0  # cycles of a load from the nearest cache, at most
SECOND = "L2"


def coded_rows(
    code: CodePoints, latencies: Mapping[str, tuple[float, float]], cycle_s: float, made: Made
) -> Iterator[CoreRow]:
    """Yield the rows; none if no loop of code was measured. latencies: seconds of a load, by level."""
    times = code.times()
    near = next((time for (work, size), (time, _) in times.items() if size == NEAR_BYTES and work != DENSE), 0.0)
    if near <= 0:
        return
    near_s = near / (NEAR_BYTES // LINE)
    for level, bytes_ in code.sizes().items():
        lines = bytes_ // LINE
        each = [(time / lines, half / lines) for (work, size), (time, half) in times.items()
                if size == bytes_ and work != DENSE]  # fmt: skip
        if each and level in latencies:
            yield _in_flight(level, bytes_, each, near_s, latencies[level], cycle_s, made)
    if points := jumps(times, cycle_s):
        yield from _jumps(points, code.nearest, latencies.get(SECOND), cycle_s, made)


def _in_flight(
    level: str, bytes_: int, each: Sequence[tuple[float, float]], near_s: float, latency: tuple[float, float],
    cycle_s: float, made: Made,
) -> CoreRow:  # fmt: skip
    """Return the lines from one cache. each: seconds of a line, and half of the interval, by runs of two lengths."""
    (seconds, half), (slowest, its) = min(each), max(each)
    off = max(half / seconds, its / slowest) + latency[1] / latency[0] + MODEL
    least = max(latency[0] - NEAREST * cycle_s, 0)
    bound = Interval(least / seconds, least / seconds, least / seconds, 3)
    if seconds <= SLOWER * near_s + half:
        if bytes_ < SURE_BYTES or bound.low < 1:
            why = "code comes as fast as from the nearest cache, which may contain all of it"
            return made.unknown(IN_FLIGHT, level, "lines", why, 3)
        return made.at_least(IN_FLIGHT, level, bound, "lines", "code comes as fast as from the nearest cache")
    if slowest > SLOWER * seconds:
        why = f"shorter or longer runs of code take {slowest / seconds:.2f}x the time: jumps may be the limit, too"
        return made.at_least(IN_FLIGHT, level, bound, "lines", why)
    low, high = least / slowest * (1 - off), (HITS * latency[0] + near_s) / seconds * (1 + off)
    return made.known(
        IN_FLIGHT, level, Interval(low, (low + high) / 2, high, 3), "lines", seconds=interval(seconds, half, 1)
    )


def _jumps(
    points: list[Jump], nearest: Sequence[int], latency: tuple[float, float] | None, cycle_s: float, made: Made
) -> Iterator[CoreRow]:
    found, count = targets(points), len(points)
    if found.high and any(found.low <= size // LINE * DENSE.jumps <= found.high for size in nearest):
        found = Targets(0, None, "code leaves the nearest cache at the same number of jumps")
    if found.why and not found.low:
        yield made.unknown(TARGETS, "", "jumps", found.why, count)
        return
    low = SOME * found.low
    if found.high is None:
        yield made.at_least(TARGETS, "", Interval(low, low, low, count), "jumps", found.why)
        return
    yield made.known(TARGETS, "", Interval(low, (low * found.high) ** 0.5, found.high, count), "jumps")
    many = [point for point in points if point.unknown and point.count >= MORE * found.high]
    far = next((point for point in many if point.bytes >= SURE_BYTES), None)
    cost = far or next(iter(many), None)
    if latency is None or cost is None:
        why = "no point has many more jumps" if cost is None else "the latency of the second cache was not measured"
        yield made.unknown(UNKNOWN, "", "cycles", why, 1)
        return
    line = latency[0] / cycle_s / DENSE.jumps  # of a jump, on average, if no line is in the nearest cache
    least = max(cost.cycles - line - 1, 0)
    most = least + NEAREST / DENSE.jumps if far else cost.cycles
    yield made.known(UNKNOWN, "", Interval(least, (least + most) / 2, most, 1), "cycles")
