"""How much each kind of point drifts in one run.

Points of one kind drift alike: the same table, operation, location, page size, number of threads, groups at the same
time, and the same cache that the footprint of a thread fits into. A kind with too few points takes all of its table
and operation.
"""

import hashlib
from collections import defaultdict
from collections.abc import Sequence

import msgspec

from tierscope.record.experiment import Experiment
from tierscope.record.machine import Cache
from tierscope.record.result import GroupFacts, Record
from tierscope.stats.drift import FEWEST, Drift, Spread, drift_of
from tierscope.stats.takes import takes_of

Kind = tuple[object, ...]


class Drifts:
    """The drift of each kind of a run, of one quantity."""

    def __init__(self, caches: Sequence[Cache]) -> None:
        self._caches = caches
        self._spreads: dict[Kind, list[Spread]] = defaultdict(list)
        self._known: dict[Kind, Drift | None] = {}

    def add(self, record: Record, take: Sequence[int], group: int, found: Spread | None) -> None:
        """Add what the visits of a group of a take show; all are added before the first drift is asked for."""
        if found is not None:
            for kind in kinds(record, take, group, self._caches):
                self._spreads[kind].append(found)

    def of(self, record: Record, take: Sequence[int], group: int) -> Drift | None:
        """Return the drift of a group of a take; None where too few points of its kind are known."""
        known = kinds(record, take, group, self._caches)
        kind = next((one for one in known if len(self._spreads[one]) >= FEWEST), known[-1])
        if kind not in self._known:
            self._known[kind] = drift_of(self._spreads[kind])
        return self._known[kind]


def kinds(record: Record, take: Sequence[int], group: int, caches: Sequence[Cache]) -> tuple[Kind, Kind]:
    """Return the kind of a group, and the larger kind that replaces it if needed."""
    facts, asked = record.groups[group], record.experiment.groups[group]
    coarse = (record.experiment.table, facts.operation)
    place = (facts.target, facts.source, asked.target.pages, len(facts.cpus), len(take))
    return (*coarse, *place, level_of(facts, caches)), coarse


def kinds_of(record: Record, caches: Sequence[Cache]) -> tuple[Kind, Kind]:
    """Return the kinds of a point, by the group that is measured."""
    return kinds(record, takes_of(record.experiment)[-1], len(record.groups) - 1, caches)


def word_of(kind: Kind) -> str:
    """Return the words that a kind is stored under: 'stream line node:0 None thp 1 1 0'."""
    return " ".join(map(str, kind))


def own_word(asked: Experiment, number: int, group: int) -> str:
    """Return the words that a number of its own is stored under: all that was asked for, apart from how long and how
    often.

    number: of the take.
    """
    take = takes_of(asked)[number]
    settings = asked.settings[number] if asked.settings else ()
    content = (asked.table, [asked.groups[one] for one in take], settings, take.index(group))
    return hashlib.sha256(msgspec.json.encode(_given(msgspec.to_builtins(content)))).hexdigest()[:16]


def _given(value: object) -> object:
    """Return the content without empty fields: a field that a later version adds does not change the words."""
    if isinstance(value, dict):
        return {key: _given(one) for key, one in value.items() if one or (one == 0 and one is not False)}
    return [_given(one) for one in value] if isinstance(value, list | tuple) else value


def level_of(facts: GroupFacts, caches: Sequence[Cache]) -> int:
    """Return the first level of cache that the footprint of a thread fits into; 0: it is in memory."""
    share = facts.footprint_bytes / max(len(facts.cpus), 1)
    fitting = [one.level for one in caches if one.kind != "Instruction" and share <= one.size_bytes]
    return min(fitting, default=0)
