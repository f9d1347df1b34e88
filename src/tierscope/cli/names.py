"""Names of an open list on the command line: the help of an option names them all, and a shell completes them."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import rich_click as click
from click.shell_completion import CompletionItem

from tierscope.called import as_called
from tierscope.cli.markup import plain

Known = Callable[[], Iterable[str]]
"""Loads a list only where its names are needed, so that other commands start fast."""
PUBLISHED = "reference:"
Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


class Named(click.Option):
    """An option whose value is a name of a list; `{}` in its help, light Markdown, stands for all names."""

    def __init__(self, words: Sequence[str], *, known: Known, help: str, **more: Any) -> None:
        self._known, self._template = known, help
        super().__init__(words, help=help, shell_complete=complete(known), **more)

    @property
    def markdown(self) -> str:
        """Return the help with all names of the list, and with its marks."""
        return self._template.format(", ".join(self._known()))

    @property
    def help(self) -> str | None:
        """Return the help with all names of the list, without marks."""
        return as_called(plain(self.markdown))

    @help.setter  # noqa: A003 (the name that click reads)
    def help(self, text: str | None) -> None:
        """Take what click sets: the text without names."""
        self._template = text or ""


def complete(known: Known) -> Complete:
    """Return what completes the names of a list."""

    def offered(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[CompletionItem]:
        return [CompletionItem(name) for name in known() if name.startswith(begun)]

    return offered


def runs_or_tables(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return published tables after `reference:` for the shell, which begins as what was typed; else files.

    bash cuts words at each colon, and completes the last part alone.
    """
    from tierscope.reference import names

    if begun and PUBLISHED.startswith(begun):
        return [CompletionItem(PUBLISHED)]
    if begun.startswith(PUBLISHED):
        return [CompletionItem(f"{PUBLISHED}{name}") for name in names() if f"{PUBLISHED}{name}".startswith(begun)]
    return [CompletionItem(begun, type="file")]


def suites() -> Iterable[str]:
    from tierscope.plans import suites

    return suites


def reports() -> Iterable[str]:
    from tierscope.report.formats import formats

    return formats.reports()


def exports() -> Iterable[str]:
    from tierscope.report.formats import formats

    return formats.exports()


def importers() -> Iterable[str]:
    from tierscope.imports import importers

    return importers


def models() -> Iterable[str]:
    from tierscope.models import models

    return models


def presets() -> Iterable[str]:
    from tierscope.cli.values import presets

    return presets()


def machines() -> Iterable[str]:
    from tierscope.vm.machine import machines

    return machines


def checks() -> Iterable[str]:
    from tierscope.doctor.check import checks

    return checks


def documents() -> Iterable[str]:
    from tierscope.reproduce import reproduce

    return reproduce


def engines() -> Iterable[str]:
    from tierscope.fleet.engines import engines

    return engines


def run_times() -> Iterable[str]:
    from tierscope.models.run_time import run_times

    return run_times()
