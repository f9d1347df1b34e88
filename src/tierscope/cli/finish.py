"""What every command that ends with a Result does: write the report, show it, choose the exit status."""

import sys
from pathlib import Path

import msgspec
from rich.console import Console

from tierscope.errors import Exit, MachineError
from tierscope.report.terminal import show
from tierscope.report.writers import writers
from tierscope.report.writers.json import document
from tierscope.result import Run, load


def run_and_finish(directory: Path, json_to: str | None, strict: bool, quiet: bool, fresh: bool) -> int:
    """Execute what stands in `directory`, then report. An interruption leaves a run that `resume` continues."""
    from tierscope.cli.progress import Progress
    from tierscope.result import load_manifest
    from tierscope.run.start import execute, resume

    talk = Console(stderr=True, quiet=quiet)
    try:
        with Progress(talk) as progress:
            if fresh:
                execute(directory, load_manifest(directory), progress)
            else:
                resume(directory, progress)
    except KeyboardInterrupt:
        sys.stderr.write(f"tierscope: interrupted; continue with: tierscope resume {directory}\n")
        return Exit.INTERRUPTED
    return finish(load(directory), json_to, strict, quiet)


def finish(run: Run, json_to: str | None, strict: bool, quiet: bool) -> int:
    report = writers["html"].write(run, run.path)[0]
    facts = document(run)
    if json_to == "-":
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(facts), indent=1).decode() + "\n")
    elif json_to:
        write_json(Path(json_to), facts)
    console = Console(stderr=json_to == "-", quiet=quiet)
    show(run, console)
    console.print(f"\nreport   {report}\nresults  {run.path}", highlight=False, soft_wrap=True)
    return status_of(facts["rows"], strict)


def write_json(path: Path, facts: dict[str, object]) -> None:
    from tierscope.result import write_atomically

    try:
        write_atomically(path, msgspec.json.format(msgspec.json.encode(facts), indent=1) + b"\n")
    except OSError as error:
        raise MachineError(f"cannot write {path}: {error.strerror}; the run itself is safe") from error


def status_of(rows: list[dict[str, object]], strict: bool) -> int:
    """INCONCLUSIVE when half of a table's points are, or any of them with `strict`."""
    doubtful: dict[object, list[bool]] = {}
    for row in rows:
        doubtful.setdefault(row["table"], []).append(row.get("conclusive") is False)
    shares = [sum(marks) / len(marks) for marks in doubtful.values()]
    if any(share >= 0.5 for share in shares) or (strict and any(shares)):
        return Exit.INCONCLUSIVE
    return Exit.GOOD
