"""Shares of intervals that overlap and contain the quiet median, and each of them against its goal.

Two points are a pair if they are of one kernel and one state. A share without points is not known, and so is every
goal that needs quiet runs where there are none.
"""

import itertools
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from covering.runs import Once, Seen
from covering.states import QUIET, uses_memory
from tierscope.stats.median import Interval

RUNS, MINUTES = 20, 30.0  # fewer are a trial, and no verdict on the goals
OVERLAP, CONTAINED, WORST, GROWTH = 0.95, 0.90, 0.10, 4 / 3
LEAST = 9  # inconclusive points; a third of them is the standard deviation of their number
NOT_KNOWN = "not known"


@dataclass(frozen=True)
class Share:
    """How many of some statements are true."""

    good: int
    count: int

    @classmethod
    def of(cls, found: Iterable[bool]) -> "Share":
        """Count them."""
        every = list(found)
        return cls(sum(every), len(every))

    @property
    def value(self) -> float | None:
        """Return the share; None without any."""
        return self.good / self.count if self.count else None

    def __str__(self) -> str:
        return f"{100 * self.good / self.count:.0f} % of {self.count}" if self.count else "none"


@dataclass(frozen=True)
class State:
    """The figures of one state. worst: relative; between: median share of the squared interval; CPUs of others."""

    name: str
    runs: int
    overlap: Share
    overlap_all: Share
    contained: Share
    contained_all: Share
    worst: float | None
    unsure: Share
    unsure_first: Share
    between: float | None
    others_cpus: float
    steal_cpus: float


@dataclass(frozen=True)
class Goal:
    """One goal. reached: None where it is not known."""

    name: str
    figure: str
    goal: str
    reached: bool | None


def quiet_medians(runs: Mapping[str, list[Once]]) -> dict[str, float]:
    """Return the median of each kernel over the quiet runs, conclusive or not."""
    every: dict[str, list[float]] = {}
    for kernel, seen in (item for once in runs.get(QUIET, []) for item in once.points.items()):
        if seen.interval is not None:
            every.setdefault(kernel, []).append(seen.interval.middle)
    return {kernel: statistics.median(middles) for kernel, middles in every.items()}


def overlaps(runs: list[dict[str, Seen]], *, sure: bool) -> list[bool]:
    """Return for each pair of runs and each kernel whether the two intervals overlap. sure: of conclusive ones only."""
    return [
        _overlap(a, b)
        for one, other in itertools.combinations(runs, 2)
        for kernel in one.keys() & other.keys()
        if (a := one[kernel].interval) is not None
        and (b := other[kernel].interval) is not None
        and (not sure or (one[kernel].conclusive and other[kernel].conclusive))
    ]


def figures(name: str, runs: list[Once], quiet: Mapping[str, float]) -> State:
    """Return the figures of a state with at least one run."""
    seen = [(quiet.get(kernel), point) for once in runs for kernel, point in once.points.items()]
    known = [
        (still, point, point.interval) for still, point in seen if still is not None and point.interval is not None
    ]
    inside = [(interval.low <= still <= interval.high, point.conclusive) for still, point, interval in known]
    errors = [interval.middle / still - 1 for still, point, interval in known if point.conclusive]
    between = [point.between_share for _, point in seen if point.between_share is not None]
    points = [once.points for once in runs]
    return State(
        name,
        len(runs),
        Share.of(overlaps(points, sure=True)),
        Share.of(overlaps(points, sure=False)),
        Share.of(one for one, sure in inside if sure),
        Share.of(one for one, _ in inside),
        max(errors, key=abs, default=None),
        Share.of(not point.conclusive for _, point in seen),
        Share.of(not point.conclusive for once in runs for point in once.first.values()),
        statistics.median(between) if between else None,
        statistics.median(once.load.others_cpus for once in runs),
        statistics.median(once.load.steal_cpus for once in runs),
    )


