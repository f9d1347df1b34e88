"""The next steps in a terminal of 80 columns."""

import io

from tierscope.cli.console import Console
from tierscope.report.top.parts import Step, Top
from tierscope.report.top.terminal import show_steps


def shown(*steps: Step) -> list[str]:
    console, out = Console(), io.StringIO()
    console.file, console.width = out, 80
    show_steps(Top("", (), (), (), steps), console)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_a_long_step_continues_below_its_own_text() -> None:
    text = "Page walks make random accesses 1.2x as slow: use huge pages for large tables of [any] kind."
    lines = shown(Step(text, "", 0.2))[2:]
    assert len(lines) > 1
    assert lines[0].startswith(" 1. Page walks")
    assert all(line.startswith("    ") and line[4] != " " for line in lines[1:])
    assert " ".join(line[4:] for line in lines) == text


def test_a_command_stays_on_one_line_however_long() -> None:
    command = "tierscope rerun runs/" + "x" * 100
    assert shown(Step("Repeat it.", command, 0.2))[-1] == f"    {command}"
