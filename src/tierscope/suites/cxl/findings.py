"""The finding on the ratios of pages."""

from tierscope.stats.compare import Comparison, compare_all
from tierscope.suites.cxl.row import InterleaveRow
from tierscope.tables import Insight, Number
from tierscope.tables.measured import left_out, sure, sure_rows
from tierscope.units import show_rate


def said(rows: list[InterleaveRow]) -> list[Insight]:
    """Return the best ratio over near alone; a gain is stated only if intervals widened for all ratios show it."""
    mixed = [row for row in rows if row.near_pages and row.far_pages]
    known = sure_rows(mixed, lambda row: row.bandwidth)
    alone = next(((row, found) for row in rows if not row.far_pages and (found := sure(row, row.bandwidth))), None)
    if not known or alone is None:
        return []
    degrees = [fewer(row.degrees, alone[0].degrees) for row, _ in known]
    compared = compare_all([(alone[1], found) for _, found in known], degrees=degrees)
    (row, _), over = max(zip(known, compared, strict=True), key=lambda one: one[1].middle)
    gain = over.verdict == "faster"
    turn, rest = f"{row.near_pages}:{row.far_pages}", left_out(len(known), len(mixed), "ratios")
    rate = show_rate(row.bandwidth.middle) if row.bandwidth else ""
    ratio = f"{over.middle:.2f}x that of DRAM alone ({over.low:.2f} to {over.high:.2f})"
    text = f"Interleaving {turn} gives the highest bandwidth, {rate}: {ratio}{rest}"
    if not gain:
        best = f"the best, {turn}, has {ratio}{rest}"
        text = f"No ratio is shown to be faster than DRAM alone, {show_rate(alone[1].middle)}; {best}"
    share = Number(value=row.far_share, kind="share")
    return [_insight("best_ratio", text, over, share) if gain else _insight("no_gain", text, over, share)]


def _insight(name: str, text: str, over: Comparison, share: Number) -> Insight:
    return Insight.of(over, name=name, text=text, unit="1", others=(share,))


def fewer(one: float | None, other: float | None) -> float | None:
    """Return the fewer degrees of freedom; None if both are of many points."""
    return min((n for n in (one, other) if n is not None), default=None)
