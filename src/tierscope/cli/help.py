"""Commands with help texts in light Markdown: the terminal shows them plain, the reference pages keep the marks."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from textwrap import fill, indent
from typing import Any

import rich_click as click
from rich.text import Text

from tierscope.called import as_called
from tierscope.cli.markup import plain
from tierscope.cli.names import Named
from tierscope.cli.wrapping import continued
from tierscope.registry import Registry

WIDTH = 80  # of a terminal
EXAMPLE = WIDTH - 4  # of a line of an example: without its indent, and with `./` before our name


def _write(epilog: str | None, formatter: click.HelpFormatter) -> None:
    if epilog and isinstance(formatter, click.RichHelpFormatter):
        formatter.write(Text(as_called(epilog.rstrip()) + "\n"))


def two_columns(meanings: dict[Any, str]) -> str:
    """Return one entry of two columns for each key."""
    wide = max(map(len, map(str, meanings)), default=0) + 1
    return "".join(
        fill(plain(meaning), WIDTH, initial_indent=f"  {key!s:{wide}} ", subsequent_indent=" " * (wide + 3)) + "\n"
        for key, meaning in meanings.items()
    )


def described(registry: Registry[Any]) -> dict[str, str]:
    """Return name -> what it is, the first paragraph of the docstring of its module."""
    modules = {name: inspect.getmodule(type(registry[name])) for name in registry}
    paragraphs = {name: (inspect.getdoc(module) or "").partition("\n\n")[0] for name, module in modules.items()}
    return {name: " ".join(text.split()) for name, text in paragraphs.items()}


class Area(StrEnum):
    """The purpose of a command; the value is the title of its group in `tierscope --help`, in this order."""

    MEASURE = "Measure"
    LOOK = "Look at a run"
    COMPARE = "Compare and correlate"
    PREDICT = "Model, simulate and predict"
    MACHINE = "Machine and program"
    DATA = "Data of other programs"
    OTHER = "Other commands"


@dataclass(frozen=True)
class Tried:
    """Arguments with which the tests call a command for a run of each suite; neither: it reads no run.

    {run} is the directory of the run, {out} an empty directory, {report} and {export} each format of its kind.
    """

    every: tuple[str, ...] = ()  # a run of every suite has something for these
    some: tuple[str, ...] = ()  # for these a run may have nothing, and the command reports it


class Command(click.RichCommand):
    """A command that knows its examples, its formats, when it ends with which exit status, and how it is tried.

    `markdown` is its help with its marks. `tried`: None for a command that does not state it. `area`: what it is for.
    """

    def __init__(
        self,
        *args: Any,
        examples: tuple[str, ...] = (),
        status: dict[int, str] | None = None,
        formats: Callable[[], dict[str, str]] | None = None,
        tried: Tried | None = None,
        area: Area = Area.OTHER,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.examples, self.status, self._formats = examples, status or {}, formats
        self.tried, self.area = tried, area
        self.markdown = self.help or ""
        self.help = as_called(plain(self.markdown))
        self._marked: dict[str, str] = {}
        for one in self.params:
            if isinstance(one, click.Option) and not isinstance(one, Named):  # whose help loads a list
                self._marked[one.opts[0]] = one.help or ""
                one.help = as_called(plain(one.help or ""))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words; an error that the parser raises names this command, so that its help is suggested."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise

    def help_of(self, option: click.Option) -> str:
        """Return the help of an option with its marks."""
        return option.markdown if isinstance(option, Named) else self._marked[option.opts[0]]

    @property
    def formats(self) -> dict[str, str]:
        """Name -> what it is, of the formats that the command knows; their modules are loaded."""
        return self._formats() if self._formats else {}

    def examples_for(self, ctx: click.Context) -> tuple[str, ...]:
        """Return the examples that the help of this command line shows."""
        return self.examples

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        blocks = {
            "Formats": two_columns(self.formats),
            "Exit status": two_columns(self.status),
            "Examples": "".join(indent(continued(one, EXAMPLE), "  ") + "\n" for one in self.examples_for(ctx)),
        }
        _write("\n".join(f"{title}:\n{text}" for title, text in blocks.items() if text), formatter)


class Group(click.RichGroup):
    """A group with an epilogue of its own lines, whose commands are shown by their areas."""

    def format_options(self, ctx: Any, formatter: Any) -> None:  # rich-click narrows the types of click
        formatter.config.command_groups = {ctx.command_path: self._areas(ctx)}
        super().format_options(ctx, formatter)

    def _areas(self, ctx: click.Context) -> list[Any]:
        """Return the commands of each area that has some."""
        found: dict[Area, list[str]] = {area: [] for area in Area}
        for name in self.list_commands(ctx):
            found[getattr(self.get_command(ctx, name), "area", Area.OTHER)].append(name)
        return [{"name": area.value, "commands": names} for area, names in found.items() if names]

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _write(self.epilog, formatter)
