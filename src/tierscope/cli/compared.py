"""What `compare` does: two runs, or a run beside a published table."""

from pathlib import Path
from typing import Any

import msgspec
import rich_click as click
from rich.console import Console
from rich.text import Text

from tierscope import reference
from tierscope.cli.drawn import draw, draw_waterfall
from tierscope.errors import Exit
from tierscope.origin import banner
from tierscope.report import beside_text, comparison
from tierscope.report.beside import beside, normal, sentence
from tierscope.report.warned import warn_of_origin
from tierscope.report.words import printable
from tierscope.result import Run, load


def two_runs(before: Path, after: Path, how: tuple[float, bool], figure: Path | None, as_json: bool) -> int:
    """how: least, and across origins. FAILED where a point is slower, INCONCLUSIVE where all are."""
    least, across = how
    old, new = load(before), load(after)
    rows = comparison.compare_runs(old, new, least, across=across)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(rows), indent=1))
    else:
        comparison.show(rows, console := Console())
        if said := comparison.origins_of(old, new):
            console.print(Text(printable(said), style="bold yellow"))
        console.print(comparison.doubt(old, new), highlight=False)
    if figure:
        _draw(rows, least, figure, (old, new))
    verdicts = [row["verdict"] for row in rows]
    if not verdicts or set(verdicts) == {"inconclusive"}:
        return Exit.INCONCLUSIVE
    return Exit.FAILED if "slower" in verdicts else Exit.GOOD


def _draw(rows: list[dict[str, Any]], least: float, figure: Path, runs: tuple[Run, Run]) -> None:
    said = [text for text in (comparison.counted(rows), comparison.doubt(*runs)) if text]
    origin = comparison.origins_of(*runs) or banner(runs[1].result.origin, runs[1].result.origin_by)
    draw_waterfall([row | {"point": comparison.named_point(row)} for row in rows], least, figure, (origin, said))


def beside_table(run: Path, name: str, figure: Path | None, as_json: bool) -> int:
    """FAILED where the run is not normal for the table's hardware, INCONCLUSIVE where no point tells."""
    published = reference.load(name)
    own = load(run)
    rows = beside(own, published)
    if as_json:
        facts = {"reference": name, "origin": own.result.origin, "verdict": sentence(rows, published), "rows": rows}
        click.echo(msgspec.json.format(msgspec.json.encode(facts), indent=1))
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
