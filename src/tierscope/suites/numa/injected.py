"""Sentences from the rows of the table `injection`: what the machine moves, and what its nodes share."""

from tierscope.stats.compare import compare_all
from tierscope.suites.numa.row import InjectionRow
from tierscope.tables import Insight, Number
from tierscope.tables.measured import left_out, percent, ratio_word, sure_rows
from tierscope.units import show_rate

ALL = "all"


def said(rows: list[InjectionRow]) -> list[Insight]:
    """Return the most that the machine moves, and each kernel for which the nodes share something."""
    every = [row for row in rows if row.node == ALL]
    return [*_most(every), *_shared(every)]


def _most(every: list[InjectionRow]) -> list[Insight]:
    """Return the most that the machine moves; the sentence names a kernel alone only if it differs from the others."""
    known = sure_rows(every, lambda row: row.bandwidth)
    if not known:
        return []
    best, most = max(known, key=lambda pair: pair[1].middle)
    others = [pair for pair in known if pair[0] is not best]
    alike = [
        row.kernel
        for (row, _), one in zip(others, compare_all([(rate, most) for _, rate in others]), strict=True)
        if one.verdict == "no difference shown"
    ] if others else []  # fmt: skip
    of = f", {percent(best.peak_share)} of the theoretical peak on the bus" if best.peak_share else ""
    same = f", as do {', '.join(alike)}" if alike else ""
    text = f"The machine moves {show_rate(most.middle)} with {best.kernel} on {best.threads} CPUs{of}{same}"
    shares = (Number(value=best.peak_share, kind="share"),) if best.peak_share else ()
    return [
        Insight.of(
            most,
            name="machine",
            text=text + left_out(len(known), len(every), "kernels"),
            unit="B/s",
            others=shares,
        )
    ]


def _shared(every: list[InjectionRow]) -> list[Insight]:
    """Return kernels whose nodes reach less at the same time than alone, by intervals widened for their number."""
    pairs = [(row, row.alone, rate) for row, rate in sure_rows(every, lambda row: row.bandwidth) if row.alone]
    ratios = compare_all([(alone, rate) for _, alone, rate in pairs]) if pairs else ()
    found = []
    for (row, alone, _), ratio in zip(pairs, ratios, strict=True):
        if ratio.verdict != "slower":
            continue
        low, middle, high = map(ratio_word, (ratio.low, ratio.middle, ratio.high))
        found.append(
            Insight.of(
                ratio,
                name=f"shared {row.kernel}",
                text=f"{row.kernel}: all nodes at the same time move {middle}x the sum of the nodes alone "
                f"({low} to {high}), {show_rate(alone.middle)}: the nodes share a resource",
                unit="1",
            )
        )
    return found
