"""Look up what changed on a host, or on most hosts of a group, near the date of a change: the facts of its reports."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from datetime import date, timedelta

import msgspec

from tierscope.fleet.store import DayRecord, Store, literal
from tierscope.fleet.trend_result import FactChange

NEAR = timedelta(days=3)  # a fact that changed so close to the date is named
MOMENTARY = {"load_1min", "steal", "clock_offset_s"}  # different on each day: no change of the host
MOST = 0.5  # of the hosts of a group


def changed_facts(store: Store, records: Mapping[str, DayRecord], machine: str, day: str) -> Iterator[FactChange]:
    """Yield the facts of a machine that changed within three days of a date."""
    for changes in _changes(store, records, day, f"machine = {literal(machine)}").values():
        yield from changes


def facts_of_most(store: Store, records: Mapping[str, DayRecord], group: str, day: str) -> Iterator[FactChange]:
    """Yield the facts that changed on most hosts of a group near a date; each with its most frequent day."""
    last = store.source(records[max(records)].files["scores"])
    members = f"SELECT machine_key FROM {last} WHERE session = 0 AND grp = {literal(group)}"
    every = _changes(store, records, day, f"machine_key IN ({members})")
    days: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for changes in every.values():
        for one in changes:
            days[one.fact, one.before, one.after][one.day] += 1
    for change, found in sorted(days.items()):
        if found.total() > MOST * len(every):
            yield FactChange(*change, found.most_common(1)[0][0])


def _changes(store: Store, records: Mapping[str, DayRecord], day: str, where: str) -> dict[int, list[FactChange]]:
    """Return of each machine its changes near a date, in their order; the version of Tierscope is a fact, too."""
    middle = date.fromisoformat(day)
    near = [one for one in records if abs(date.fromisoformat(one) - middle) <= NEAR]
    found = store.query(
        f"SELECT machine_key, day, tierscope, facts FROM {{files}} WHERE session = 0 AND {where} "
        "ORDER BY machine_key, day",
        [path for one in near for path in records[one].files["scores"]],
    )
    before: dict[int, dict[str, str]] = {}
    changes: dict[int, list[FactChange]] = {}
    for machine, when, version, text in zip(*(found[name].tolist() for name in found), strict=True):
        now = msgspec.json.decode(text, type=dict[str, str]) | {"tierscope": version}
        last = before.get(machine, now)
        changes.setdefault(machine, []).extend(
            FactChange(name, last.get(name, ""), now.get(name, ""), str(when))
            for name in sorted({*last, *now} - MOMENTARY)
            if last.get(name, "") != now.get(name, "")
        )
        before[machine] = now
    return changes