def goals(states: list[State]) -> list[Goal]:
    """Return each goal, over the states that were measured."""
    quiet = next((state for state in states if state.name == QUIET), None)
    overlap = Share(sum(s.overlap.good for s in states), sum(s.overlap.count for s in states))
    unsure = Share(sum(s.unsure.good for s in states), sum(s.unsure.count for s in states))
    first = Share(sum(s.unsure_first.good for s in states), sum(s.unsure_first.count for s in states))
    worst = max((s.worst for s in states if s.worst is not None and uses_memory(s.name)), key=abs, default=None)
    inside = [share for share in ((quiet.contained, quiet.contained_all) if quiet else ()) if share.count]
    least = min(inside, key=lambda share: share.value or 0.0, default=Share(0, 0))
    return [
        Goal(
            "intervals of conclusive points overlap in pairs of runs of a state",
            f"{overlap}; {', '.join(f'{s.name} {s.overlap}' for s in states)}",
            f"at least {100 * OVERLAP:.0f} %",
            None if overlap.value is None else overlap.value >= OVERLAP,
        ),
        Goal(
            "quiet intervals contain the quiet median: the lower share of conclusive ones and of all",
            str(least) if inside else NOT_KNOWN,
            f"at least {100 * CONTAINED:.0f} %",
            None if least.value is None else least.value >= CONTAINED,
        ),
        Goal(
            "the conclusive point next to memory programs that is farthest off the quiet median",
            NOT_KNOWN if worst is None else f"{100 * worst:+.1f} %",
            f"at most {100 * WORST:.0f} %",
            None if worst is None else abs(worst) <= WORST,
        ),
        Goal(
            "points that are inconclusive, to the same runs judged by their first visits alone",
            f"{unsure}, {first}" if unsure.count else NOT_KNOWN,
            "at most a third more",
            _grown_little(unsure, first),
        ),
    ]  # fmt: skip


def table(states: list[State]) -> str:
    """Return the figures of the states as Markdown."""
    lines = [
        "| state | runs | overlap (all) | contained (all) | worst | unsure (first visits) | between | others | steal |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for one in states:
        cells = [
            one.name,
            str(one.runs),
            f"{one.overlap} ({one.overlap_all})",
            f"{one.contained} ({one.contained_all})",
            "none" if one.worst is None else f"{100 * one.worst:+.1f} %",
            f"{one.unsure} ({one.unsure_first})",
            NOT_KNOWN if one.between is None else f"{100 * one.between:.0f} %",
            f"{one.others_cpus:.2f}",
            f"{one.steal_cpus:.2f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def verdicts(found: list[Goal], *, trial: bool) -> str:
    """Return the goals as Markdown. trial: there are too few runs for a verdict."""
    so_far = " so far" * trial
    words = {True: f"reached{so_far}", False: f"missed{so_far}", None: NOT_KNOWN}
    lines = ["| goal | figure | aim | |", "| --- | --- | --- | --- |"]
    return "\n".join([*lines, *(f"| {g.name} | {g.figure} | {g.goal} | {words[g.reached]} |" for g in found)])


def is_trial(runs: Mapping[str, list[Once]]) -> str:
    """Return why this is a trial and no verdict: too few runs of a state, or too short a time; "" if it is neither."""
    short = []
    for state, every in runs.items():
        began = [once.began for once in every]
        minutes = (max(began) - min(began)).total_seconds() / 60 + every[-1].load.seconds / 60 if every else 0.0
        if len(every) < RUNS or minutes < MINUTES:
            short.append(f"{state}: {len(every)} runs in {minutes:.0f} min")
    return "; ".join(short)


def _grown_little(unsure: Share, first: Share) -> bool | None:
    """Return whether there are at most a third more; None without points, or where more are too few for a verdict."""
    if not unsure.count:
        return None
    if unsure.good <= GROWTH * first.good:
        return True
    return False if unsure.good >= LEAST else None


def _overlap(one: Interval, other: Interval) -> bool:
    return one.low <= other.high and other.low <= one.high
