"""A document in a terminal, and as plain data: claims with their figures, then which of them are true."""

from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tierscope.draw.cells import NOTHING
from tierscope.reproduce.claim import Claim, Document, Figure
from tierscope.reproduce.score import Score, nearest, side_by_side

NAMED = 4  # figures of one reason that are named; more are counted
WIDTH = 17  # of a column of predictions; names of models wrap in it
ROWS = 20  # a claim of more figures shows the wrong ones, unless all are requested


def show(document: Document, console: Console, everything: bool = False) -> None:
    """Print tables and lists on the console."""
    claims = document.claims()
    console.print(f"document {document.name}: {document.title}\n", highlight=False)
    for claim in claims:
        _print_claim(claim, console, everything)
    if scores := document.scores():
        console.print("Models on what the document measured, at points that they were not given", highlight=False)
        console.print(_scores(scores))
        console.print()
        if beside := side_by_side(scores):
            console.print("The same, row by row; * is nearest", highlight=False)
            console.print(_rows(beside))
            console.print()
    for head, lines in _lists(claims, document.remarks()):
        console.print(head, highlight=False)
        for line in lines:
            console.print(Padding(Text(line), (0, 0, 0, 2), expand=False))
        console.print()


def summary(document: Document) -> str:
    """Return one line: how many figures are true, and whether these are the ones that we claim."""
    claims = document.claims()
    figures = [figure for claim in claims for figure in claim.figures]
    good = sum(figure.holds for figure in figures)
    told = (
        f"{document.name}  {good} of {len(figures)} figures are right, {len(figures) - good} are not; {document.title}"
    )
    wrong = len(unclaimed(claims))
    return f"{told}; {wrong} NOT AS TIERSCOPE STATES" if wrong else told


def unclaimed(claims: list[Claim]) -> list[str]:
    """Return the figures that are true where we give a reason against them, or the reverse."""
    return [
        f"{claim.where}, {claim.says}, {figure.label}: {'right' if figure.holds else 'not right'}"
        for claim in claims
        for figure in claim.figures
        if not figure.as_claimed
    ]


def data(document: Document) -> dict[str, Any]:
    """Return what `--json` prints: plain types only."""
    claims = document.claims()
    return {
        "document": document.name,
        "title": document.title,
        "as_claimed": not unclaimed(claims),
        "claims": [
            {"where": c.where, "says": c.says, "unit": c.unit, "figures": [_figure(f) for f in c.figures]}
            for c in claims
        ],
        "remarks": document.remarks(),
        "models": [score.row() for score in document.scores()],
    }


def _figure(figure: Figure) -> dict[str, object]:
    return {
        "label": figure.label,
        "published": figure.published,
        "recomputed": figure.recomputed,
        "difference": figure.difference,
        "measured": figure.measured,
        "published_error": error(figure.published, figure.measured),
        "recomputed_error": error(figure.recomputed, figure.measured),
        "holds": figure.holds,
        "reason": figure.fault,
    }


def error(value: float | str, measured: float | None) -> float | None:
    """Return (value - measured) / measured; None without a measured number."""
    return None if measured is None or isinstance(value, str) else (value - measured) / measured


def _print_claim(claim: Claim, console: Console, everything: bool) -> None:
    figures = claim.figures
    short = len(figures) > ROWS and not everything
    shown = [figure for figure in figures if not figure.holds] if short else list(figures)
    unit = f" ({claim.unit})" if claim.unit not in ("", "1") else ""
    console.print(f"{claim.where}: {claim.says}{unit}", highlight=False, markup=False)
    if shown:
        console.print(_table(shown, claim.of))
    if short:
        console.print(f"  {_short(figures)}", highlight=False)
    console.print()


def _short(figures: tuple[Figure, ...]) -> str:
    differences = [abs(figure.difference) for figure in figures if figure.difference is not None]
    largest = f", largest difference {max(differences):.3g}" if differences else ""
    return f"{sum(figure.holds for figure in figures)} of {len(figures)} figures are right{largest}; --all shows them"


