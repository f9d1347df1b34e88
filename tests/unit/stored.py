"""Runs of each suite as tests/data keeps them, and the rows that they had; called as a program, writes the rows again.

    python tests/unit/stored.py          after a change of rows that is meant, and look at the difference

The runs were measured by tierscope 0.1.0 with small options (`argv` of their manifests), most of them on simulated
memory; quick is run-schema-1. They are kept forever. The rows are those of `show --json`.
"""

import json
from pathlib import Path
from typing import Any

from tierscope.printable import json_text
from tierscope.record.result import Run, load
from tierscope.report.formats.json import document

DATA = Path(__file__).resolve().parents[1] / "data"
RUNS = {path.name: path for path in [DATA / "run-schema-1", *sorted((DATA / "runs").iterdir())]}


def stored(name: str) -> Run:
    """Return the run of this name."""
    return load(RUNS[name])


def rows(run: Run) -> list[dict[str, Any]]:
    """Return the rows of a run as JSON has them: plain values alone."""
    found: list[dict[str, Any]] = json.loads(json_text(document(run)["rows"]))
    return found


def kept(name: str) -> list[dict[str, Any]]:
    """Return the rows that the run had."""
    found: list[dict[str, Any]] = json.loads((DATA / "rows" / f"{name}.json").read_text())
    return found


def write() -> None:
    """Replace the rows of all runs; one row on each line."""
    for name in RUNS:
        lines = ",\n".join(json.dumps(row) for row in rows(stored(name)))
        (DATA / "rows" / f"{name}.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    write()
