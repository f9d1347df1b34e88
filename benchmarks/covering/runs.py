"""One run as a user makes it, read as points; a run that is complete is not measured again."""

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from covering.load import Load, Moment, plain
from covering.states import beside
from tierscope.errors import Exit
from tierscope.record.result import Record, Run, load
from tierscope.stats.median import Interval
from tierscope.suites.stream.table import StreamRow
from tierscope.tables import tables

TIERSCOPE = Path(sys.executable).with_name("tierscope")
FACTS = "coverage-run.json"  # in the folder of a run


@dataclass(frozen=True)
class Seen:
    """One kernel in one run. interval: None where no moment was undisturbed."""

    interval: Interval | None
    conclusive: bool
    between_share: float | None = None


@dataclass(frozen=True)
class Once:
    """One run: each kernel, as all visits show it and as the first one alone does; when, and next to what."""

    points: dict[str, Seen]
    first: dict[str, Seen]
    began: datetime
    load: Load


def is_done(out: Path) -> bool:
    """Return whether this folder contains a run with all its visits."""
    return (out / "result.json").exists() and (out / FACTS).exists() and load(out).result.complete


def measure(out: Path, state: str, options: list[str]) -> Once:
    """Measure once with the programs of a state; an existing run is read, one that was interrupted begins again."""
    if not is_done(out):
        if out.exists():
            shutil.rmtree(out)
        command = [str(TIERSCOPE), "run", "stream", *options, "--out", str(out), "--quiet"]
        began = datetime.now(UTC)
        with beside(state) as programs:
            before = Moment.now(programs())
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            loaded = before.until(Moment.now(programs()))
        if done.returncode not in (Exit.GOOD, Exit.INCONCLUSIVE):
            raise SystemExit(f"{' '.join(command)}: status {done.returncode}: {done.stderr.strip()}")
        facts = {"state": state, "began": began.isoformat(timespec="seconds"), **plain(loaded)}
        (out / FACTS).write_text(json.dumps(facts) + "\n")
    facts = json.loads((out / FACTS).read_text())
    run = load(out)
    loads = Load(**{name: facts[name] for name in Load.__dataclass_fields__})
    return Once(points(run), points(first_alone(run)), datetime.fromisoformat(facts["began"]), loads)


def points(run: Run) -> dict[str, Seen]:
    """Return each kernel of a run."""
    rows: list[StreamRow] = tables["stream"].rows(run)
    return {row.kernel: Seen(row.bandwidth, row.conclusive, row.between_share) for row in rows}


def first_alone(run: Run) -> Run:
    """Return the run as a version without visits would judge it: the first visit of each point alone."""

    def once(record: Record) -> Record:
        schedule = msgspec.structs.replace(record.experiment.schedule, visits=0)
        experiment = msgspec.structs.replace(record.experiment, schedule=schedule)
        return msgspec.structs.replace(record, experiment=experiment)

    records = tuple(once(record) for record in run.result.records)
    return msgspec.structs.replace(run, result=msgspec.structs.replace(run.result, records=records, visits=()))
