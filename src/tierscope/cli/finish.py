"""The end of every command with a Result: write the report, show it, choose the exit status."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from rich.text import Text

from tierscope import stops
from tierscope.cli import door
from tierscope.cli.console import Console
from tierscope.errors import Exit, MachineError, TierscopeError, reason, refusal
from tierscope.files import write_to
from tierscope.printable import json_text, printable
from tierscope.record.result import Run, Warn, load
from tierscope.report import picture
from tierscope.report.formats import write
from tierscope.report.formats.json import document
from tierscope.report.terminal import show

if TYPE_CHECKING:
    from tierscope.run.hosts import Host

LEFT_OUT = "left_out"  # the code of a warning; each has a reason of its own


def run_and_finish(directory: Path, json_to: str | None, strict: bool, quiet: bool, fresh: bool, host: "Host") -> int:
    """Execute the plan in `directory`, then report. An interruption leaves a run that `resume` continues."""
    return run_and(directory, quiet, fresh, lambda run: finish(run, json_to, strict, quiet), host)


def run_and(directory: Path, quiet: bool, fresh: bool, then: Callable[[Run], int], host: "Host") -> int:
    """Execute the plan in `directory`, and return what `then` makes of the run; as above."""
    there = f" --host {host.word}" if host.word else ""
    go_on = f"tierscope resume {quote(str(directory))}{there}"
    try:
        _execute(directory, quiet, fresh, go_on, host)
        return then(load(directory))
    except KeyboardInterrupt as error:
        door.message(f"interrupted; continue with: {go_on}")
        return stops.status_of(error)


def _load_undisturbed(*modules: str) -> None:
    """Import native modules while Ctrl-C waits: during such an import it would abort the process."""
    with stops.heard(), stops.held(), picture.panics("the libraries of a run cannot be loaded"):
        for name in modules:
            import_module(name)


def _execute(directory: Path, quiet: bool, fresh: bool, go_on: str, host: "Host") -> None:
    from tierscope.cli.progress import Progress
    from tierscope.record.result import load_manifest
    from tierscope.run.start import drop_if_empty, execute, resume

    try:
        _load_undisturbed("duckdb", "vl_convert")
        with Progress(Console(stderr=True, quiet=quiet)) as progress:
            if fresh:
                execute(directory, load_manifest(directory), progress, host)
            else:
                resume(directory, progress, host)
    except (TierscopeError, OSError) as error:
        told = error if isinstance(error, TierscopeError) else MachineError(refusal(error))
        if not fresh or drop_if_empty(directory):
            raise told from error
        raise type(told)(f"{told}; what was measured is kept, continue with: {go_on}") from error


def finish(run: Run, json_to: str | None, strict: bool, quiet: bool) -> int:
    """Report, rows and tables of a run that is done; the exit status by its rows."""
    try:
        report = write("html", run, run.path)[0]
    except OSError as error:
        step = f"the run itself is safe, write its page with: tierscope report {quote(str(run.path))}"
        raise MachineError(f"cannot write {refusal(error)}; {step}") from error
    facts = document(run)
    if json_to == "-":
        door.document(facts)
    elif json_to:
        write_json(Path(json_to), facts)
    console = Console(stderr=json_to == "-", quiet=quiet)
    present(run, console)
    console.print(f"\nreport   {printable(str(report))}\nresults  {printable(str(run.path))}", soft_wrap=True)
    return status_of(facts["rows"], strict)


def present(run: Run, console: Console) -> None:
    """Print tables and plots, then one line for each part that is left out and each kind of doubt, with what to do."""
    show(run, console)
    kinds: dict[str, dict[int, Warn]] = {}
    for number, warn in enumerate(run.result.warnings):
        kind = warn.message if warn.code == LEFT_OUT else warn.code
        kinds.setdefault(kind, {})[-1 - number] = warn
    for record in (*run.result.records, *run.result.visits):
        for warn in record.warnings:
            kinds.setdefault(warn.code, {}).setdefault(record.number, warn)
    for first, *others in (list(of.values()) for of in kinds.values()):
        more = f" (and {len(others)} more such points)" if others else ""
        console.print(Text(printable(f"Note: {first.message}{more}. Next: {first.next_step}.")))


def write_json(path: Path, facts: object) -> None:
    """Write facts as JSON; MachineError if the file cannot be written."""
    content = json_text(facts).encode()
    try:
        write_to(path, content)
    except OSError as error:
        raise MachineError(f"cannot write {path}: {reason(error)}; the run itself is safe") from error


def status_of(rows: list[dict[str, object]], strict: bool) -> int:
    """Return INCONCLUSIVE when half of a table's points are, or any of them with `strict`."""
    doubtful: dict[object, list[bool]] = {}
    for row in rows:
        doubtful.setdefault(row["table"], []).append(row.get("conclusive") is False)
    shares = [sum(marks) / len(marks) for marks in doubtful.values()]
    if any(share >= 0.5 for share in shares) or (strict and any(shares)):
        return Exit.INCONCLUSIVE
    return Exit.GOOD