def _table(figures: list[Figure], of: str) -> Table:
    scored = any(figure.measured is not None for figure in figures)
    table = Table(box=None, padding=(0, 1, 0, 0))
    heads = ("published", "recomputed", "difference", *(("measured", "published\nerror", "recomputed\nerror") * scored))
    table.add_column(of)
    for head in heads:
        table.add_column(head, justify="right", no_wrap=True)
    table.add_column("right")
    for figure in figures:
        table.add_row(figure.label, *_cells(figure, scored), "yes" if figure.holds else "no")
    return table


def _cells(figure: Figure, scored: bool) -> Iterator[str]:
    """Yield the published number as printed, the others with one digit more."""
    digits = figure.decimals
    yield _number(figure.published, digits)
    yield _number(figure.recomputed, digits + 1)
    yield NOTHING if figure.difference is None else f"{figure.difference:+.{digits + 1}f}"
    if scored:
        yield NOTHING if figure.measured is None else _number(figure.measured, digits)
        for value in (figure.published, figure.recomputed):
            share = error(value, figure.measured)
            yield NOTHING if share is None else f"{100 * share:+.1f} %"


def _scores(scores: list[Score]) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0))
    for head in ("model", "given"):
        table.add_column(head)
    bounds = {"inside\nbounds": [one.inside for one in scores], "half-\nwidth": [one.half_width for one in scores]}
    shown = {head: shares for head, shares in bounds.items() if any(one is not None for one in shares)}
    for head in ("points", "mean\nerror", "worst", *shown):
        table.add_column(head, justify="right", no_wrap=True)
    for one, *shares in zip(scores, *shown.values(), strict=True):
        cells = (NOTHING if share is None else f"{share:.0%}" for share in shares)
        table.add_row(
            one.model, one.given, str(len(one.points)), f"{one.mean_error:.1%}", f"{one.worst.error:+.1%}", *cells
        )
    return table


def _rows(scores: list[Score]) -> Table:
    """Return the points of models that have the same ones: predicted, and the error with the nearest marked."""
    table = Table(box=None, padding=(0, 1, 0, 0))
    table.add_column("")
    table.add_column("measured", justify="right", no_wrap=True)
    for one in scores:
        table.add_column(one.model, justify="right", min_width=WIDTH)
    best = nearest(scores)
    for place, points in enumerate(zip(*(one.points for one in scores), strict=True)):
        cells = (
            f"{point.predicted:,.4g} {point.error:+8.1%}{'*' if best[place] == model else ' '}"
            for model, point in enumerate(points)
        )
        table.add_row(points[0].label, f"{points[0].measured:,.4g}", *cells)
    table.add_row(f"mean of {len(best)}", "", *(f"{one.mean_error:.1%} " for one in scores))
    table.add_row("nearest in", "", *(f"{best.count(model)} " for model in range(len(scores))))
    return table


def _number(value: float | str, digits: int) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return value if isinstance(value, str) else f"{value:,.{digits}f}"


def _which(claim: Claim, reason: str) -> str:
    """Return the figures that a reason is for: nothing if for all, their number if many."""
    labels = [figure.label for figure in claim.figures if figure.fault == reason]
    if len(labels) == len(claim.figures):
        return ""
    return f", {'; '.join(labels)}" if len(labels) <= NAMED else f", {len(labels)} of {len(claim.figures)}"


def _lists(claims: list[Claim], remarks: list[str]) -> Iterator[tuple[str, list[str]]]:
    good = [f"{c.where}, {c.says}: {c.good} of {len(c.figures)}" for c in claims if c.good]
    bad = [f"{c.where}, {c.says}{_which(c, why)}: {why}" for c in claims for why in c.reasons]
    yield "What is right", good
    yield "What is not right, and why", bad
    yield "Also found", remarks
    if wrong := unclaimed(claims):
        yield "Not as Tierscope states", wrong
