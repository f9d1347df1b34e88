"""Names of an open list on the command line, as a shell completes them."""

from collections.abc import Callable, Iterable

import rich_click as click
from click.shell_completion import CompletionItem

Known = Callable[[], Iterable[str]]
"""Loads a list only where its names are needed, so that other commands start fast."""
Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def complete(known: Known) -> Complete:
    """Return what completes the names of a list."""

    def offered(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[CompletionItem]:
        return [CompletionItem(name) for name in known() if name.startswith(begun)]

    return offered


def suites() -> Iterable[str]:
    from tierscope.plans import suites

    return suites


def importers() -> Iterable[str]:
    from tierscope.imports import importers

    return importers


def models() -> Iterable[str]:
    from tierscope.models import models

    return models
