"""Commands, options of the suites and variables of the environment, for docs/reference/cli.md."""

import re
from textwrap import fill
from typing import Any

import rich_click as click

from tierscope.cli.commands import commands
from tierscope.cli.environment import VARIABLES
from tierscope.cli.help import Command
from tierscope.cli.reference import Part, grid, parts
from tierscope.plans import Suite, SuiteOptions, suites
from tierscope.plans.options import Option, all_options, own_options

PAGE = "docs/reference/cli.md"


def wrapped(text: str) -> str:
    """Return the paragraphs in lines of at most 120 columns, which break at spaces only."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(
        fill(" ".join(one.split()), 120, break_long_words=False, break_on_hyphens=False) for one in paragraphs
    )


def synopsis(name: str, command: click.Command) -> str:
    """Return 'tierscope run [OPTIONS] SUITE [KEY=VALUE]...'."""
    context = click.Context(command, info_name=name)
    return " ".join(["tierscope", name, *command.collect_usage_pieces(context)])


def anchor(name: str) -> str:
    """Return the anchor that a page gives the heading of a command."""
    return name.replace(" ", "-")


def summary(command: click.Command) -> str:
    """Return the first sentence of the help, without its end."""
    return " ".join(markdown(command).partition("\n\n")[0].split()).removesuffix(".")


def markdown(command: click.Command) -> str:
    """Return the help with its marks, which a command of a plug-in may lack."""
    return command.markdown if isinstance(command, Command) else command.help or ""


def options_of(command: click.Command) -> list[tuple[str, str]]:
    """Return each option with its value, as '--out PATH', and its help with the default where it is shown."""
    context = click.Context(command)
    return [(_flag(one, context), _help(one, command)) for one in command.params if isinstance(one, click.Option)]


def _flag(option: click.Option, context: click.Context) -> str:
    return option.opts[0] if option.is_flag else f"{option.opts[0]} {option.make_metavar(context)}"


def _help(option: click.Option, command: click.Command) -> str:
    told = command.help_of(option) if isinstance(command, Command) else option.help or ""
    return f"{told} Default: {option.default}." if option.show_default else told


def section(name: str, command: click.Command) -> str:
    """Return heading, synopsis, help, options, exit status and examples of a command."""
    found = [f"## `{name}`", f"    {synopsis(name, command)}", wrapped(markdown(command))]
    if options := options_of(command):
        found.append(grid("option | meaning", [(f"`{flag}`", told) for flag, told in options]))
    if isinstance(command, Command):
        if command.formats:
            found.append(grid("format | content", [(f"`{key}`", text) for key, text in command.formats.items()]))
        if command.status:
            found.append(grid("exit status: | when", [(str(key), text) for key, text in command.status.items()]))
        if command.examples:
            found.append("\n".join(["```console", *(f"$ {line}" for line in command.examples), "```"]))
    return "\n\n".join(found)


def keys(options: tuple[Option, ...]) -> str:
    """Return the table of some options."""
    return grid("key | default | meaning", [(f"`{one.name}`", one.shown(), one.help) for one in options])


def suite_section(suite: Suite[Any]) -> str:
    """Return heading, summary, details and options of a suite."""
    text = f"{suite.summary[:1].upper()}{suite.summary[1:]}. {suite.details}"
    return f"### {suite.name}\n\n{wrapped(text)}\n\n{keys(own_options(suite.options))}"


def _list() -> str:
    return grid("command | task", [(f"[`{name}`](#{anchor(name)})", summary(commands[name])) for name in commands])


def _sections() -> str:
    return "\n\n".join(section(name, commands[name]) for name in commands)


def _suites() -> str:
    return "\n\n".join(suite_section(suites[name]) for name in suites)


def _variables() -> str:
    return grid("variable | meaning", [(f"`{name}`", text) for name, text in VARIABLES.items()])


parts.add(Part("list-of-commands", PAGE, _list))
parts.add(Part("commands", PAGE, _sections))
parts.add(Part("common-options", PAGE, lambda: keys(all_options(SuiteOptions))))
parts.add(Part("suites", PAGE, _suites))
parts.add(Part("environment", PAGE, _variables))
