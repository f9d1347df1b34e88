"""The sum of what several groups move at the same moments.

The interval of a sum is that of the summed series. The loss of one group to another at a moment cancels in it, so it is
narrower than bounds that were added. It is also right where the groups move together.
"""

import numpy as np

from tierscope.record.result import Record, Run
from tierscope.stats.median import Interval, median
from tierscope.stats.point import Point
from tierscope.tables.measured import judged_once, over_visits, visits_of

NONE = Interval(0.0, 0.0, 0.0, 0)  # of groups without threads


def total(run: Run, record: Record) -> Interval:
    """Return the program bytes/s of all groups at the same moments after the warm-up."""
    return over_visits(run, record, "sum", lambda visit: _total(visit, _alone(run, visit))) or NONE


def coverage(run: Run, record: Record) -> float:
    """Return the least share of a group's timed blocks within the time in which all groups ran, of all visits."""
    return min(share for visit in visits_of(run, record) for share in _alone(run, visit).together.coverage)


def _alone(run: Run, visit: Record) -> Point:
    return judged_once(run, visit).points[0]


def _total(record: Record, point: Point) -> Interval:
    program = np.array([facts.program_bytes_per_operation for facts in record.groups])
    series = program @ point.together.rates
    start = max((group.start for group in point.groups), default=0)
    return median(series[start:], record.experiment.schedule.confidence)
