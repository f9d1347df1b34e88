"""Two runs of any origin compared, with all notes on the comparison."""

from typing import Any

from tierscope.compare import comparison, condition, footprints
from tierscope.compare.alike import Side, compare_alike
from tierscope.errors import UsageError
from tierscope.imports import importers
from tierscope.record.result import Run
from tierscope.reference import Match
from tierscope.stats.compare import LEAST
from tierscope.tables.kept import keep

WITHOUT = "Note: what another tool printed has no interval: the ratios have no verdict."


def compared(old: Run, new: Run, least: float | None, across: str | None) -> tuple[list[dict[str, Any]], list[str]]:
    """Return a row for each common point, and notes. UsageError where runs or arguments do not fit together.

    least: smallest difference of interest, a share; None: `LEAST`. across: "origins", "targets" or None.
    """
    if "imported" not in (old.result.origin, new.result.origin):
        over = {"across": across == "origins", "targets": across == "targets"}
        rows = comparison.compare_runs(old, new, LEAST if least is None else least, **over)
        keep(old)
        keep(new)
        real = "simulated" not in (old.result.origin, new.result.origin)
        notes = (
            comparison.doubt(old, new),
            condition.note(old, new) if real else "",
            footprints.note(rows),
            _in_time(old, new, rows) if real and not over["targets"] else "",
        )
        return rows, [note for note in notes if note]
    if across == "targets":
        raise UsageError(
            "--across-targets compares two runs of Tierscope; imported numbers are matched by their meaning"
        )
    if least is not None:
        raise UsageError("--least judges differences by their intervals, and numbers of another tool have none")
    comparison.refuse_apart(old, new, across=across == "origins")
    rows = compare_alike(*(Side(run, _alike(run)) for run in (old, new)))
    return rows, [note for note in (WITHOUT, footprints.note(rows)) if note]


def _in_time(old: Run, new: Run, rows: list[dict[str, Any]]) -> str:
    """Return what the time between the runs may explain, and settings that may differ unseen."""
    said = comparison.apart_in_time(rows)
    unknown = condition.not_known(old, new)
    return f"{said} Not known of at least one of them: {', '.join(unknown)}." if said and unknown else said


def _alike(run: Run) -> tuple[Match, ...] | None:
    """Return what the readings of an import mean; None for a run of ours.

    Raises UnknownNameError for a format that does not exist any more.
    """
    return importers[str(run.result.options.get("as"))].alike if run.result.origin == "imported" else None
