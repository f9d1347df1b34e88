"""Memory traffic of others: one row for the whole time of the watch, and one for each of its windows.

    traffic    see `stats.traffic`

If the data do not support a state, the row has the reason instead.
Blind to traffic that was already there while the curve was measured: it is part of the curve's zero.
"""

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from statistics import mean
from typing import ClassVar

import msgspec

from tierscope.record.labels import present
from tierscope.record.result import Record, Run
from tierscope.stats.median import Interval
from tierscope.stats.traffic import Curve, Traffic, Zero, traffic
from tierscope.suites.background.known import BEFORE, Known, known_of
from tierscope.suites.background.labels import WatchLabels
from tierscope.suites.background.pieces import FEWEST, UNDISTURBED, Window, windows_of
from tierscope.suites.background.row import BackgroundRow
from tierscope.suites.background.said import BELOW, MORE, SOME, UNKNOWN, said_of
from tierscope.tables import Asked, Insight, Main, tables
from tierscope.tables.measured import closing, judged_once, percent, records
from tierscope.units import show_rate

FEW = "without load the latency was measured too few times to know how much it varies; leave visits=3, or add loads"


class Background:
    """One row for each window of the [time watched](../how-to/background.md), after one for all of them."""

    name: ClassVar[str] = "background"
    title: ClassVar[str] = "Memory traffic of others"
    asked: ClassVar[Asked] = Asked(
        question="How much do others move?",
        answers=("background",),
        keys={"background": "memory traffic of others"},
        leads=True,
    )
    place: ClassVar[int] = 5
    keys: ClassVar[tuple[str, ...]] = ("window", "target")
    main: ClassVar[tuple[Main, ...]] = (Main("traffic_bytes_per_s", less_is_better=True),)
    row: ClassVar[type[BackgroundRow]] = BackgroundRow
    says: ClassVar[dict[str, str]] = {
        "background": "traffic of others over the whole time; none where it is below what the probe can see",
        "background_most": "traffic in the window with the most",
    }

    def rows(self, run: Run) -> list[BackgroundRow]:
        return [
            row
            for record in records(run, self.name)
            if WatchLabels.read(record.experiment).part != BEFORE
            for row in Watched(run, record).rows()
        ]

    def insights(self, run: Run, rows: list[BackgroundRow]) -> list[Insight]:
        del run
        return said_of(rows)


class Watched:
    """One watch with the curves on which it depends."""

    def __init__(self, run: Run, record: Record) -> None:
        self._run, self._record = run, record
        labels = WatchLabels.read(record.experiment)
        stored = present(labels.known)
        self._known = known_of(run) if stored is None else msgspec.json.decode(stored, type=Known)
        self._curves: list[Curve] = self._known.curves()
        self._simulated = record.groups[0].origin == "simulated"
        self._zero: Zero | None = self._known.zero(alike=stored is None or self._simulated)
        self._windows = windows_of(run, record, labels.window_s, self._known.core_s)

    def rows(self) -> list[BackgroundRow]:
        """Return the row of all windows, then that of each window; an empty list if there is no block."""
        each = [self._row(number, [window]) for number, window in enumerate(self._windows)]
        return [self._row(None, self._windows), *each] if each else []

    def _row(self, number: int | None, windows: Sequence[Window]) -> BackgroundRow:
        used = [window for window in windows if window.pieces]
        why = self._why_not(windows, used)
        found = None if why or self._zero is None else self._traffic(used, self._zero)
        state = UNKNOWN if found is None else _state(found)
        if found is not None and state == UNKNOWN:
            why = self._unseen()
        ratio = self._over_idle(used)
        if ratio and found and ratio.high < 1:
            state, found = UNKNOWN, None
            why = (
                "an access is faster now than without load when the curve was measured: its zero is not right any more"
            )
        begin = windows[0].begin_s
        started = datetime.fromisoformat(self._record.started) + timedelta(seconds=begin)
        point = judged_once(self._run, self._record).points[0]
        last = closing(self._record, point) | {"conclusive": not why, "reasons": (why,) if why else ()}
        return BackgroundRow(
            window=number,
            at=started.isoformat(timespec="milliseconds"),
            begin_s=begin,
            end_s=windows[-1].end_s,
            state=state,
            traffic=None if found is None or state == UNKNOWN else _interval(found, used),
            latency=_latency(used),
            over_idle=ratio,
            slower=None if self._simulated or not used else mean(window.slower for window in used),
            curve_end_bytes_per_s=min((curve.end for curve in self._curves), default=None),
            target=self._record.groups[0].target,
            **last,
        )

    def _why_not(self, windows: Sequence[Window], used: Sequence[Window]) -> str:
        """Return why the traffic is not known; "" if it is."""
        if self._known.doubt:
            return f"the curve cannot be used: {self._known.doubt}"
        if not self._curves:
            return "no load of ours has a known latency and known bytes on the bus"
        if self._zero is None:
            return FEW
        if not used:
            if all(window.kept >= UNDISTURBED for window in windows):
                return f"no batch of the probe has {FEWEST} undisturbed blocks"
            kept = percent(mean(window.kept for window in windows))
            return f"only {kept} of the blocks were undisturbed, {percent(UNDISTURBED)} are needed"
        return ""

    def _unseen(self) -> str:
        end = show_rate(min(curve.end for curve in self._curves))
        varies = f"{math.expm1(self._zero.error):.1%}" if self._zero else ""
        return f"latency varies by {varies} without load, and even {end} of our own, of some mix, add no more than that"

    def _traffic(self, used: Sequence[Window], zero: Zero) -> Traffic:
        """Return the mean of the windows."""
        found = [traffic(window.pieces, zero, self._curves, window.slower) for window in used]
        return Traffic(
            mean(one.low for one in found), mean(one.middle for one in found), mean(one.high for one in found)
        )

    def _over_idle(self, used: Sequence[Window]) -> Interval | None:
        if self._zero is None or not used:
            return None
        ratio = mean(piece.latency_s for window in used for piece in window.pieces) / self._zero.latency_s
        scatter = mean(piece.error for window in used for piece in window.pieces)
        wider = math.exp(math.hypot(self._zero.error, scatter))
        return Interval(ratio / wider, ratio, ratio * wider, sum(len(window.pieces) for window in used))


def _state(found: Traffic) -> str:
    if math.isinf(found.high):
        return MORE if found.low > 0 else UNKNOWN
    return SOME if found.low > 0 else BELOW


def _interval(found: Traffic, used: Sequence[Window]) -> Interval:
    return Interval(found.low, found.middle, found.high, sum(len(window.pieces) for window in used))


def _latency(used: Sequence[Window]) -> Interval | None:
    pieces = [piece for window in used for piece in window.pieces]
    if not pieces:
        return None
    middle = mean(piece.latency_s for piece in pieces)
    wider = math.exp(mean(piece.error for piece in pieces) / math.sqrt(len(pieces)))
    return Interval(middle / wider, middle, middle * wider, len(pieces))


tables.add(Background())
