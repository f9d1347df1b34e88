"""`fleet outliers`: which machines are slower than their peers, by how much, and what this run could have seen."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tierscope.arrays import Floats
from tierscope.errors import ResultError
from tierscope.fleet.confirm import LEAST_SLOTS, LIMIT, Confirmed, confirm, controls_of, sessions
from tierscope.fleet.confirm_plan import SESSIONS, ConfirmPlan
from tierscope.fleet.detectable import sees
from tierscope.fleet.efficiency import inefficient
from tierscope.fleet.fold import collect
from tierscope.fleet.levels import against_first_days
from tierscope.fleet.outliers_result import Group, MetricSize, Outliers, Size, Suspect, Verdict, WrongAnswer, size_of
from tierscope.fleet.plan_choice import chosen
from tierscope.fleet.screen import ODD, Part, Screened, screen
from tierscope.fleet.store import DayRecord, Store
from tierscope.fleet.window import Window, days_of, load
from tierscope.stats.median import SIGMAS_95

PLENTY = 0.5  # share of metrics from which on the headline is the mean of all


@dataclass(frozen=True)
class Found:
    """The answer, and the sessions that would make it surer.

    No plan if there are no suspects, or on a day before the last one.
    """

    result: Outliers
    plan: ConfirmPlan | None
    last: bool  # whether it is of the last day of its plan


def outliers(directory: Path, day: str | None = None, plan: str | None = None) -> Found:
    """Return the outliers of a day, by default the last; new reports are folded first.

    plan: the name of a plan that was run, or its digest; by default the one that most hosts ran on the day.
    ResultError without reports, or for a day or a plan that has none.
    """
    collect(directory)
    with Store(directory) as store:
        records = {one: record for one, record in store.days().items() if record.reports}
        own = chosen(directory, plan) if plan else None
        days = days_of(store, records, own) if own else [*records]
        asked = day or max(days, default="")
        window = load(store, records, asked, own) if asked in days else None
        if window is None:
            what = f"first sessions of the plan {plan}" if plan else "usable reports"
            known = f"days with some: ..., {', '.join(days[-3:])}" if days else _hint(plan)
            raise ResultError(f"{directory} has no {what} on {asked or 'any day'}; {known}")
        return _found(store, records, window)


def _hint(plan: str | None) -> str:
    return "tierscope fleet collect lists the plans" if plan else "run tierscope fleet run"


def _found(store: Store, records: dict[str, DayRecord], window: Window) -> Found:
    screened = screen(window)
    seen = sessions(store, records, window)
    tested = confirm(window, screened, seen)
    result = Outliers(
        day=window.day,
        window_days=window.days,
        plan=window.plan,
        machines=len(window.host),
        metrics=len(window.metrics),
        suspects=tuple(sorted(_suspects(window, screened, tested), key=_order)),
        groups=tuple(_groups(store, records, window, screened, tested)),
        wrong=tuple(_wrong(store, records[window.day])),
        inefficient=tuple(inefficient(window)),
        listed=records[window.day].listed,
        scores={
            machine: float(score)
            for machine, score in zip(window.machine, screened.deviation[:, -1].tolist(), strict=True)
            if not np.isnan(score)
        },
        origin="mixed" if len(window.origins) > 1 else "synthetic" if "synthetic" in window.origins else "measured",
    )
    last = window.day == days_of(store, records, window.plan)[-1]
    return Found(result, _plan(window, screened, tested) if last else None, last)


def _plan(window: Window, screened: Screened, tested: Confirmed) -> ConfirmPlan | None:
    open_ones = [place for place, slots in zip(tested.suspects.tolist(), tested.slots.max(axis=1, initial=0).tolist(),
                                               strict=True) if slots < LEAST_SLOTS]  # fmt: skip
    if not open_ones:
        return None
    controls = controls_of(screened, seed=int(window.day.replace("-", "")))
    hosts = [*open_ones, *controls.tolist()]
    return ConfirmPlan(
        day=window.day, plan=window.plan, sessions=SESSIONS,
        suspects=tuple(window.host[place] for place in open_ones),
        controls=tuple(window.host[place] for place in controls.tolist()),
        machines={window.host[place]: window.machine[place] for place in hosts},
    )  # fmt: skip


def _order(one: Suspect) -> tuple[int, float]:
    return (("slower", "odd", "inconclusive").index(one.verdict), -one.slower.value)


def _suspects(window: Window, screened: Screened, tested: Confirmed) -> Iterator[Suspect]:
    usual = {part.name: usual_facts([window.facts[place] for place in part.peers.tolist()]) for part in screened.parts}
    spread = {part.name: np.maximum(healthy(part, window), 1e-6) for part in screened.parts}
    part_of = {place: part for part in screened.parts for place in part.places.tolist()}
    for row, place in enumerate(tested.suspects.tolist()):
        part = part_of[place]
        metrics = tuple(_metrics(window, tested, row, spread[part.name]))
        done = int(tested.slots[row].max(initial=0)) >= LEAST_SLOTS
        if not done:
            metrics = _screened(window, screened, place, part)
        verdict, reason = _verdict(metrics, done)
        yield Suspect(
            host=window.host[place],
            machine=window.machine[place],
            group=part.name,
            verdict=verdict,
            slower=headline(metrics, verdict).slower,
            metrics=tuple(sorted(metrics, key=lambda one: -one.slower.value)[:20]),
            sessions=int(tested.slots[row].max(initial=0)),
            tested=done,
            reason=reason,
            unlike=unlike(window.facts[place], usual[part.name]),
        )


def _metrics(window: Window, tested: Confirmed, row: int, spread: Floats) -> Iterator[MetricSize]:
    """Yield what the confirming sessions measured of a suspect."""
    for column, name in enumerate((*window.metrics, "all")):
        mean, error = float(tested.mean[row, column]), float(tested.error[row, column])
        if not np.isnan(mean + error):
            half = tested.quantile * error
            size = size_of(mean, half)
            confirmed = bool(tested.rejected[row, column])
            yield MetricSize(name, size, float(-mean / spread[column]), confirmed)


def _screened(window: Window, screened: Screened, place: int, part: Part) -> tuple[MetricSize, ...]:
    """Return what the screen saw of a suspect without confirming sessions, with 95 % intervals of the peers' spread."""
    found = []
    for column, name in enumerate((*window.metrics, "all")):
        mean, half = float(screened.deviation[place, column]), SIGMAS_95 * float(part.spread[column])
        if not np.isnan(mean):
            size = size_of(mean, half)
            found.append(MetricSize(name, size, float(-screened.z[place, column]), confirmed=False))
    return tuple(found)


