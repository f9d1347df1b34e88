"""`tierscope completion SHELL`: a script that completes commands, suites, their options and values."""

import rich_click as click

from tierscope.cli import door
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command, Tried

NO_SPACE = """COMPREPLY+=($value)
            [[ $value == *[=:] ]] && compopt -o nospace"""
"""For bash: what follows `key=` is its value, and what follows `node:` its number, not a space."""


@click.command(
    cls=Command,
    area=Area.MACHINE,
    tried=Tried(),
    examples=("tierscope completion bash > ~/.local/share/bash-completion/completions/tierscope",),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> int:
    """Print the completion script for SHELL.

    The script completes commands, suites, their keys, and values such as names of kernels. SHELL is `bash`, `zsh` or
    `fish`.
    """
    from click.shell_completion import get_completion_class

    from tierscope.cli.main import tierscope

    made = get_completion_class(shell)
    assert made is not None
    script = made(tierscope, {}, "tierscope", "_TIERSCOPE_COMPLETE").source()
    door.lines(script.replace("COMPREPLY+=($value)", NO_SPACE) + "\n")
    return 0


commands.add(completion)
