"""Two settings measured in turns: the ratio of each point, round by round.

    ratio = exp(mean of log(after / before) over the rounds), with Student's interval over the rounds

What drifts from round to round hits both sides of a round and cancels; what differs between runs of one setting is in
the interval, which the interval of a single run cannot hold. Intervals are widened for the number of points as in
`stats.compare`. A point whose interval lies within the smallest difference of interest shows no difference; one whose
interval reaches beyond it in spite of no call is inconclusive: more rounds are needed.
Blind to an effect of the order within a round, but for what is linear: rounds alternate who begins.
Source: R. A. Fisher, "The Design of Experiments", 1935 (blocks in which all treatments stand).
"""

import math
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Any

from tierscope.errors import UsageError
from tierscope.report.exported import points, unit_of
from tierscope.result import Run
from tierscope.stats.compare import compare_all
from tierscope.stats.median import Interval, student

FEWEST = 3  # rounds: fewer have no spread that could be believed
CONFIDENCE = 0.98  # of a hundred repeats of equal settings 95 are to show none: 0.95 would give so many just on average


def compare_rounds(rounds: Sequence[tuple[Run, Run]], least: float) -> list[dict[str, Any]]:
    """One row per point that stands in all rounds; UsageError where none does."""
    sides = points([run for pair in rounds for run in pair])
    found = []
    for table in sides:
        known = {
            point: ratios
            for point, numbers in sides[table].items()
            if (ratios := [_ratio(numbers, place) for place in range(len(rounds))]) and None not in ratios
        }
        less = unit_of(table) == "s"
        one = Interval(1.0, 1.0, 1.0, len(rounds))
        intervals = [(one, interval([r for r in ratios if r is not None])) for ratios in known.values()]
        verdicts = compare_all(intervals, less_is_faster=less, confidence=CONFIDENCE, least=least)
        for (point, ratios), judged in zip(known.items(), verdicts, strict=True):
            wide = max(1 / judged.low, judged.high) > 1 + least
            word = "inconclusive" if judged.verdict == "no difference shown" and wide else judged.verdict
            bounds = {"ratio": judged.middle, "ratio_low": judged.low, "ratio_high": judged.high}
            found.append({"table": table, "point": point, "ratios": ratios, **bounds, "verdict": word})
    if not found:
        raise UsageError("no point stands in every round: the two runs measure different things")
    return found


def _ratio(numbers: dict[int, Any], place: int) -> float | None:
    """after / before of one round; runs stand in pairs."""
    before, after = numbers.get(2 * place), numbers.get(2 * place + 1)
    return after.value / before.value if before and after and before.value > 0 and after.value > 0 else None


def interval(ratios: Sequence[float]) -> Interval:
    """Of the geometric mean, by Student over the rounds."""
    logs = [math.log(ratio) for ratio in ratios]
    middle = fmean(logs)
    half = student((1 + CONFIDENCE) / 2, len(logs) - 1) * stdev(logs) / math.sqrt(len(logs))
    return Interval(math.exp(middle - half), math.exp(middle), math.exp(middle + half), len(logs))
