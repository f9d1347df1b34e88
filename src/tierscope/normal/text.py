"""Whether a machine is normal, in the terminal and as a document."""

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tierscope.compare.points import said
from tierscope.normal.band import BLIND, FEWEST, Band, Beside, Normal
from tierscope.normal.entry import Kind
from tierscope.printable import printable
from tierscope.units import show_three

LINES = 40  # points in the terminal; --json has all


def show(found: Normal, console: Console) -> None:
    """Print the sentence, then the points, those outside of their band first."""
    console.print(Text(sentence(found), style="bold"))
    known = [row for row in found.rows if row.band]
    if not known:
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name, right in (("point", False), ("here", True), ("similar machines", True), ("", False)):
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    ordered = sorted(known, key=lambda row: (row not in found.odd, not row.worse, row.verdict == "normal"))
    for row in ordered[:LINES]:
        table.add_row(
            Text(printable(f"{row.measure}: {row.point}")),
            said(row.number, row.unit, show_three),
            _beside(row),
            row.verdict,
        )
    console.print(table)
    if len(ordered) > LINES:
        console.print(Text(f"... {len(ordered) - LINES} more points, all with --json", style="dim"))


def sentence(found: Normal) -> str:
    """Return one sentence: normal, what is not, or why that is not known."""
    if found.origin != "real":
        return f"Not asked: the run is {found.origin}, and only measurements of real memory show what is normal."
    if not found.machines:
        return f"Not known: no similar machine is known. {_similar(found.kind)}{_others(found)}"
    judged = found.judged
    if not judged:
        few = max((row.band.machines for row in found.rows if row.band), default=0)
        why = (
            f"at most {_machines(few)} a point in common with this run, and a band needs {FEWEST}: a fifth of fewer is "
            "not one machine"
            if few < FEWEST
            else "no number of this run is conclusive"
        )
        return f"Not known: {why}."
    if not found.odd:
        worse = sum(row.worse for row in judged)
        rest = f"; {worse} are in the worst fifth, as on many a machine" if worse else ""
        beside, count = f"{found.machines} similar machines", len(judged)
        if found.detectable > BLIND:
            return f"Not known: the numbers of {beside} differ so much that one would have to be {_off(found)} off."
        rest += f"; one that is {_off(found)} off would stand out"
        if found.slow:
            return (
                f"Yes, but slow: {worse} of {count} numbers are in the worst fifth of {beside}, none is far from them."
            )
        return f"Yes: {count - worse} of {count} numbers are as on most of {beside}, or better{rest}."
    worst = found.odd[0]
    return (
        f"No: {len(found.odd)} of {len(judged)} numbers are far worse than those of {found.machines} similar machines, "
        f"first {worst.measure}: {worst.point} ({said(worst.number, worst.unit, show_three)}; {_beside(worst)})."
    )


def _off(found: Normal) -> str:
    """Return '27 %' or '3.1x': how far off a number is noticed."""
    share = found.detectable
    return f"{100 * share:.0f} %" if share < 1 else f"{share + 1:.2g}x"


def data(found: Normal) -> dict[str, Any]:
    """Return everything as a document."""
    return {
        "machines": found.machines,
        "others": found.others,
        "points": [
            {
                "measure": row.measure,
                "point": row.point,
                "unit": row.unit,
                "value": row.number.value,
                "low": row.number.low,
                "high": row.number.high,
                "band_low": row.band.low if row.band and not row.band.few else None,
                "band_high": row.band.high if row.band and not row.band.few else None,
                "machines": row.band.machines if row.band else 0,
                "values": list(row.band.values) if row.band else [],
                "verdict": row.verdict,
                "worse": row.worse,
                "far": row in found.odd,
            }
            for row in found.rows
        ],
    }


def band_words(band: Band, unit: str) -> str:
    """Return '29.1 GB/s to 35.0 GB/s, 20 to 80 % of 41 machines'; fewer than a band needs are named as what they are.

    One is a value, not a range; of two to four there are their ends.
    """
    ends = [show_three(end, unit) for end in (band.values[0], band.values[-1])]
    if band.machines == 1:
        return f"{ends[0]}, the one similar machine"
    if band.few:
        return f"{' to '.join(ends)}, all {band.machines} similar machines"
    low, high = show_three(band.low, unit), show_three(band.high, unit)
    return f"{low} to {high}, 20 to 80 % of {band.machines} machines"


def _beside(row: Beside) -> str:
    return band_words(row.band, row.unit) if row.band else ""


def _similar(kind: Kind) -> str:
    guest = "guests" if kind.guest else "machines without a hypervisor"
    packages = f"{kind.packages} package{'s' if kind.packages > 1 else ''}"
    nodes = f"{kind.nodes} node{'s' if kind.nodes > 1 else ''} with memory"
    return (
        f"Similar are {guest} with {kind.family}, {kind.cpus} CPUs, {packages} and {nodes}; add their runs with "
        "`tierscope normal add RUN`."
    )


def _others(found: Normal) -> str:
    if not found.others:
        return ""
    return f" {'1 other machine is' if found.others == 1 else f'{found.others} other machines are'} known, not similar."


def _machines(count: int) -> str:
    return "1 similar machine has" if count == 1 else f"{count} similar machines have"
