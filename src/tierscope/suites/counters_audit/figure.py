"""Factors of events that promise a known quantity: a point for each kernel, 1 where the event counts what it states."""

from tierscope.draw import figures, vega
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.result import Run
from tierscope.suites.counters_audit.row import EventCountsRow
from tierscope.tables import Insight

TIPS = vega.tips(
    ("event", "event"), ("kernel", "kernel"), ("factor", "factor"), ("low", "95 % interval from"), ("high", "to"),
    ("count", "of one operation"),
)  # fmt: skip


class EventFactors:
    """One line for each event."""

    name = "event_factors"
    title = "Counted over known, by event and kernel"
    table = "event_counts"
    reading = (
        "Each dot is the count of an event over what the kernel is known to have done of what the event's name states. "
        "An event that counts correctly has all its dots at 1; dots of one event that are apart show that it counts "
        "something else, too."
    )

    def draw(self, run: Run, rows: list[EventCountsRow], insights: list[Insight]) -> Spec | None:
        """Draw the rows of `event_counts`."""
        del insights
        points = [_point(row) for row in rows if row.factor]
        if not points:
            return None
        events = list(dict.fromkeys(str(point["event"]) for point in points))
        y = vega.field("event", "n", None, sort=events, axis={"labelLimit": 260})
        x = vega.number("factor", "counted / known", across=True)
        hue = vega.field("kernel", "n", "kernel")
        offset = {"field": "kernel"}
        rule = {
            "mark": {"type": "rule", "clip": True, "strokeWidth": 2},
            "encoding": {"y": y, "yOffset": offset, "x": vega.field("low", "q"), "x2": {"field": "high"}, "color": hue},
        }
        dots = {
            "mark": {"type": "point", "filled": True, "clip": True, "size": 50},
            "encoding": {"y": y, "yOffset": offset, "x": x, "color": hue, "tooltip": TIPS},
        }
        body: Spec = {"data": {"values": points}, "layer": [rule, dots]}
        title = vega.origin_title(self.title, run.result.origin)
        kernels = list(dict.fromkeys(str(point["kernel"]) for point in points))
        return vega.finish(title, body, labels=kernels, axes={"x": "linear"}, notes=[], height=60 + 60 * len(events))


def _point(row: EventCountsRow) -> Point:
    assert row.factor
    return {
        "event": row.event,
        "kernel": row.kernel,
        "factor": round(row.factor.middle, 4),
        "low": row.factor.low,
        "high": row.factor.high,
        "count": row.per_operation,
    }


figures.add(EventFactors())
