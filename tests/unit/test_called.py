"""Hints name the command that the user has, and nothing else changes."""

import io
import os
import subprocess
from pathlib import Path

import pytest
from rich.table import Table
from rich.text import Text

from checkout import Checkout
from said import say
from tierscope.called import VARIABLE, as_called, called
from tierscope.cli import door
from tierscope.cli.commands import commands
from tierscope.cli.console import Console
from tierscope.report.formats.markdown import code
from tierscope.report.pages import pages


@pytest.fixture
def clone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "./tierscope")


@pytest.mark.usefixtures("clone")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("sudo tierscope doctor", "sudo ./tierscope doctor"),
        ("repeat it: `tierscope rerun runs/A`", "repeat it: `./tierscope rerun runs/A`"),
        ("tierscope resume A, tierscope show A", "./tierscope resume A, ./tierscope show A"),
        ("try `tierscope --help`", "try `./tierscope --help`"),
        ("tierscope run quick", "./tierscope run quick"),
        ("./tierscope run quick", "./tierscope run quick"),
        ("/opt/tierscope run quick", "/opt/tierscope run quick"),
        ("tierscope 0.2.0", "tierscope 0.2.0"),
        ("tierscope, version 0.2.0", "tierscope, version 0.2.0"),
        ("tierscope runs well", "tierscope runs well"),
        ("my-tierscope run", "my-tierscope run"),
    ],
)
def test_commands_have_the_name_of_the_clone(text: str, shown: str) -> None:
    assert as_called(text) == shown
    assert as_called(shown) == shown


@pytest.mark.usefixtures("clone")
@pytest.mark.parametrize("name", sorted(name for name in commands if " " not in name))
def test_every_command_is_known(name: str) -> None:
    assert as_called(f"try `tierscope {name}`") == f"try `./tierscope {name}`"


@pytest.mark.parametrize(("word", "name"), [("", "tierscope"), ("/a b/tierscope", "'/a b/tierscope'"),
                                            ("\x1b[2J", "tierscope"), ("ts; rm x", "'ts; rm x'")])  # fmt: skip
def test_a_name_is_one_word_of_a_shell(word: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, word)
    assert called() == name
    once = as_called("tierscope run quick")
    assert once == f"{name} run quick"
    assert as_called(once) == once


@pytest.mark.usefixtures("clone")
def test_the_terminal_uses_it_and_pages_do_not(capfd: pytest.CaptureFixture[str]) -> None:
    door.line("Next: tierscope show A")
    door.message("stopped; tierscope resume A continues")
    out, err = capfd.readouterr()
    assert out == "Next: ./tierscope show A\n"
    assert err == "tierscope: stopped; ./tierscope resume A continues\n"
    assert pages().from_string("<b>{{ x }}</b>").render(x="tierscope show A") == "<b>tierscope show A</b>"
    assert code("tierscope show A") == "`tierscope show A`"


@pytest.mark.usefixtures("clone")
def test_styles_stay_with_their_words() -> None:
    console = Console()
    console.file = io.StringIO()
    text = Text("see ").append("tierscope doctor", "bold").append(" now", "dim")
    found = [(one.text, str(one.style)) for one in console.render(text) if one.text.strip()]
    assert "".join(words for words, _ in found) == "see ./tierscope doctor now"
    assert {words for words, style in found if "bold" in style} == {"./tierscope", " doctor"}
    table = Table()
    table.add_column("")
    table.add_row("tierscope doctor")
    console.print(table)
    assert "./tierscope doctor" in console.file.getvalue()


@pytest.mark.usefixtures("clone")
def test_help_and_errors_use_it_and_json_does_not(capfd: pytest.CaptureFixture[str]) -> None:
    _, out, _ = say(capfd, "doctor", "--help")
    assert "sudo ./tierscope doctor --apply" in out
    assert "Usage: ./tierscope doctor" in out
    _, _, err = say(capfd, "doctor", "--no-such")
    assert "`./tierscope doctor --help`" in err
    door.document({"remedy": "tierscope doctor"})
    assert '"tierscope doctor"' in capfd.readouterr().out


@pytest.mark.parametrize("through_path", [False, True])
def test_a_clone_passes_on_the_name_that_was_typed(tmp_path: Path, through_path: bool) -> None:
    checkout = Checkout(tmp_path).with_tools()
    assert checkout.start().returncode == 0
    program = checkout.root / ".venv/bin/tierscope"
    program.write_text(f'#!/bin/sh\necho "${VARIABLE}"\n')
    word = "tierscope" if through_path else "./tierscope"
    path = f"{checkout.root}:{os.environ['PATH']}"
    done = subprocess.run(["sh", "-c", word], cwd=checkout.root, env=os.environ | {"PATH": path}, text=True,
                          capture_output=True, check=False)  # fmt: skip
    assert done.stdout == f"{word}\n", done.stderr
