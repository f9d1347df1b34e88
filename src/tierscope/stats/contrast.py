"""A victim with other programs against the same victim without them, round by round.

In each round every take runs once. The order is reversed from one round to the next (0 1 2, 2 1 0, ...), so that a
machine that drifts slows all takes alike. A round gives one ratio of each take,

    x = ln(seconds per operation in the take / seconds per operation in the take that it is compared with)

and the slowdown is exp of the Hodges-Lehmann estimate: the median of the means of all pairs of x, each with itself too.
Its interval runs between the order statistics of these means that Wilcoxon's signed-rank test does not reject. The test
needs independent rounds and a symmetric distribution of x, not a normal one, so one disturbed round has little
influence. Where neighbouring rounds resemble each other (r, from one x to the next), the interval is widened by sqrt((1
+ r) / (1 - r)).

The seconds of an operation are the median over the moments at which all threads worked undisturbed. These moments begin
after the first walk of the victim's footprint (half of the batch at most), since the take before left other lines in
the caches. Whole tasks, and victims that share a CPU with others, are timed with all interruptions. An interruption of
a task is then attributed to its neighbours, and a load on the machine affects the remaining CPUs. So the comparison is
inconclusive where tasks are switched out often. This is not known for a command: its processes are not the thread that
waits for them.

Coverage of the 95 % interval in simulation, with the stop rule of `run.runner` (tests/unit/test_stats_contrast.py): 94
to 97 %. It is the same on a machine that drifts, and with one round in ten disturbed in either take. It is 84 % where
always the same take is disturbed, and 89 to 92 % where r is 0.3.
Blind to a machine that changes within a round, and to what differs between the takes apart from the others' work (a
warmer package, a lower clock): that is part of what neighbours do.
Sources: J. L. Hodges and E. L. Lehmann, "Estimates of Location Based on Rank Tests", Annals of Mathematical Statistics
34, 1963; F. Wilcoxon, "Individual Comparisons by Ranking Methods", Biometrics Bulletin 1, 1945.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tierscope.arrays import Floats
from tierscope.record.experiment import Experiment, Schedule
from tierscope.record.result import PREEMPTED, SIZING, Blocks, GroupFacts
from tierscope.stats.median import Interval, beyond
from tierscope.stats.takes import batches_of, blocks_of
from tierscope.stats.together import together
from tierscope.stats.walks import walk_operations

SLOWDOWN = "slowdown"  # the begin of a reason that is only about the width of a ratio
VICTIM = "victim"  # the role of the groups whose time is compared; in latency under load it is CHASER
CHASER = "chaser"
PROBER = "prober"  # its time is compared, too, and need not be sure by itself: the ratio is what is wanted
WATCHED = (VICTIM, CHASER, PROBER)
TASKS = ("task", "key")  # operations whose blocks are whole tasks: a victim's, a round of operations on a structure
TIME = "time"  # what a thread that sleeps waits for
PROCESSES = "processes"  # the thread waits for them, and each line that they print switches it
FILE = "file"  # the thread sleeps in the system until the file is written
ROUNDS = 8  # least, in all visits: with five or fewer, no interval of signed ranks contains 95 %
OF_A_VISIT = 3  # rounds, at least: their median leaves one disturbed round out
MOST_ALIKE = 0.9  # correlation of neighbouring rounds: more widens the interval by more than four
BUSY = 100.0  # switches/s of a task, above: 20 to 60 cost under 3 % of a flow's time on a test machine, 150 doubled it
COVERED = 0.9  # least share of the victims' time in which all threads of the take must have run


@dataclass(frozen=True, slots=True)
class Contrast:
    """One take. `ratio` of a take that is compared with itself is exactly 1."""

    seconds: Interval  # of one operation of a victim, the mean over the victims of the take
    ratio: Interval  # of seconds, to the take it is compared with; `count` is the number of rounds
    reasons: tuple[str, ...]  # why it is inconclusive; () is conclusive
    left_out_share: float = 0.0  # of the take's moments, because a thread was disturbed; 0 where all time counts
    coverage: float = 1.0  # share of the victims' counted time in which all threads ran; median over the rounds
    alone: bool = False  # compared with nothing: its own time must be sure

    @property
    def conclusive(self) -> bool:
        return not self.reasons

    @property
    def asked(self) -> Interval:
        """Return the value that must be sure."""
        return self.seconds if self.alone else self.ratio

    def doubt(self, schedule: Schedule) -> str:
        """Return why the interval of `asked` is too wide, or ""."""
        what = "time" if self.alone else SLOWDOWN
        return "" if self.asked.relative <= schedule.precision else f"{what} {beyond(self.asked, schedule.precision)}"


@dataclass(frozen=True, slots=True)
class _Batch:
    """One round of one take."""

    seconds: float  # per operation, mean over the victims; NaN where one of them never worked undisturbed
    left_out_share: float
    coverage: float
    switches: float = 0.0  # of the victims, per second, where all their time counts and their CPUs are their own


NOTHING = _Batch(math.nan, 1.0, 0.0)


def contrasts(
    blocks: Blocks, hz: float, experiment: Experiment, facts: Sequence[GroupFacts], ran: Sequence[int]
) -> tuple[Contrast, ...]:
    """Return one contrast for each take. blocks: all of the record so far; ran: the take of each batch.

    `seconds` is the time of one whole task of victims that run tasks, and of one operation of other kernels and of
    structures. A take with a structure alone has nothing to be compared with: then `seconds` must be precise.
    """
    rounds = [_rounds(blocks, hz, experiment, facts, ran, take) for take in range(len(experiment.takes))]
    alone = len(experiment.takes) == 1 and any(one.operation == "key" for one in facts)
    return tuple(
        _contrast(rounds[base], rounds[take], base == take, experiment.schedule, alone)
        for take, base in enumerate(experiment.against)
    )


def _contrast(base: list[_Batch], own: list[_Batch], same: bool, schedule: Schedule, alone: bool) -> Contrast:
    pairs = zip(_logs(base), _logs(own), strict=False)  # the last round may be incomplete
    logs = np.array([after - before for before, after in pairs if math.isfinite(after - before)])
    own_logs = np.array([value for value in _logs(own) if math.isfinite(value)])
    ratio = Interval(1.0, 1.0, 1.0, int(logs.size)) if same else _exp(estimate(logs, schedule.confidence))
    coverage = float(np.median([one.coverage for one in own])) if own else 0.0
    switches = max((float(np.median([one.switches for one in side])) for side in (base, own) if side), default=0.0)
    seconds = _exp(estimate(own_logs, schedule.confidence))
    found = Contrast(
        seconds=seconds,
        ratio=ratio,
        reasons=(),
        left_out_share=float(np.mean([one.left_out_share for one in own])) if own else 1.0,
        coverage=coverage,
        alone=alone,
    )
    return replace(found, reasons=tuple(_reasons(found, switches, schedule)))


def _logs(rounds: list[_Batch]) -> list[float]:
    return [math.log(one.seconds) if one.seconds > 0 else math.nan for one in rounds]


def _reasons(found: Contrast, switches: float, schedule: Schedule) -> list[str]:
    if few := too_few(found.asked.count, least_rounds(schedule)):
        return [few]
    reasons = [found.doubt(schedule)] if found.doubt(schedule) else []
    if found.coverage < COVERED:
        reasons.append(f"all threads ran together in only {100 * found.coverage:.0f} % of the victims' time")
    if switches > BUSY:
        reasons.append(f"victims were switched out {switches:.0f} times a second: the machine is busy")
    return reasons


def least_rounds(schedule: Schedule) -> int:
    """Return the least number of rounds of a visit. All visits together have ROUNDS; one that is a piece has its own
    number.
    """
    shared = ROUNDS if schedule.visits < 2 else max(math.ceil(ROUNDS / schedule.visits), OF_A_VISIT)
    return max(shared, round(schedule.piece_s / schedule.minimum_s))


def too_few(count: int, least: int) -> str:
    """Return how many rounds are missing, or ""."""
    return f"only {count} rounds of {least}" if count < least else ""


def _exp(logs: Interval) -> Interval:
    return Interval(math.exp(logs.low), math.exp(logs.middle), math.exp(logs.high), logs.count)


def _rounds(
    blocks: Blocks, hz: float, experiment: Experiment, facts: Sequence[GroupFacts], ran: Sequence[int], take: int
) -> list[_Batch]:
    """Return the batches of one take in the order of the rounds."""
    groups = experiment.takes[take]
    own = [facts[group] for group in groups]
    watched = [place for place, group in enumerate(groups) if experiment.groups[group].role in WATCHED]
    tasks = any(facts[groups[place]].operation in TASKS for place in watched)
    shared = any(group.shared for group in experiment.groups)
    waits = any(_sleeps(facts[groups[place]]) for place in watched)
    part = blocks_of(blocks, experiment, ran, take)
    batches = [part[part["batch"] == batch] for batch in batches_of(ran, take)]
    if not watched:
        return [NOTHING] * len(batches)
    if tasks or shared:  # for all takes, so that the comparison is fair
        return [_whole(one, hz, watched, busy=not shared and not waits) for one in batches]
    return [_moments(one, hz, own, watched) for one in batches]


def _sleeps(facts: GroupFacts) -> bool:
    """Return whether the victim's thread waits by nature: for other processes, or for a disk."""
    return facts.waits_for == PROCESSES or (facts.operation == "key" and facts.persistence == "msync")


