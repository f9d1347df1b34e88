"""`compare --rerun`: both runs are measured again, alternating, and the rounds are compared."""

from datetime import UTC, datetime
from pathlib import Path
from shlex import quote
from typing import Any

from rich.table import Table
from rich.text import Text

from tierscope.cli import door
from tierscope.cli.agreed import Agreement
from tierscope.cli.console import Console
from tierscope.cli.drawn import draw_waterfall
from tierscope.cli.progress import Progress
from tierscope.compare.comparison import ORDER, counted
from tierscope.compare.measures import measures
from tierscope.compare.rounds import FEWEST, common, compare_rounds
from tierscope.errors import Exit, MachineError, TierscopeError, UsageError
from tierscope.printable import printable
from tierscope.record.origin import banner
from tierscope.record.result import Manifest, Run, load, load_manifest
from tierscope.run.imported import refuse_imported
from tierscope.run.place import RUNS, forsake, new_directory, taken
from tierscope.run.planned import options_again
from tierscope.run.start import begin, command_line, drop_if_empty, execute

MOST = 99
SIDES = ("before", "after")


def in_turns(
    before: Path, after: Path, wanted: tuple[float, int], out: Path | None, shown: tuple[Path | None, bool],
    *, allowed: bool,
) -> int:  # fmt: skip
    """Measure both runs again in alternation, keep all runs below one place, and print how they compare.

    wanted: smallest difference of interest, rounds; shown: figure, as JSON.
    """
    (least, rounds), (figure, as_json) = wanted, shown
    if not FEWEST <= rounds <= MOST:
        raise UsageError(f"--rerun {rounds} is not a number of rounds from {FEWEST} to {MOST}")
    plans = (load_manifest(before), load_manifest(after))
    for path, plan in zip((before, after), plans, strict=True):
        refuse_imported(path, plan, "repeated")
        _refuse_remote(path, plan)
    folder = taken(out) if out else new_directory(RUNS, "compare", plans[0].machine.hostname, datetime.now(UTC))
    agreements = (Agreement(before, allowed=allowed), Agreement(after, allowed=allowed))
    measured = _measure(plans, folder, rounds, agreements)
    rows = compare_rounds(measured, least)
    if as_json:
        door.document({"runs": str(folder), "rows": rows})
    else:
        _show(rows, rounds, folder)
    if figure:
        result = measured[0][0].result
        points = [
            row | {"point": f"{row['table']}: {row['point']}", "unit": measures()[row["table"]].unit} for row in rows
        ]
        draw_waterfall(points, least, figure, (banner(result.origin, result.origin_by), [_counted(rows, rounds)]))
    verdicts = {row["verdict"] for row in rows}
    if verdicts == {"inconclusive"}:
        return Exit.INCONCLUSIVE
    return Exit.FAILED if "slower" in verdicts else Exit.GOOD


def _refuse_remote(path: Path, plan: Manifest) -> None:
    if plan.machine.reached:
        raise UsageError(
            f"{path} was measured over {plan.machine.reached}, and --rerun measures this machine; repeat both with "
            f"`tierscope rerun RUN --host {quote(plan.machine.reached)}`, and compare these"
        )


def _measure(
    plans: tuple[Manifest, Manifest], folder: Path, rounds: int, agreements: tuple[Agreement, Agreement]
) -> list[tuple[Run, Run]]:
    """Return the runs of each round; rounds alternate in who begins, so that a linear drift cancels."""
    found = []
    for number in range(rounds):
        pair: dict[int, Run] = {}
        for side in (0, 1) if number % 2 == 0 else (1, 0):
            path = folder / f"{number + 1:02d}-{SIDES[side]}"
            try:
                pair[side] = _again(plans[side], path, agreements[side])
            except TierscopeError:
                drop_if_empty(path)
                forsake(folder)
                raise
        found.append((pair[0], pair[1]))
        if number == 0 and not common(found[0]):
            raise UsageError(f"the runs have no point in common: they measure different things; round 1 is in {folder}")
    return found


def _again(plan: Manifest, path: Path, agree: Agreement) -> Run:
    directory, manifest = begin(plan.suite, options_again(plan), plan.plan, command_line(), path, agree)
    if manifest.machine.identity.digest() != plan.machine.identity.digest():
        raise MachineError(f"this is not the machine of the run that is to be repeated: {plan.machine.hostname}")
    with Progress(Console(stderr=True)) as progress:
        execute(directory, manifest, progress)
    return load(directory)


def _show(rows: list[dict[str, Any]], rounds: int, folder: Path) -> None:
    console = Console()
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name, right in (("point", False), ("ratio", True), ("interval", True), ("verdict", False)):
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    for row in sorted(rows, key=lambda r: ORDER.index(str(r["verdict"]))):
        interval = f"{row['ratio_low']:.3f} to {row['ratio_high']:.3f}"
        point = Text(printable(f"{row['table']}: {row['point']}"))
        table.add_row(point, f"{row['ratio']:.3f}", interval, str(row["verdict"]))
    console.print(table)
    console.print(f"\n{_counted(rows, rounds)}\nruns     {folder}")


def _counted(rows: list[dict[str, Any]], rounds: int) -> str:
    return counted(rows).replace("points", f"points in {rounds} rounds", 1)
