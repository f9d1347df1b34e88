"""The points that the probes of a core ask for, and how points are combined: shared by the plan and the table."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from msgspec.structs import replace

from tierscope.record.work.loop import LoopWork
from tierscope.suites.core.fetch import Share
from tierscope.suites.core.step import Pair
from tierscope.units import KiB

PER_OCTAVE = 3  # numbers of fillers in each doubling
TRAINED = (1, 2, 3, 4, 6, 8, 12, 16, 24)  # visits before the last line: some cores wait for over ten
STRIDES = (1, 2, 3, 4, 6, 8, 12)  # lines
AHEAD = (1, 2, 3, 4, 6, 8, 12, 16)  # strides of GAP lines
STREAMS = (1, 2, 4, 8, 16, 32, 64)
GAP = 2  # lines: the next line alone is not a stride
IRREGULAR = (23, 11)  # lines, the first that fits a page: not next to the visit, nor a line that one visit could train
LINES = (
    *((chains, 0) for chains in range(1, 9)), (5, 1), (6, 1), (7, 1), (8, 1), (6, 2), (7, 2), (8, 2), (7, 3), (8, 3),
    (8, 4), (8, 5), (8, 7), (8, 11), (8, 15),
)  # fmt: skip
"""Chains, and lines next to each of their nodes: 1 to 128 lines together."""
FEW_LINES = (
    *((chains, 0) for chains in (1, 2, 4, 6, 8)),
    *((6, 1), (8, 1), (7, 2), (7, 3), (8, 4), (8, 5), (8, 7), (8, 11), (8, 15)),
)
"""A part of LINES, enough for a prediction: each point fills memory again, which takes most of its time."""
FEW_TRAINED = (2, 6)  # visits: too few for a stride, and enough on many cores


def page_lines(line_bytes: int) -> int:
    """Return the lines of a page of 4 KiB, which windows do not leave, because many prefetchers do not."""
    return 4 * KiB // line_bytes


def stream(line_bytes: int) -> LoopWork:
    """Return the window of nearly all lines of a page, one after the other."""
    return LoopWork(chains=1, train=page_lines(line_bytes) - 2, stride=1, ahead=1)


def is_stream(work: LoopWork) -> bool:
    """Return whether a window is that of `stream`, with lines of any size."""
    return any(replace(work, element_bytes=64) == stream(line) for line in (64, 128, 256))


def irregular(line_bytes: int) -> int | None:
    """Return the distance in lines of the window that no stride leads to; None where a page has too few lines."""
    return next((lines for lines in IRREGULAR if lines < page_lines(line_bytes)), None)


def coarse(low: int, high: int) -> list[int]:
    """Return numbers of fillers from `low` to `high`."""
    steps = int(np.log2(high / low) * PER_OCTAVE + 1e-9)
    return sorted({round(low * 2 ** (step / PER_OCTAVE)) for step in range(steps + 1)} | {high})


@dataclass(frozen=True)
class Control:
    """Seconds of one load by number of fillers, and half of the interval; a straight line between two numbers."""

    times: Mapping[int, tuple[float, float]]

    def __bool__(self) -> bool:
        return len(self.times) > 1

    def pair(self, fillers: int, seconds: float, half: float) -> Pair:
        """Return the ratio of the time with two loads to that with one."""
        counts = sorted(self.times)
        one, its = (
            float(np.interp(fillers, counts, [self.times[count][column] for count in counts])) for column in (0, 1)
        )
        ratio = seconds / one
        return Pair(fillers, ratio, ratio * float(np.hypot(half / seconds, its / one)))


@dataclass(frozen=True)
class Fetch:
    """A question to the prefetcher whose answers have a number: `train`, `stride`, `ahead`, `streams`; `irregular`."""

    of: str
    train: int = 0
    down: int = 0

    def work(self, number: int) -> LoopWork:
        if self.of == "irregular":
            return LoopWork(chains=1, train=1, ahead=number)
        if self.of == "train":
            return LoopWork(chains=1, train=number, stride=GAP, ahead=GAP, down=self.down)
        if self.of == "stride":
            return LoopWork(chains=1, train=self.train, stride=number, ahead=number)
        if self.of == "ahead":
            return LoopWork(chains=1, train=self.train, stride=GAP, ahead=GAP * number, down=self.down)
        return LoopWork(chains=1, train=self.train, stride=GAP, ahead=GAP, windows=number)

    def number(self, work: LoopWork) -> int | None:
        """Return the number that this work asks for; None if it asks another question."""
        number = {
            "irregular": work.ahead, "train": work.train, "stride": work.stride, "ahead": work.ahead // GAP,
        }.get(self.of, work.windows)  # fmt: skip
        return number if self.work(number) == replace(work, apart=0) else None

    def shares(self, times: Mapping[LoopWork, tuple[float, float]], latency_s: float) -> dict[int, Share]:
        """Return the shares by number. times: seconds of a hop and half of its interval.

        Points without their counterpart are left out.
        """
        found = {}
        for work, (seconds, half) in times.items():
            number = self.number(work) if work.train and not work.apart else None
            other = times.get(replace(work, apart=1))
            if number is not None and other and latency_s > 0:
                found[number] = share_of(work, (seconds, half), other, latency_s)
        return found


def share_of(work: LoopWork, asked: tuple[float, float], apart: tuple[float, float], latency_s: float) -> Share:
    """Return the share of `suites.core.fetch`; the interval is the root of the sum of squares of both."""
    hops = work.train + 1
    return Share(hops * (apart[0] - asked[0]) / latency_s, hops * float(np.hypot(asked[1], apart[1])) / latency_s)
