"""The numbers of a host from what its core printed and its samples: one for each metric of the plan.

Each `measure` is a visit with its own interval (`stats.point`). The visits of a metric become one number with an
interval that contains what changes from mapping to mapping (`stats.visits`), for which all metrics of one unit show
together how much that is (`stats.drift`).

    latency     threads / rate            of kernels whose operation is a hop                    [s]
    bandwidth   rate x program bytes      of all that ask for bytes, the groups together          [B/s]
    rate        the rate                  of all else                                             [1/s]
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from tierscope.errors import MachineError, UsageError, WrongAnswerError
from tierscope.fleet.host_report import Number
from tierscope.fleet.payload.bundle import Bundle
from tierscope.fleet.plan import metric_of
from tierscope.record.experiment import Experiment, Schedule
from tierscope.record.facts import GroupFacts
from tierscope.record.machine import Cache
from tierscope.record.npy import loaded
from tierscope.record.result import BLOCK, Blocks
from tierscope.run.bare_steps import Output, Step, read_output, steps_of
from tierscope.stats.drift import Drift, drift_of
from tierscope.stats.judged import judge_record
from tierscope.stats.median import Interval
from tierscope.stats.point import Point
from tierscope.stats.visits import pool, spread

CONFIDENCE = Schedule().confidence
HOP = "hop"
WORST = 1e-15  # relative error of a right answer


class Visit(NamedTuple):
    """One `measure`: its number in the unit of the metric, and whether its interval is sure."""

    metric: str
    unit: str
    interval: Interval
    conclusive: bool


class Found(NamedTuple):
    """The numbers; none with a wrong answer. real: whether all memory was real, neither emulated nor simulated."""

    numbers: tuple[Number, ...]
    wrong: int = 0
    real: bool = True


def numbers_of(bundle: Bundle, caches: Sequence[Cache]) -> Found:
    """Return the numbers and how many answers were wrong.

    MachineError where the core failed, or plan, output and samples do not belong together.
    """
    try:
        output = read_output(bundle.parts.get("output", b""))
        if wrong := wrong_answers(output):
            return Found((), wrong)
        steps = steps_of(bundle.text("plan"), output.facts)
        samples = _samples(bundle.parts.get("samples", b""))
        visits = [_visit(step, samples, caches) for step in steps]
    except WrongAnswerError:
        return Found((), 1)
    except (UsageError, ValueError, IndexError, KeyError, TypeError) as error:
        raise MachineError(_why(bundle, error)) from error
    real = all(one.origin == "real" for step in steps for one in step.facts)
    return Found(tuple(_numbers(visits)), real=real)


def wrong_answers(output: Output) -> int:
    """Return how many kernels differed from scalar code."""
    errors = [fact.get("largest_relative_error") for fact in output.facts if fact.get("fact") == "checked"]
    found = [one for each in errors if isinstance(each, list) for one in each]
    return sum(not isinstance(one, int | float) or one > WORST for one in found)


def _visit(step: Step, samples: Blocks, caches: Sequence[Cache]) -> Visit:
    blocks = samples[step.first : step.first + step.rows].copy()
    if len(blocks) != step.rows or not len(blocks):
        raise UsageError(f"the samples have {len(samples)} blocks, and {step.line!r} names others")
    blocks["batch"] = 0
    schedule = Schedule(block_s=step.block_s, minimum_s=step.seconds, budget_s=step.seconds)
    experiment = Experiment(table="groups", groups=step.groups, schedule=schedule, labels={})
    point = judge_record(blocks, step.clock.hz, experiment, step.facts, (), caches).points[0]
    unit, interval = _value(point, step.facts)
    return Visit(metric_of(step.line), unit, interval, point.conclusive)


def _value(point: Point, facts: Sequence[GroupFacts]) -> tuple[str, Interval]:
    """Return the unit and the number of all groups together; the first group's latency where one is chased."""
    rates = [group.interval for group in point.groups]
    if facts[0].operation == HOP:
        threads, rate = len(facts[0].cpus), rates[0]
        return "s", Interval(threads / rate.high, threads / rate.middle, threads / rate.low, rate.count)
    sizes = [one.program_bytes_per_operation for one in facts]
    unit, scales = ("B/s", sizes) if all(sizes) else ("1/s", [1.0] * len(sizes))
    low, middle, high = (
        sum(getattr(rate, end) * scale for rate, scale in zip(rates, scales, strict=True))
        for end in ("low", "middle", "high")
    )
    return unit, Interval(low, middle, high, sum(rate.count for rate in rates))


def _numbers(visits: Iterable[Visit]) -> Iterable[Number]:
    found: dict[tuple[str, str], list[Visit]] = defaultdict(list)
    for one in visits:
        found[one.metric, one.unit].append(one)
    drifts = _drifts(found)
    for (metric, unit), several in found.items():
        pooled = pool([one.interval for one in several], drifts.get(unit), CONFIDENCE)
        interval = pooled.interval if pooled else several[0].interval
        if not (0 < interval.low <= interval.middle <= interval.high < float("inf")):
            continue  # no block was clean: the metric is absent, which the fold counts
        better: Literal["higher", "lower"] = "lower" if unit == "s" else "higher"
        yield Number(
            metric=metric, unit=unit, better=better, value=interval.middle, low=interval.low, high=interval.high,
            blocks=max(1, interval.count), conclusive=pooled is not None and all(one.conclusive for one in several),
        )  # fmt: skip


def _drifts(found: dict[tuple[str, str], list[Visit]]) -> dict[str, Drift | None]:
    """Return what the visits of all metrics of one unit show together."""
    units = {unit for _, unit in found}
    spreads = {
        unit: [spread([v.interval for v in visits], CONFIDENCE) for (_, own), visits in found.items() if own == unit]
        for unit in units
    }
    return {unit: drift_of([one for one in several if one is not None]) for unit, several in spreads.items()}


def _samples(content: bytes) -> Blocks:
    found = loaded(content)
    if not isinstance(found, np.ndarray) or found.dtype != BLOCK or found.ndim != 1:
        raise UsageError("the samples are not those of this version of the core")
    return found


def _why(bundle: Bundle, error: Exception) -> str:
    """Report what the core printed last where it failed, else what does not fit."""
    last = bundle.text("errors").splitlines()[-1:] or [""]
    if bundle.status == 124:  # of timeout(1)
        return "the plan took longer than its limit; raise --limit, or check what else runs there"
    said = f": {last[0][:200]}" if last[0] else ""
    return f"the core ended with status {bundle.status}{said}; {error}"
