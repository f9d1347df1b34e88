"""`tierscope completion SHELL`: a script that completes commands, suites and their options."""

import rich_click as click

from tierscope.cli.commands import commands
from tierscope.cli.help import Command


@click.command(cls=Command, epilog='Example:\n  tierscope completion bash > ~/.local/share/bash-completion/completions/tierscope')
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> int:
    """Print the completion script for SHELL."""
    from click.shell_completion import get_completion_class

    from tierscope.cli.main import tierscope

    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(tierscope, {}, "tierscope", "_TIERSCOPE_COMPLETE").source())
    return 0


commands.add(completion)
