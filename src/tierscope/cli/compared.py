"""What `compare` does: two runs, or a run beside a published table."""

from pathlib import Path
from typing import Any

from rich.text import Text

from tierscope import reference
from tierscope.cli import door
from tierscope.cli.console import Console
from tierscope.cli.drawn import draw, draw_waterfall
from tierscope.compare import beside_text, comparison
from tierscope.compare.alike import Side, compare_alike, footprints
from tierscope.compare.beside import beside, normal, sentence
from tierscope.errors import Exit, UsageError
from tierscope.imports import importers
from tierscope.printable import printable
from tierscope.record.origin import banner
from tierscope.record.result import Run, load
from tierscope.reference import Match
from tierscope.report.warned import warn_of_origin
from tierscope.stats.compare import LEAST

WITHOUT = "Note: what another tool printed has no interval: the ratios stand without a verdict."


def two_runs(
    before: Path, after: Path, how: tuple[float | None, str | None], figure: Path | None, as_json: bool
) -> int:
    """how: least; across "origins", "targets" or none. FAILED where a point is slower, INCONCLUSIVE where all are."""
    old, new = load(before), load(after)
    rows, notes = _compared(old, new, *how)
    if as_json:
        door.document(rows)
    else:
        comparison.show(rows, console := Console())
        if said := comparison.origins_of(old, new):
            console.print(Text(printable(said), style="bold yellow"))
        console.print("\n".join(map(printable, notes)))
    if figure:
        _draw(rows, LEAST if how[0] is None else how[0], figure, (old, new, notes))
    verdicts = [row["verdict"] for row in rows]
    if not verdicts or set(verdicts) == {"inconclusive"}:
        return Exit.INCONCLUSIVE
    return Exit.FAILED if "slower" in verdicts else Exit.GOOD


def _compared(old: Run, new: Run, least: float | None, across: str | None) -> tuple[list[dict[str, Any]], list[str]]:
    """The rows, and what must be said of them."""
    if "imported" not in (old.result.origin, new.result.origin):
        over = {"across": across == "origins", "targets": across == "targets"}
        rows = comparison.compare_runs(old, new, LEAST if least is None else least, **over)
        notes = (comparison.doubt(old, new), _in_time(old, new, rows, over["targets"]))
        return rows, [note for note in notes if note]
    if across == "targets":
        raise UsageError("--across-targets is of two runs of Tierscope; what was imported is matched by what it means")
    if least is not None:
        raise UsageError("--least calls differences that intervals bear out, and what another tool printed has none")
    comparison.refuse_apart(old, new, across=across == "origins")
    rows = compare_alike(*(Side(run, _alike(run)) for run in (old, new)))
    return rows, [note for note in (WITHOUT, footprints(rows)) if note]


def _in_time(old: Run, new: Run, rows: list[dict[str, Any]], targets: bool) -> str:
    """Two tiers differ by more than the hour, and what is simulated does not change with it."""
    real = "simulated" not in (old.result.origin, new.result.origin)
    return comparison.apart_in_time(rows) if real and not targets else ""


def _alike(run: Run) -> tuple[Match, ...] | None:
    """What the readings of an import mean; None for a run of ours. UnknownNameError for a format that is gone."""
    return importers[str(run.result.options.get("as"))].alike if run.result.origin == "imported" else None


def _draw(rows: list[dict[str, Any]], least: float, figure: Path, beside: tuple[Run, Run, list[str]]) -> None:
    old, new, notes = beside
    said = [comparison.counted(rows), *notes]
    origin = comparison.origins_of(old, new) or banner(new.result.origin, new.result.origin_by)
    draw_waterfall([row | {"point": comparison.named_point(row)} for row in rows], least, figure, (origin, said))


def beside_table(run: Path, name: str, figure: Path | None, as_json: bool) -> int:
    """FAILED where the run is not normal for the table's hardware, INCONCLUSIVE where no point tells."""
    published = reference.load(name)
    own = load(run)
    rows = beside(own, published)
    if as_json:
        facts = {"reference": name, "origin": own.result.origin, "verdict": sentence(rows, published), "rows": rows}
        door.document(facts)
    else:
        console = Console()
        warn_of_origin(own.result, console)
        beside_text.show(rows, published, console)
    if figure:
        draw(beside_text.figure(rows, published, own.result.origin), figure)
    found = normal(rows)
    if found is None:
        return Exit.INCONCLUSIVE
    return Exit.GOOD if found else Exit.FAILED
