"""The work of `compare`: two runs, or a run against a published table."""

from pathlib import Path
from typing import Any

from rich.text import Text

from tierscope import reference
from tierscope.cli import door
from tierscope.cli.console import Console
from tierscope.cli.drawn import draw, draw_waterfall
from tierscope.compare import beside_text, comparison
from tierscope.compare.beside import beside, normal, sentence
from tierscope.compare.two import compared
from tierscope.errors import Exit
from tierscope.printable import printable
from tierscope.record.origin import banner
from tierscope.record.result import Run, load
from tierscope.report.warned import warn_of_origin
from tierscope.stats.compare import LEAST


def two_runs(
    before: Path, after: Path, how: tuple[float | None, str | None], figure: Path | None, as_json: bool
) -> int:
    """Print how two runs compare; return FAILED where a point is slower, INCONCLUSIVE where all are.

    how: least; across "origins", "targets" or none.
    """
    old, new = load(before), load(after)
    rows, notes = compared(old, new, *how)
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


def _draw(rows: list[dict[str, Any]], least: float, figure: Path, beside: tuple[Run, Run, list[str]]) -> None:
    old, new, notes = beside
    said = [comparison.counted(rows), *notes]
    origin = comparison.origins_of(old, new) or banner(new.result.origin, new.result.origin_by)
    draw_waterfall([row | {"point": comparison.named_point(row)} for row in rows], least, figure, (origin, said))


def beside_table(run: Path, name: str, figure: Path | None, as_json: bool) -> int:
    """Return FAILED where the run is not normal for the table's hardware, INCONCLUSIVE where no point decides."""
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
