"""Translation over the number of pages touched: a step up for each level of the TLB that they outgrew."""

from tierscope.draw import figures, theme, vega
from tierscope.draw.curves import Curves
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.result import Run
from tierscope.suites.tlb.row import TlbRow, show_pages, touched
from tierscope.suites.tlb.table_levels import TlbLevelsRow
from tierscope.tables import Insight, tables

RULES = "tlb_levels"  # the table whose entries are drawn as rules
TIPS = vega.tips(
    ("pages", "pages"), ("touched", "touched"), ("ns", "translation, ns"), ("low", "95 % interval from, ns"),
    ("high", "to, ns"), ("apart", "a page apart, ns"), ("beside", "side by side, ns"), ("verdict", "verdict"),
)  # fmt: skip


class Tlb:
    """Points with their intervals, one line for each page size; rules are the entries found, bands their bounds."""

    name = "tlb"
    title = "What translation adds to an access"
    table = "tlb"
    reading = (
        "Time of an access to one of this number of lines, each on a page or part of its own, minus that with the "
        "same lines side by side: caches do the same for both. A plateau is a level of the TLB, the last one a page "
        "walk or a level that was not exceeded. Rules are the entries found, bands their bounds; hollow points are "
        "inconclusive."
    )

    def draw(self, run: Run, rows: list[TlbRow], insights: list[Insight]) -> Spec | None:
        """Return the chart of the rows of `tlb`, and the entries of `tlb_levels`."""
        points = [point(row) for row in rows if row.extra]
        if not points:
            return None
        names = list(dict.fromkeys(one["pages"] for one in points))
        hues = dict(zip(names, theme.hues(len(names)), strict=True))
        found = [row for row in tables[RULES].rows(run) if row.entries is not None]
        bands = [layer for row in found for layer in _band(row, hues[show_pages(row.page_bytes, row.part_bytes)])]
        body = {"data": {"values": points}, "layer": [*bands, *_layers(names, hues, touched(rows))]}
        title = vega.origin_title(self.title, run.result.origin)
        notes = [vega.missing(len(rows), len(points))]
        return vega.finish(title, body, labels=names, axes={"x": "log", "y": "linear"}, notes=notes, height=380)


def point(row: TlbRow) -> Point:
    """Return one datum."""
    return {
        "pages": show_pages(row.page_bytes, row.part_bytes),
        "touched": row.touched,
        **vega.bar("ns", row.extra, vega.ns),
        "apart": vega.ns(row.latency.middle if row.latency else None),
        "beside": vega.ns(row.control.middle if row.control else None),
        "verdict": row.verdict,
    }


def _band(row: TlbLevelsRow, colour: str) -> list[Spec]:
    """Return the bounds of a level's entries, and the rule in them, in the colour of the page size.

    A bound of 0 has no place on the axis: then only the rule is drawn, at the upper bound.
    """
    low = row.entries_low or row.entries_high
    data = {"values": [{"from": low, "at": row.entries, "to": row.entries_high}]}
    band = {
        "data": data,
        "mark": {"type": "rect", "clip": True, "opacity": 0.14, "color": colour},
        "encoding": {"x": vega.field("from", "q"), "x2": {"field": "to"}},
    }
    rule = {
        "data": data,
        "mark": {"type": "rule", "clip": True, "strokeWidth": 1.2, "color": colour},
        "encoding": {"x": vega.field("at", "q")},
    }
    return [band, rule]


def _layers(names: list[str], hues: dict[str, str], title: str) -> list[Spec]:
    x = vega.number("touched", title, "log", across=True, scale={"base": 2, "nice": False})
    y = vega.number("ns", "translation, ns")
    colours = [hues[name] for name in names]
    hue = vega.field("pages", "n", None, sort=names, scale={"domain": names, "range": colours})
    curves = Curves(x, y, hue)
    return [curves.interval(3), curves.line(), curves.dots(30, TIPS), vega.hollow(x, y, TIPS, 11)]


figures.add(Tlb())