def _whole(part: Blocks, hz: float, watched: list[int], *, busy: bool) -> _Batch:
    """Return a batch in which all time counts: a task is far longer than a time slice, and on a shared CPU the slices
    of others are the effect.

    busy: whether the victims' switches show that the machine is busy.
    """
    timed = part[(part["flags"] & SIZING) == 0]
    start, stop = timed["start_ticks"].astype(np.int64), timed["stop_ticks"].astype(np.int64)
    each = []
    for place in watched:
        mine = timed["group"] == place
        operations = float(timed["operations"][mine].sum())
        each.append(float((stop - start)[mine].sum()) / hz / operations if operations else math.nan)
    if not timed.size:
        return NOTHING
    thread = timed["group"].astype(np.int64) * (1 << 16) + timed["thread"]
    begin = max(int(start[thread == one].min()) for one in np.unique(thread))
    end = min(int(stop[thread == one].max()) for one in np.unique(thread))
    mine = np.isin(timed["group"], watched)
    inside = np.clip(np.minimum(stop, end) - np.maximum(start, begin), 0, None)[mine].sum()
    ticks = max(int((stop - start)[mine].sum()), 1)
    switches = float(timed["switches"][mine].sum()) / ticks * hz if busy else 0.0
    return _Batch(float(np.mean(each)), 0.0, float(inside) / ticks, switches)


