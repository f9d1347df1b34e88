"""The entry point: one line per error, and an exit status that a script can rely on."""

import sys

import rich_click as click

from tierscope import __version__
from tierscope.cli.commands import commands
from tierscope.cli.help import Group
from tierscope.errors import Exit, TierscopeError, UnknownNameError, UsageError

EPILOG = """\b
Exit status, of every command:
  0    good
  1    a threshold or a comparison failed
  2    usage: a word, a file or a name is wrong
  3    this machine cannot do it
  4    inconclusive: half of a table's points, or any with --strict
  70   a fault of Tierscope
  130  interrupted; `tierscope resume DIR` goes on

Examples:
  tierscope run quick                          everything, in under two minutes
  tierscope run stream kernels=triad,triad_nt threads=1,2
  tierscope run latency pages=4k to=1GiB --json -
  tierscope doctor                             what in the set-up touches which number
  tierscope compare runs/A runs/B
"""


class Commands(Group):
    """Commands from the registry, loaded when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(commands)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        return commands[name]  # UnknownNameError names the nearest


@click.group(
    cls=Commands,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="tierscope")
def tierscope() -> None:
    """Measures, models and predicts every tier of a machine's memory, without root, PMU or licence."""


def main(words: list[str] | None = None) -> int:
    """Run one command; returns its exit status."""
    try:
        status = tierscope.main(words, prog_name="tierscope", standalone_mode=False)
        return int(status) if isinstance(status, int) else Exit.GOOD
    except TierscopeError as error:
        return _say(str(error), error.status)
    except click.exceptions.Abort:
        return _say("interrupted", Exit.INTERRUPTED)
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.ClickException as error:
        return _say(error.format_message().replace("\n", " "), Exit.USAGE)
    except KeyboardInterrupt:
        return _say("interrupted", Exit.INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()  # the reader went away, as `| head` does
        return Exit.GOOD
    except OSError as error:
        place = f" {error.filename}" if error.filename else ""
        return _say(f"the system refused{place}: {error.strerror or error}", Exit.CANNOT)


def _say(message: str, status: Exit) -> int:
    sys.stderr.write(f"tierscope: {message}\n")
    return status


def entry() -> None:
    """The script `tierscope`."""
    sys.exit(main())


__all__ = ["UnknownNameError", "UsageError", "entry", "main"]
