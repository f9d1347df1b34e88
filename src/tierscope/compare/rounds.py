"""Two settings measured alternately: the ratio of each point, round by round.

    ratio = exp(mean of log(after / before) over the rounds), with Student's interval of rounds - 1 degrees of freedom

A drift from round to round affects both sides of a round and cancels; a difference between runs of one setting is in
the interval, which the interval of a single run cannot contain. Intervals are widened for the number of points as in
`stats.compare`, by Student's quantiles too: by normal ones three rounds of 30 equal points had a false call in one
comparison of seven. A point whose interval is within the smallest difference of interest shows no difference; one whose
interval reaches beyond it in spite of no call is inconclusive: more rounds are needed.
Blind to an effect of the order within a round, but for what is linear: rounds alternate who begins.
Source: R. A. Fisher, "The Design of Experiments", 1935 (blocks that contain all treatments).
"""

import math
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Any

from tierscope.compare.measures import measures
from tierscope.compare.number import Number
from tierscope.compare.points import points
from tierscope.errors import UsageError
from tierscope.record.result import Run
from tierscope.sound import reads
from tierscope.stats.compare import Comparison, compare_all
from tierscope.stats.median import Interval

FEWEST = 3  # rounds: fewer have no spread that could be believed
CONFIDENCE = 0.98  # of a hundred repeats of equal settings 95 are to show none: 0.95 would give this only on average


@reads("the comparison")
def compare_rounds(rounds: Sequence[tuple[Run, Run]], least: float) -> list[dict[str, Any]]:
    """Return one row per point that is in all rounds; UsageError where none is."""
    known_measures = measures()
    sides = points([run for pair in rounds for run in pair])
    found = []
    for table in sides:
        known = {
            point: ratios
            for point, numbers in sides[table].items()
            if len(ratios := _ratios(numbers, len(rounds))) == len(rounds)
        }
        verdicts = judged(list(known.values()), least, less_is_faster=known_measures[table].main.less_is_better)
        for (point, ratios), (one, word) in zip(known.items(), verdicts, strict=True):
            bounds = {"ratio": one.middle, "ratio_low": one.low, "ratio_high": one.high}
            found.append({"table": table, "point": point, "ratios": ratios, **bounds, "verdict": word})
    if not found:
        raise UsageError("no point is in every round: the two runs measure different things")
    return found


def common(pair: tuple[Run, Run]) -> bool:
    """Return whether one round has a point to compare."""
    return any(_ratios(numbers, 1) for table in points(pair).values() for numbers in table.values())


def judged(ratios: Sequence[Sequence[float]], least: float, *, less_is_faster: bool) -> list[tuple[Comparison, str]]:
    """Return finding and verdict in words from the ratios of some points, each of shape (rounds,), of one length."""
    pairs = [(Interval(1.0, 1.0, 1.0, len(one)), interval(one)) for one in ratios]
    degrees = len(ratios[0]) - 1 if ratios else None
    law = {"confidence": CONFIDENCE, "least": least}
    found = compare_all(pairs, less_is_faster=less_is_faster, degrees=degrees, **law)
    return [(one, _word(one, least)) for one in found]


def _word(one: Comparison, least: float) -> str:
    wide = max(1 / one.low, one.high) > 1 + least
    return "inconclusive" if one.verdict == "no difference shown" and wide else one.verdict


def _ratios(numbers: dict[int, Number], rounds: int) -> list[float]:
    """Return after / before of those rounds that have both; runs are in pairs."""
    pairs = [(numbers.get(2 * place), numbers.get(2 * place + 1)) for place in range(rounds)]
    return [
        after.value / before.value for before, after in pairs if before and after and min(before.value, after.value) > 0
    ]


def interval(ratios: Sequence[float]) -> Interval:
    """Return the interval of the geometric mean, by Student's t over the rounds."""
    from scipy.special import stdtrit  # slow to load, and exact for two degrees of freedom

    logs = [math.log(ratio) for ratio in ratios]
    middle = fmean(logs)
    half = float(stdtrit(len(logs) - 1, (1 + CONFIDENCE) / 2)) * stdev(logs) / math.sqrt(len(logs))
    return Interval(math.exp(middle - half), math.exp(middle), math.exp(middle + half), len(logs))
