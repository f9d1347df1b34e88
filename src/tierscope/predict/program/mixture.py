"""A program between two readings of the front end, where neither alone explains its time here and both enclose it.

    a < 3/4 M  and  5/4 M < a'  (or the other way round)      q = (M - a) / (a' - a)
    time of the mixture                                       (1 - q) t + q t'

a, a': model times of both readings here; M: time here; t, t': times of both on any machine, part by part. A real core
runs the wrong path, and meets the right one in some of the cases; it fetches some instructions early. So it is between
both readings, and the mixture is the one that takes M. If a reading is beyond FARTHEST of M, both enclose nearly any
time, and no mixture is made. Each reading leaves a part of M open. The bounds contain that part of both (`answer`),
since something else than the front end may have taken the time.
Blind to: a model that lacks time elsewhere. The mixture hides it, and only the bounds show it.
Source: that of `front_end`.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from tierscope.predict.program.anchor import OFF, seconds_of
from tierscope.predict.program.front_end import FrontEnd, between_share
from tierscope.simulated.replay import Traced

FARTHEST = 2.0  # factor of the time here


def share_of(one_s: float, another_s: float, here_s: float) -> float | None:
    """Return q, of the second reading; None where the time here needs no mixture, or is not between both."""
    low, high = sorted((one_s, another_s))
    if not (here_s / FARTHEST <= low < here_s * (1 - OFF) and here_s * (1 + OFF) < high <= here_s * FARTHEST):
        return None
    return between_share(one_s, another_s, here_s)


def mixed(one: Traced, another: Traced, share: float) -> Traced:
    """Return a program with a share of the way from one machine to another behind it, part by part; share 0 is the
    first one. Counters and objects are those of the first one. ValueError for machines that timed different parts.

    Within a part, both may have stopped at other instructions, as threads do; then the other one is as the first.
    """

    def of(a: float, b: float) -> float:
        return max(a + share * (b - a), 0.0)

    both = list(zip(one.parts, another.parts, strict=True))
    parts = tuple((gap, count, of(a, b)) for (gap, count, a), (_, _, b) in both)
    factors = [b / a if a > 0 else 1.0 for (_, _, a), (_, _, b) in both]
    there = {(number, count): seconds for number, count, seconds in another.knots}
    knots = tuple((n, count, of(a, there.get((n, count), a * factors[n]))) for n, count, a in one.knots)
    return replace(
        one, parts=parts, knots=knots, seconds=of(seconds_of(one), seconds_of(another)),
        busy_s=of(one.busy_s, another.busy_s),
        sampling_deviation_s=of(one.sampling_deviation_s, another.sampling_deviation_s),
    )  # fmt: skip


def with_mixed(found: Mapping[str, Traced], front_end: FrontEnd, share: float) -> dict[str, Traced]:
    """Return what all machines found, and the mixture of each with its other reading, under `FrontEnd.mixed`.

    share: of the lazy reading.
    """
    pairs = ((word, front_end.other(word)) for word in found)
    both = [(word, other) for word, other in pairs if other != word and other in found]
    return {
        **found,
        **{front_end.mixed(word): mixed(found[word], found[other], share if front_end.eager in word else 1 - share)
           for word, other in both},
    }  # fmt: skip
