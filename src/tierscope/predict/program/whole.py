"""The time of a program of several processes on a tier: those that were followed by the model, the rest both ways.

    ratio     (sum of r w + m min(C, U) + I) / (sum of w + U)                                 m = sum of r w / sum of w
    high      (sum of h w + max(g, m', 1) C + I max(m', 1)) / W                               m' = sum of h w / sum of w
    low       (W / (sum of w + U) (sum of min(l, 1) w + min(f, 1) U) + max(G - S, 0)) / W     S = H + I

r, l, h: ratio of a process that was followed, and its bounds; w: its own wall time here. C, H, I, W: of `members`.
U = max(W - sum of w, 0) is the time here in which none of them ran. G = sum of max(l - 1, 0) w is what they take longer
at least. f, g: the least and the most factor of the patterns in `slowest`.

The upper bound is the time if all processes ran one after the other, and what was not followed has factor g. The lower
one is the time if what others did meanwhile hid as much of the growth as it could. Between both, the rest is as the
processes that were followed.
Source: R. L. Graham, "Bounds on Multiprocessing Timing Anomalies", SIAM Journal on Applied Mathematics 17(2), 1969: a
schedule takes no longer than all of its work in sequence.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tierscope.predict.program.anchor import Anchor
from tierscope.predict.program.answer import Answer
from tierscope.predict.program.members import Household, Member

Factors = tuple[float, float]
"""The least and the most of the patterns in `slowest`: time on a tier over that in the memory here."""


@dataclass(frozen=True, slots=True)
class Followed:
    """A process that was followed, and its time here."""

    member: Member
    anchor: Anchor

    @property
    def own_s(self) -> float:
        """Return w."""
        return self.anchor.wall_s

    def row(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        its = self.member
        return {
            "process": its.number, "words": list(its.words), "share": its.share, "seconds": self.own_s,
            "model_over_measured": self.anchor.ratio, "unknown": self.anchor.unknown,
        }  # fmt: skip


def whole(answers: Sequence[Answer], followed: Sequence[Followed], found: Household, factors: Factors) -> Answer:
    """Return the answer for a tier. answers: of each process that was followed."""
    first = answers[0]
    for one, its in zip(followed, answers, strict=True):
        if its.unknown:
            return replace(first, unknown=_of(one.member, its.unknown), ratio=None, low=None, high=None, seconds=None)
    times = [one.own_s for one in followed]
    own = sum(times)
    ratios, lows, highs = ([float(getattr(one, name)) for one in answers] for name in ("ratio", "low", "high"))
    wall, outside = found.wall_s, max(found.wall_s - own, 0.0)
    here = own + outside
    rest, idle = found.rest_s, max(outside - found.rest_s, 0.0)
    most = _sum(highs, times) / own
    ratio = between(ratios, followed, found)
    high = (_sum(highs, times) + max(factors[1], most, 1.0) * rest + idle * max(most, 1.0)) / wall
    shrunk = _sum([min(low, 1.0) for low in lows], times) + min(factors[0], 1.0) * outside
    growth = _sum([max(low - 1, 0.0) for low in lows], times)
    low = shrunk / here + max(growth - found.hidden_s - idle, 0.0) / wall
    seconds = ratio * wall
    latency, bandwidth, pages = (_share(answers, times, name, seconds) for name in SHARES)
    return replace(
        first, ratio=ratio, low=min(low, ratio), high=max(high, ratio), seconds=seconds, latency_share=latency,
        bandwidth_share=bandwidth, large_pages_share=pages,
    )  # fmt: skip


def between(ratios: Sequence[float], followed: Sequence[Followed], found: Household) -> float:
    """Return the ratio of the program. ratios: of each process that was followed, as the rest is taken to be."""
    times = [one.own_s for one in followed]
    own = sum(times)
    outside = max(found.wall_s - own, 0.0)
    rest = min(found.rest_s, outside)
    return _sum(ratios, times) / own * (own + rest) / (own + outside) + (outside - rest) / (own + outside)


SHARES = ("latency_share", "bandwidth_share", "large_pages_share")


def _of(member: Member, why: str) -> str:
    return f"of {member.command}, which takes {member.share:.0%} of the time here: {why}"


def _share(answers: Sequence[Answer], times: Sequence[float], name: str, whole_s: float) -> float | None:
    """Return a share of the time of the whole program there, of what was followed alone."""
    shares = [getattr(one, name) for one in answers]
    if any(share is None for share in shares):
        return None
    seconds = [float(one.ratio or 0.0) * time for one, time in zip(answers, times, strict=True)]
    return _sum(shares, seconds) / whole_s if whole_s else None


def _sum(values: Sequence[float], times: Sequence[float]) -> float:
    return sum(value * time for value, time in zip(values, times, strict=True))
