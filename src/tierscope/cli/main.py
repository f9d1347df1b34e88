"""The entry point: one line per error, and an exit status that a script can rely on."""

import io
import os
import select
import sys
import traceback
from contextlib import suppress
from pathlib import Path

import rich_click as click
from click.exceptions import Abort, ClickException

from tierscope import __version__, stops
from tierscope.called import called
from tierscope.cli import door
from tierscope.cli.commands import commands
from tierscope.cli.help import Group, two_columns
from tierscope.cli.whole import whole
from tierscope.errors import Exit, TierscopeError, refusal

EXAMPLES = {
    "tierscope run quick": "everything, in under two minutes",
    "tierscope run stream kernels=triad,triad_nt threads=1,2": "two kernels with one and two threads",
    "tierscope run latency pages=4k to=1GiB --json -": "latency with 4 KiB pages, as JSON",
    "tierscope doctor": "settings that affect numbers",
    "tierscope compare runs/A runs/B --least 0.05": "fails if a point is slower by 5 % or more",
}
"""Examples for the program as a whole: the command line, and its purpose."""

EPILOG = f"""\
Exit status of every command:
{two_columns({status.value: status.meaning for status in Exit})}       SIGTERM ends a command with 143, SIGHUP with 129

Examples:
{"".join(f"  {line}{chr(10)}      {meaning}{chr(10)}" for line, meaning in EXAMPLES.items())}"""


class Commands(Group):
    """Commands from the registry, loaded when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for name in commands if " " not in name]  # `fleet run` is in the family `fleet`

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if ctx.resilient_parsing and name not in commands:
            return None  # a shell completes a half-written line
        return commands[name]  # UnknownNameError names the nearest


@click.group(
    cls=Commands,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="tierscope")
def tierscope() -> None:
    """Measure, model and predict every tier of a machine's memory, without root, PMU or licence."""


def main(words: list[str] | None = None) -> int:
    """Run one command; returns its exit status. Every error is reported in one line."""
    _mend_streams()
    with stops.heard():
        status = _run(words)
        with suppress(OSError):  # reported already
            sys.stdout.flush()
            return status
        door.to_nowhere(sys.stdout)
        return status


def _run(words: list[str] | None) -> int:
    try:
        status = tierscope.main(words, prog_name=called(), complete_var="_TIERSCOPE_COMPLETE", standalone_mode=False)
        with suppress(BrokenPipeError):  # the command has done its work, and its status shows how
            sys.stdout.flush()
    except (KeyboardInterrupt, Abort) as error:
        return _say("interrupted", stops.status_of(error))
    except SystemExit as error:  # of click: completion, and help that nobody reads
        return _status_of_click(error)
    except BaseException as error:  # noqa: BLE001 (there is no caller who could do better; a panic of Rust is one)
        if os.environ.get("TIERSCOPE_TRACEBACK"):
            door.details("".join(traceback.format_exception(error)))
        return _say(*_told(error))
    return int(status) if isinstance(status, int) else Exit.GOOD


def _status_of_click(error: SystemExit) -> int:
    """Return GOOD where nobody reads standard output any more; click ends with 1 at every broken pipe."""
    if isinstance(error.__context__, BrokenPipeError) and not _reader_gone():
        return _say(*_told(error.__context__))
    return Exit.GOOD


def _reader_gone() -> bool:
    """Return whether standard output is a pipe or a socket without a reader."""
    poll = select.poll()
    poll.register(1, 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


def _told(error: BaseException) -> tuple[str, Exit]:
    """Return the line for an error, and the exit status."""
    match error:
        case TierscopeError():
            return str(error), error.status
        case ClickException():
            asked = getattr(error, "ctx", None)
            return (
                f"{error.format_message().rstrip('.')}; try `{asked.command_path if asked else called()} --help`",
                Exit.USAGE,
            )
        case OSError():
            return f"the system refused{' ' if error.filename else ': '}{refusal(error)}", Exit.CANNOT
    *_, last = traceback.extract_tb(error.__traceback__)
    what = f"{type(error).__name__}: {error} ({Path(last.filename).name}, line {last.lineno})"
    return f"a fault of Tierscope, {what}; report it with what TIERSCOPE_TRACEBACK=1 shows", Exit.INTERNAL


def _say(message: str, status: int) -> int:
    door.message(message)
    return status


def _mend_streams() -> None:
    """Replace a closed stream by the null device, and letters that an encoding lacks by question marks."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 (until the process ends)
        elif type(stream) is io.TextIOWrapper:  # what others put there, they want back
            setattr(sys, name, whole(stream))
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