def healthy(part: Part, window: Window) -> Floats:
    """Return the spread of a part with the noise of the window's mean taken out, (metrics + 1,)."""
    days = max(1.0, float(np.median(window.count)))
    noise = np.nan_to_num(window.noise) ** 2 / days
    return np.asarray(np.sqrt(np.maximum(part.spread**2 - noise, (part.spread / 4) ** 2)))


def _verdict(metrics: Sequence[MetricSize], done: bool) -> tuple[Verdict, str]:
    slow = [one for one in metrics if one.confirmed]
    if slow:
        within = all(one.spreads < ODD for one in slow)
        more = "; peers differ nearly as much" if within else ""
        return "slower", f"slower than its peers in {_named(slow)}{more}"
    if not done:
        return "inconclusive", f"suspect after the screen; {LEAST_SLOTS} sessions with controls are needed"
    odd = [one for one in metrics if one.slower.low > 0 and one.spreads > ODD]
    if odd:
        return "odd", f"unlike its peers in {_named(odd)}, but not surely by more than {100 * LIMIT:.0f} %"
    return "inconclusive", f"the sessions did not confirm that it is more than {100 * LIMIT:.0f} % slower"


def _named(metrics: Sequence[MetricSize]) -> str:
    names = [one.metric for one in metrics if one.metric != "all"]
    if not names or len(names) > 3:
        return f"{len(names)} metrics" if names else "the mean of all metrics"
    return ", ".join(names)


def headline(metrics: Sequence[MetricSize], verdict: Verdict) -> MetricSize:
    """Return the mean of all metrics where it is confirmed and most are, else the slowest that counts."""
    counting = [one for one in metrics if one.confirmed] if verdict == "slower" else list(metrics)
    whole = next((one for one in counting if one.metric == "all"), None)
    single = [one for one in counting if one.metric != "all"]
    many = len(single) >= PLENTY * max(1, len(metrics) - 1)
    if whole is not None and (many or not single) and verdict != "inconclusive":
        return whole
    return max(single or counting, key=lambda one: one.slower.value,
               default=MetricSize("all", Size(0.0, 0.0, 0.0), 0.0, confirmed=False))  # fmt: skip


def usual_facts(peers: Sequence[dict[str, str]]) -> dict[str, str]:
    """Return the facts that three quarters of the machines share."""
    values = {
        name: Counter(one.get(name, "") for one in peers) for name in sorted({name for one in peers for name in one})
    }
    common = {name: counts.most_common(1)[0] for name, counts in values.items()}
    return {name: value for name, (value, count) in common.items() if value and count >= 0.75 * len(peers)}


def unlike(own: dict[str, str], usual: dict[str, str]) -> tuple[str, ...]:
    """Return the facts in which a machine differs from most of its peers."""
    return tuple(
        f"{name}={own.get(name, 'unknown')} (peers: {value})" for name, value in usual.items() if own.get(name) != value
    )


def _groups(
    store: Store, records: dict[str, DayRecord], window: Window, screened: Screened, tested: Confirmed
) -> Iterator[Group]:
    """Yield each group, or each of its two kinds."""
    before = against_first_days(store, records, window)
    for part in screened.parts:
        every, one = sees(part, window, tested if tested.slots.size and tested.slots.max() else None)
        group = str(window.group[part.places[0]])
        known = window.efficiency[part.places]
        yield Group(
            name=part.name,
            facts=_common([window.facts[place] for place in part.places.tolist()]),
            machines=len(part.places),
            peers=len(part.peers),
            spread=float(healthy(part, window)[-1]),
            sees=every,
            sees_one=one,
            efficiency=float(np.nanmedian(known)) if not np.all(np.isnan(known)) else None,
            slower_than_before=before.get(group),
            modes_apart=None if part.apart is None else float(-np.expm1(-part.apart)),
            slow_share=part.slow_share,
            covariate=part.covariate,
        )


def _common(facts: Sequence[dict[str, str]]) -> dict[str, str]:
    """Return the facts that all machines share."""
    first = facts[0]
    return {name: value for name, value in first.items() if all(one.get(name) == value for one in facts)}


def _wrong(store: Store, record: DayRecord) -> Iterator[WrongAnswer]:
    found = store.query(
        "SELECT host, machine, max(wrong) AS wrong FROM {files} WHERE wrong > 0 GROUP BY host, machine ORDER BY host",
        record.files.get("scores", ()),
    )
    for host, machine, count in zip(found["host"], found["machine"], found["wrong"], strict=True):
        yield WrongAnswer(str(host), str(machine), record.day, int(count))
