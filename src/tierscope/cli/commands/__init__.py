"""One file per command; each adds itself. Heavy modules are imported when a command runs, so `--help` is quick."""

import click

from tierscope.registry import Registry

commands: Registry[click.Command] = Registry("command", "tierscope.cli.commands")  # type: ignore[type-var]
