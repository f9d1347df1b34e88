"""Examples of the help: a terminal of 80 columns breaks none of them where a shell would not read on."""

import shlex

import pytest
from click.testing import CliRunner

from tierscope.cli.commands import commands
from tierscope.cli.help import EXAMPLE, WIDTH, Command
from tierscope.cli.main import tierscope
from tierscope.cli.wrapping import continued

EXAMPLES = [
    (name, one) for name in commands if isinstance(command := commands[name], Command) for one in command.examples
]


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_a_shell_reads_an_example_as_one_command(name: str, example: str) -> None:
    lines = continued(example, EXAMPLE)
    assert shlex.split(lines.replace("\\\n", "")) == shlex.split(example)
    assert max(map(len, lines.splitlines())) <= EXAMPLE
    assert all(line.endswith(" \\") for line in lines.splitlines()[:-1])


@pytest.mark.parametrize("name", sorted({name for name, _ in EXAMPLES}))
def test_the_help_shows_each_example_as_a_shell_reads_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", f"{WIDTH}")
    shown = CliRunner().invoke(tierscope, [*name.split(), "--help"], prog_name="tierscope").output
    told = shown.partition("Examples:\n")[2]
    assert shlex.split(told.replace("\\\n", "")) == [
        word for one, text in EXAMPLES if one == name for word in shlex.split(text)
    ]


def test_a_short_command_is_one_line() -> None:
    assert continued("tierscope run quick", EXAMPLE) == "tierscope run quick"
