"""The output of `tierscope-core` alone as a run: printed on a server without Python, and copied here.

Its plan, its output and its samples become records of a file of groups, one for each `measure`: the tables, intervals,
marks and page are those of a run of Tierscope. The run also contains that file, so that `rerun` repeats it with stop
rules. Facts that the core does not print stay unknown: the state of the machine, the findings of the doctor, and what
other programs did meanwhile.
"""

import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from tierscope import __version__
from tierscope.errors import CoreError, UsageError, reason
from tierscope.host import peak as theory
from tierscope.host.system import System
from tierscope.imports.store import Given, unknown_machine
from tierscope.record import warn
from tierscope.record.experiment import Experiment, Schedule
from tierscope.record.machine import Machine
from tierscope.record.npy import loaded
from tierscope.record.origin import joined, strongest
from tierscope.record.result import (
    BLOCK,
    SCHEMA,
    Blocks,
    Manifest,
    Record,
    Result,
    Run,
    Software,
    Warn,
    digest,
    inside,
    load,
    save_manifest,
    save_result,
    write_blocks,
)
from tierscope.run.bare_steps import Output, Step, entry_of, read_output, steps_of
from tierscope.run.doubts import doubts
from tierscope.run.inspect import inspect
from tierscope.run.interrupted import interrupted
from tierscope.stats.judged import judge_record

warn.state(bare="the core ran alone: the machine was not watched")

NOWHERE = System(Path("/nonexistent"))  # the files of that machine are not here
SUITE = "groups"
UNKNOWN = "unknown: the core does not print it; give peak=RATE"
LEAST = "name it with samples=FILE and plan=FILE"


class Files(NamedTuple):
    """The files that are read: the name and content of each."""

    output: tuple[str, bytes]
    plan: tuple[str, str]
    samples: tuple[str, Blocks]
    changed: float  # when the output was written, seconds since 1970


def files_of(output: Path, content: bytes, plan: Path | None, samples: Path | None) -> Files:
    """Find plan and samples next to the output, by its name, where they are not named; UsageError without them."""
    plan, samples = plan or output.with_suffix(".txt"), samples or output.with_suffix(".npy")
    try:
        text = plan.read_text(encoding="utf-8")
        raw = samples.read_bytes()
        changed = output.stat().st_mtime
    except (OSError, UnicodeDecodeError) as error:
        why = f"{error.filename}: {reason(error)}" if isinstance(error, OSError) else f"{plan}: {error}"
        raise UsageError(
            f"{output} is the output of tierscope-core, and its plan and samples are needed too: {why}; {LEAST}"
        ) from error
    return Files((output.name, content), (plan.name, text), (samples.name, _blocks(samples, raw)), changed)


def read_run(files: Files, argv: tuple[str, ...], given: Given) -> tuple[Manifest, list[tuple[Record, Blocks]]]:
    """Return the records with their samples; UsageError where the files do not belong together."""
    name, content = files.output
    try:
        output = read_output(content)
        steps = steps_of(files.plan[1], output.facts)
    except UsageError as error:
        raise UsageError(f"{name}: {error}") from error
    if not steps:
        raise UsageError(f"{name}: nothing was measured; a plan needs a line `measure`")
    machine = _machine(output, given)
    started = _started(output, files.changed)
    software = Software(
        tierscope=__version__,
        core=str(output.hello.get("version", "")),
        compiler=str(output.hello.get("compiler", "")),
        python=platform.python_version(),
    )
    manifest = Manifest(
        schema=SCHEMA, argv=argv, suite=SUITE, options={"peak": given.peak_bytes_per_s}, plan=_groups_file(steps),
        software=software, machine=machine, findings=(), started=started,
    )  # fmt: skip
    found = [_record(n, step, _rows(files.samples, step), started, machine) for n, step in enumerate(steps)]
    return manifest, found


def store(directory: Path, manifest: Manifest, found: list[tuple[Record, Blocks]]) -> Run:
    """Write a whole run into `directory`, which exists."""
    groups = [group for record, _ in found for group in record.groups]
    alone = Warn(
        code="bare",
        message="tierscope-core ran alone: its batches have fixed lengths, and other programs were not watched",
        next_step="read wide intervals as such, and repeat it with stop rules: tierscope rerun RUN --host ssh:NAME",
    )
    result = Result(
        schema=SCHEMA, suite=manifest.suite, options=manifest.options, origin=strongest(g.origin for g in groups),
        origin_by=joined(g.origin_by for g in groups), software=manifest.software, machine=manifest.machine,
        findings=(), started=manifest.started, complete=True, records=tuple(record for record, _ in found),
        warnings=(alone,),
    )  # fmt: skip
    save_manifest(directory, manifest)
    for record, blocks in found:
        write_blocks(inside(directory, record.samples), blocks)
    save_result(directory, result)
    return load(directory)


