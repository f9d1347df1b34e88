"""The command that takes a suite: its help names the options of the suite, and takes them in the form of flags too."""

from typing import TYPE_CHECKING, Any

import rich_click as click
from rich.text import Text

from tierscope.cli.help import Command, two_columns
from tierscope.cli.markup import plain

if TYPE_CHECKING:
    from tierscope.plans.options import Option

SUITE = "tierscope.suite"  # of the context: the suite on the command line


class SuiteCommand(Command):
    """A command whose first argument is a suite, and the others key=value; see `cli.suite_words`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        flags = {flag: not one.is_flag for one in self.get_params(ctx) if isinstance(one, click.Option)
                 for flag in one.opts}  # fmt: skip
        ctx.meta[SUITE] = ""
        if asks_help(ctx, args) or any(word.startswith("--") and word.partition("=")[0] not in flags for word in args):
            from tierscope.cli.suite_words import as_words, find_suite

            ctx.meta[SUITE] = find_suite(args, flags)
            if not (ctx.resilient_parsing or asks_help(ctx, args)):
                args = as_words(args, flags)
        return super().parse_args(ctx, args)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if suite := ctx.meta.get(SUITE):
            formatter.write_usage(ctx.command_path, f"{suite} [OPTIONS] [KEY=VALUE]...")
        else:
            super().format_usage(ctx, formatter)

    def format_help_text(self, ctx: Any, formatter: Any) -> None:  # rich-click narrows the types of click
        if suite := ctx.meta.get(SUITE):
            formatter.write(Text(about(suite) + "\n"))
        else:
            super().format_help_text(ctx, formatter)

    def examples_for(self, ctx: click.Context) -> tuple[str, ...]:
        suite = ctx.meta.get(SUITE)
        return tuple(one for one in self.examples if not suite or suite in one.split())


def asks_help(ctx: click.Context, args: list[str]) -> bool:
    """Return whether the words ask for help; those behind `--` do not."""
    own = args[: args.index("--")] if "--" in args else args
    return any(name in own for name in ctx.help_option_names)


def about(suite: str) -> str:
    """Return what a suite measures, and its options with defaults; UnknownNameError for another."""
    from tierscope.cli.suite_words import options_of
    from tierscope.plans import suites
    from tierscope.plans.options import own_options

    own = () if suite.endswith(".toml") else own_options(suites[suite].options)
    its = {one.name for one in own}
    every = tuple(one for one in options_of(".toml") if one.name not in its)
    text = f"the groups of {suite}."
    if not suite.endswith(".toml"):
        text = f"{suites[suite].summary}. {suites[suite].details}"
    blocks = [" ".join(plain(f"{text[:1].upper()}{text[1:]}").split())]
    blocks += [f"Options of {suite}, as key=value or --key=value:\n{_keys(own)}"] if own else []
    return "\n\n".join([*blocks, f"Options of every suite:\n{_keys(every)}"])


def _keys(options: "tuple[Option, ...]") -> str:
    """Return meaning and default of each option; lines of a default break behind a comma."""
    told = {one.name: f"{one.help}{'; ' if one.help else ''}default: {_broken(one.shown())}" for one in options}
    return two_columns(told).replace("\0 ", "").replace("\0", "").rstrip()


def _broken(value: str) -> str:
    return value.replace(",", ",\0 ")
