"""Scores the rules on an imagined fleet: what was planted against what they found. The only reader of the truth.

The numbers take the way of the store without files: deviations from each day's median, a window of seven days, the
screen, three sessions of suspects and controls, the test.
"""

import msgspec
import numpy as np

from tierscope.arrays import Floats
from tierscope.fleet.confirm import confirm, controls_of
from tierscope.fleet.confirm_plan import SESSIONS
from tierscope.fleet.imagine import Fleet, Sessions, imagine
from tierscope.fleet.imagine_files import PLAN, facts_of
from tierscope.fleet.imagine_options import ImagineOptions
from tierscope.fleet.known import mean_of
from tierscope.fleet.screen import screen
from tierscope.fleet.trend_cusum import alarms
from tierscope.fleet.window import DAYS, Window


class OutlierScore(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of one fleet. Both are called slower and were not planted.

    false: truly within 2 % in all that was called. natural: truly more than 2 % slower, as healthy hosts may be.
    """

    machines: int
    suspects: int
    false: int
    natural: int
    planted: dict[str, int]
    found: dict[str, int]
    sees: float
    covariate: str


class TrendScore(msgspec.Struct, frozen=True, kw_only=True):
    """Alarms on healthy hosts, hosts x days / 365, planted steps and those found within 60 days, median delay."""

    machine_years: float
    false: int
    planted: int
    found: int
    days_to_alarm: float
    date_error: float


def score_outliers(options: ImagineOptions) -> OutlierScore:
    """Return how the two stages do on the last seven days of an imagined fleet."""
    from tierscope.fleet.detectable import sees

    fleet = imagine(options)
    window = window_of(fleet)
    screened = screen(window)
    hosts = np.union1d(np.flatnonzero(screened.suspect), controls_of(screened, options.seed)).astype(np.intp)
    draws, last = Sessions(fleet, 1000), options.days - 1
    seen = np.full((SESSIONS, *window.mean.shape), np.nan)
    for session in range(SESSIONS):
        seen[session, hosts] = draws.next(last, hosts)
    tested = confirm(window, screened, np.concatenate([seen, mean_of(seen)[:, :, None]], axis=2))
    called = {int(place): row for place, row in zip(tested.suspects, tested.rejected, strict=True) if row.any()}
    planted = {name: kind for kind in ("slow", "metric", "step") for name in fleet.truth.faults.get(kind, ())}
    true = _true(fleet, last, len(screened.parts))
    wild = {place: row for place, row in called.items() if fleet.names[place] not in planted}
    false = sum(1 for place, row in wild.items() if not (true[place][row] < np.log1p(-0.02)).any())
    kinds = [kind for name, kind in planted.items() if fleet.names.index(name) in called]
    return OutlierScore(
        machines=options.machines, suspects=len(tested.suspects), false=false, natural=len(wild) - false,
        planted={kind: len(fleet.truth.faults.get(kind, ())) for kind in ("slow", "metric", "step")},
        found={kind: kinds.count(kind) for kind in ("slow", "metric", "step")},
        sees=sees(screened.parts[0], window, tested)[0],
        covariate=next((one.covariate.fact for one in screened.parts if one.covariate), ""),
    )  # fmt: skip


def window_of(fleet: Fleet) -> Window:
    """Return the window that the store would give of the last seven days, with one group."""
    days = range(max(0, fleet.options.days - DAYS), fleet.options.days)
    draws = Sessions(fleet)
    logs = np.array([draws.next(day) for day in days])
    deviation = logs - np.median(logs, axis=1, keepdims=True)
    whole = np.concatenate([deviation, mean_of(deviation)[:, :, None]], axis=2)
    noise = np.sqrt(whole.var(axis=0, ddof=1).mean(axis=0)) if len(days) > 1 else np.full(whole.shape[2], np.nan)
    count = len(fleet.names)
    return Window(
        day="2026-01-01", days=len(days), plan=PLAN, metrics=tuple(f"m{one}" for one in range(fleet.options.metrics)),
        host=fleet.names, machine=fleet.names, key=np.arange(count), group=np.full(count, "all", dtype=object),
        facts=tuple(facts_of(fleet, host, fleet.options.days - 1) for host in range(count)),
        efficiency=np.full(count, np.nan), mean=deviation.mean(axis=0), last=deviation[-1],
        count=np.full(count, float(len(days))), noise=noise, metric_keys=np.arange(fleet.options.metrics),
    )  # fmt: skip


def _true(fleet: Fleet, day: int, parts: int) -> Floats:
    """Return each host's true deviation from the median of its kind, (hosts, metrics + 1)."""
    level = fleet.level + fleet.fault(day)
    whole = np.column_stack([level, level.mean(axis=1)])
    kinds = (fleet.kind, ~fleet.kind) if parts > 1 else (np.full(len(whole), fill_value=True),)
    for members in kinds:
        whole[members] -= np.median(whole[members], axis=0)
    return whole


def score_trend(options: ImagineOptions, days: int = 365) -> TrendScore:
    """Return how the change detection does on the mean of all metrics; steps are planted by `faults`."""
    fleet = imagine(msgspec.structs.replace(options, days=days))
    draws = Sessions(fleet)
    scores = np.empty((days, options.machines))
    for day in range(days):
        logs = draws.next(day)
        scores[day] = (logs - np.median(logs, axis=0)).mean(axis=1)
    steps = {fleet.names.index(name): fleet.truth.day[name] for name in fleet.truth.faults.get("step", ())}
    sure = [one for one in alarms(scores) if one.confirmed]
    false = [one for one in sure if one.series not in steps or one.seen < steps[one.series]]
    hits = {one.series: one for one in reversed(sure) if 0 <= one.seen - steps.get(one.series, days) <= 60}
    late = [one.seen - steps[series] for series, one in hits.items()]
    away = [abs(one.day - steps[series]) for series, one in hits.items()]
    return TrendScore(
        machine_years=options.machines * days / 365, false=len(false), planted=len(steps), found=len(hits),
        days_to_alarm=float(np.median(late)) if late else float("nan"),
        date_error=float(np.median(away)) if away else float("nan"),
    )  # fmt: skip
