"""The numbers of earlier runs on this machine, kept for later runs of this user.

A run lasts seconds, and a machine may drift over minutes and days. So each run keeps what it found for each point:
log(number), and its variance as the visits of that run show it. The next run stores what these show together
(`stats.between_runs`), and its intervals contain it. Points with doubts are not kept, and runs that were stopped keep
none.

The file is in the user's cache folder and is named by a digest of the machine: another machine, or this one with other
memory or another kernel, starts empty. A user who removes it starts again. It contains no verdicts: a run stores what
it used, so that its verdicts are the same everywhere.
"""

import math
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import msgspec

from tierscope.record.earlier import Between, Earlier
from tierscope.record.machine import Machine
from tierscope.record.result import Record, Run
from tierscope.run.kept import keep, kept_file
from tierscope.stats.between_runs import Once, apart, between_of, is_shown
from tierscope.stats.takes import takes_of
from tierscope.tables.drifts import kinds, own_word, word_of
from tierscope.tables.measured import judged
from tierscope.tables.visited import is_visited

FOLDER = "earlier"
MOST = 32  # runs of a point that are kept, the latest
OLDEST = timedelta(days=30)  # after that a run shows nothing about the present one: systems and hypervisors change
LARGEST = 64 << 20  # bytes of a file; one of 1000 points in 32 runs has some 3 MB


class Found(msgspec.Struct, frozen=True):
    """A point in one run. log, variance: as `stats.between_runs.Once`."""

    started: datetime
    log: float
    variance: float


class Point(msgspec.Struct):
    """A point. kinds: its kind, and the larger one, as words."""

    kinds: tuple[str, ...]
    runs: list[Found]


class OfGroup(NamedTuple):
    """A group of a take, and the name that its number is kept under."""

    key: str
    kinds: tuple[str, ...]
    found: Once


class EarlierRuns:
    """The runs of one machine. path: where they are kept; None: nowhere. assumed: until enough runs are known."""

    def __init__(self, path: Path | None, now: datetime | None = None, assumed: Between | None = None) -> None:
        self._path, self._assumed = path, assumed
        self._now = now or datetime.now(UTC)
        self._known = _read(path, self._now)

    def shown(self) -> Earlier:
        """Return what they show together."""
        by_kind: dict[str, dict[str, list[Once]]] = defaultdict(dict)
        for key, point in self._known.items():
            for kind in point.kinds:
                by_kind[kind][key] = [Once(one.log, one.variance) for one in point.runs]
        larger = {kind for point in self._known.values() for kind in point.kinds[1:]}
        found = [one for kind in sorted(by_kind) for one in _of_kind(kind, by_kind[kind], larger=kind in larger)]
        every = {one.started for point in self._known.values() for one in point.runs}
        return Earlier(
            runs=len(every),
            since=min(every).isoformat(timespec="seconds") if every else "",
            kinds=tuple(one for one in found if one.degrees),
            assumed=self._assumed,
        )

    def add(self, run: Run) -> None:
        """Add the points of a run that is complete, and keep all."""
        if self._path is None or not run.result.complete:
            return
        started = datetime.fromisoformat(run.result.started)
        self._known = _read(self._path, self._now)  # another run may have ended meanwhile
        for group in (group for record in run.result.records if is_visited(record) for group in _groups(run, record)):
            point = self._known.setdefault(group.key, Point(group.kinds, []))
            others = [one for one in point.runs if one.started != started]
            point.runs = [*others, Found(started, group.found.log, group.found.variance)][-MOST:]
        keep(self._path, msgspec.json.encode(self._known))


def _of_kind(kind: str, points: dict[str, list[Once]], *, larger: bool) -> Iterator[Between]:
    """Yield what the points of a kind show together, and each that is apart from them alone.

    larger: the kind is the larger one of its points, which are unlike: none is apart. A point that is apart drifts at
    least as its kind does, since its few runs may agree by chance. If the points do not show their kind, each that was
    repeated has its own drift.
    """
    alone = set() if larger else apart(list(points.values()))
    rest = [found for place, found in enumerate(points.values()) if place not in alone]
    together = between_of(rest)
    if is_shown(rest):
        yield msgspec.structs.replace(together, kind=kind)
    elif not larger:
        alone, together = set(range(len(points))), Between()
    for place, (key, found) in enumerate(points.items()):
        if place in alone:
            own = between_of([found])
            yield msgspec.structs.replace(own, kind=key, variance=max(own.variance, together.variance))


def earlier_file(machine: Machine) -> Path | None:
    """Return the file of a machine; see `kept_file`. Machines of one kind that share a home have several, by name."""
    return kept_file(FOLDER, machine.identity.digest(), machine.hostname)


def _groups(run: Run, record: Record) -> Iterator[OfGroup]:
    """Yield the groups of a point whose number is not in doubt, apart from the width of its interval."""
    caches = run.result.machine.identity.caches
    takes = takes_of(record.experiment)
    for number, (take, point) in enumerate(zip(takes, judged(run, record).points, strict=True)):
        own = point.seen.own if point.seen else ()
        for group, found in zip(take, own, strict=False):
            if math.isfinite(found.log) and math.isfinite(found.variance):
                words = tuple(map(word_of, kinds(record, take, group, caches)))
                yield OfGroup(own_word(record.experiment, number, group), words, found)


def _read(path: Path | None, now: datetime) -> dict[str, Point]:
    """Return what is kept and young enough; nothing of a file that is absent or damaged, nor what no run finds."""
    if path is None:
        return {}
    with suppress(OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        if path.stat().st_size > LARGEST:
            return {}
        known = msgspec.json.decode(path.read_bytes(), type=dict[str, Point])
        for point in known.values():
            point.runs = [one for one in point.runs if _possible(one, now)][-MOST:]
        return {key: point for key, point in known.items() if point.runs}
    return {}


def _possible(one: Found, now: datetime) -> bool:
    usual = math.isfinite(one.log) and 0 <= one.variance < math.inf and one.started.tzinfo is not None
    return usual and now - OLDEST <= one.started <= now