def _moments(part: Blocks, hz: float, own: Sequence[GroupFacts], watched: list[int]) -> _Batch:
    """Return the median over common moments. The marks of a group that sleeps or waits for a command do not count,
    since it is switched out by nature.
    """
    waiting = [
        place for place, facts in enumerate(own) if facts.waits_for in (TIME, PROCESSES) or _waits(part, place, facts)
    ]
    part = part.copy()
    part["flags"][np.isin(part["group"], waiting)] &= SIZING
    common = together(part, hz, len(own))
    rates = common.rates[watched]
    if not rates.shape[1]:
        return NOTHING
    begin, end = common.windows[0]
    walk_s = max(
        walk_operations(own[place]) / float(np.median(rate)) for place, rate in zip(watched, rates, strict=True)
    )
    warm = common.instants_s >= begin + min(walk_s, (end - begin) / 2)
    if not warm.any():
        return NOTHING
    seconds = 1 / np.median(rates[:, warm], axis=1)
    return _Batch(float(np.mean(seconds)), common.left_out_share, 1.0)


def _waits(part: Blocks, place: int, facts: GroupFacts) -> bool:
    """Return whether stores wait for a disk: most of their blocks are switched out."""
    flags = part["flags"][(part["group"] == place) & ((part["flags"] & SIZING) == 0)]
    return facts.waits_for == FILE and bool(np.mean((flags & PREEMPTED) != 0) > 0.5) if flags.size else False


def estimate(series: Floats, confidence: float) -> Interval:
    """Return the Hodges-Lehmann estimate with its interval, widened where neighbours resemble each other."""
    one = signed_rank(series, confidence)
    deviations = series - one.middle
    squares = float(deviations @ deviations)
    if series.size < 3 or squares <= 0:
        return one
    alike = min(float(deviations[1:] @ deviations[:-1]) / squares, MOST_ALIKE)
    wider = math.sqrt((1 + alike) / (1 - alike)) if alike > 0 else 1.0
    low, high = one.middle - (one.middle - one.low) * wider, one.middle + (one.high - one.middle) * wider
    return Interval(low, one.middle, high, one.count)


def signed_rank(series: Floats, confidence: float) -> Interval:
    """Return the Hodges-Lehmann estimate with its interval, or the full range if there are too few points. series:
    shape (points,).
    """
    count = series.size
    if count == 0:
        return Interval(math.nan, math.nan, math.nan, 0)
    first, second = np.triu_indices(count)
    means = np.sort((series[first] + series[second]) / 2)
    cut = _rejected(count, (1 - confidence) / 2)
    return Interval(float(means[cut]), float(np.median(means)), float(means[means.size - 1 - cut]), count)


def _rejected(count: int, share: float) -> int:
    """Return how many of the smallest means are below the interval: the largest k with P(W <= k) <= share,
    0 if none.
    """
    ways = np.ones(1)
    for rank in range(1, count + 1):  # for each sum of ranks, the share of signs that give it
        longer = np.zeros(ways.size + rank)
        longer[: ways.size] += ways / 2
        longer[rank:] += ways / 2
        ways = longer
    below = np.cumsum(ways)  # below[k] = P(W <= k)
    return max(int(np.searchsorted(below, share, side="right")) - 1, 0)