def _record(number: int, step: Step, blocks: Blocks, started: str, machine: Machine) -> tuple[Record, Blocks]:
    schedule = Schedule(block_s=step.block_s, minimum_s=step.seconds, budget_s=step.seconds)
    labels = {"label": _label(number, step)}
    experiment = Experiment(table=SUITE, groups=step.groups, schedule=schedule, labels=dict(labels))
    judged = judge_record(blocks, step.clock.hz, experiment, step.facts, (), machine.identity.caches)
    passed = (int(blocks["stop_ticks"].max()) - int(blocks["start_ticks"].min())) / step.clock.hz
    record = Record(
        number=number, experiment=experiment, groups=step.facts, clock=step.clock,
        samples=f"samples/{number:04}.parquet", blocks=len(blocks), started=started,
        seconds=max(step.seconds, passed), largest_relative_error=step.error,
        warnings=(
            *doubts(experiment, step.facts, judged.points, large_page=machine.large_page_bytes()),
            *interrupted(experiment, blocks, step.clock.hz, step.facts, (), machine.identity.caches, judged),
        ), samples_sha256=digest(blocks),
    )  # fmt: skip
    return record, blocks


def _label(number: int, step: Step) -> str:
    """Return the group as the file of groups names it; its pace is not shown by a table."""
    paces = [words["pace"] for words in step.words if "pace" in words]
    return f"step {number}" + (f", pace {' '.join(paces)}" if paces else "")


def _rows(samples: tuple[str, Blocks], step: Step) -> Blocks:
    """Return the blocks of a step, with the numbers of its groups from 0."""
    name, every = samples
    rows = every[step.first : step.first + step.rows].copy()
    if len(rows) != step.rows or not rows.size:
        raise UsageError(
            f"{name} has {len(every)} blocks, and the output names {step.first} to {step.first + step.rows}; copy all "
            "files of one run"
        )
    if not set(rows["group"].tolist()) <= set(step.chosen):
        raise UsageError(f"{name} has blocks of groups that the plan does not measure there; copy all files of one run")
    renumbered = np.zeros(max(step.chosen) + 1, dtype=np.uint16)
    renumbered[list(step.chosen)] = range(len(step.chosen))
    rows["group"] = renumbered[rows["group"]]
    rows["batch"] = 0
    return rows


def _blocks(path: Path, raw: bytes) -> Blocks:
    try:
        found = loaded(raw)
    except (ValueError, EOFError, OSError) as error:
        raise UsageError(f"{path} is not the samples of tierscope-core: {error}; copy it again") from error
    if not isinstance(found, np.ndarray) or found.dtype != BLOCK or found.ndim != 1:
        raise UsageError(f"{path} is not the samples of tierscope-core of this version; name its --samples file")
    return found


def _machine(output: Output, given: Given) -> Machine:
    """Return what `tierscope-core topology` printed before, if it did."""
    if output.topology is None:
        machine = unknown_machine(given)
    else:
        try:
            machine = inspect(output.topology, NOWHERE, given.peak_bytes_per_s)
        except CoreError as error:
            raise UsageError(f"the topology before the output cannot be read: {error}") from error
        source = theory.given(given.peak_bytes_per_s).source if given.peak_bytes_per_s is not None else UNKNOWN
        machine = msgspec.structs.replace(machine, peak_source=given.peak_source or source)
    kernel = str(output.header.get("kernel") or "unknown")
    return msgspec.structs.replace(
        machine,
        hostname=str(output.header.get("hostname") or "unknown"),
        identity=msgspec.structs.replace(machine.identity, kernel=kernel),
        state={},
    )


def _started(output: Output, changed: float) -> str:
    """Return the time in the header, else the time at which the output was written."""
    try:
        moment = datetime.fromisoformat(str(output.header["started"]))
        return moment.astimezone(UTC).isoformat(timespec="seconds")
    except (KeyError, ValueError, OverflowError):
        return datetime.fromtimestamp(changed, UTC).isoformat(timespec="seconds")


def _groups_file(steps: list[Step]) -> str:
    """Return the steps as a file of groups, which `rerun` reads."""
    lines = []
    for number, step in enumerate(steps):
        lines += ["[[experiment]]", f'label = "{_label(number, step)}"']
        for words in step.words:
            lines.append("[[experiment.group]]")
            lines += [f"{key} = {_toml(value)}" for key, value in entry_of(words).items()]
    return "\n".join([*lines, ""])


def _toml(value: object) -> str:
    """Return the value in TOML: JSON's strings, numbers and truth values are TOML's too."""
    return msgspec.json.encode(value).decode()
