"""One door leads to the terminal, and foreign text passes it visibly and without effect."""

import ast
import io
import json
from pathlib import Path

import numpy as np
import pytest
from rich.table import Table
from rich.text import Text

from tierscope.cli import door
from tierscope.cli.console import Console
from tierscope.cli.wrapping import WIDEST, wrapped
from tierscope.draw import forms
from tierscope.printable import cell, json_text, printable, printable_all, printable_lines

HOSTILE = "a\x1b[31mred\x1b]0;title\x07\x9b2J\u202egnp.exe\u2066\r\x08\x7f\u200b\U000e0041[bold][/x]:smile:"
DOORS = {"cli/door.py", "cli/console.py"}
CONSTANT = {"cli/entry.py", "core/build.py", "host/guard.py"}  # what they write is in their source
DESCRIPTORS = {"files.py", "report/picture.py", "remote/shell.py", "doctor/apply.py", "host/kept.py",
               "vm/client.py", "host/levers_kept.py", "simulated/parallel.py"}  # fmt: skip
"""os.write: to files and pipes, what a library printed, and to another machine."""
CALLS = {"print", "input", "os.write", "open_new", "sys.stdout.write", "sys.stderr.write", "sys.stdout.writelines",
         "sys.stderr.writelines", "sys.stdout.buffer.write", "sys.stderr.buffer.write"}  # fmt: skip
NAMES = {"echo", "echo_via_pager", "secho", "confirm", "prompt", "pause", "print_exception", "print_exc", "print_stack",
         "print_tb"}  # fmt: skip
"""The calls of click and of traceback."""


def faults(source: str) -> list[str]:
    """The code that writes to a terminal, or makes a console, past the door."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name in CALLS or ("." in name and name.rpartition(".")[2] in NAMES):
                found.append(name)
            if name == "Console" and "from tierscope.cli.console import Console" not in source:
                found.append(name)
        if isinstance(node, ast.ImportFrom) and node.module == "click" and {one.name for one in node.names} & NAMES:
            found.append(ast.unparse(node))
    return found


def test_no_module_writes_to_the_terminal_past_the_door(root: Path) -> None:
    package = root / "src/tierscope"
    sources = {str(path.relative_to(package)): path.read_text() for path in package.rglob("*.py")}
    assert set(sources) >= DOORS | CONSTANT
    found = {name: faults(source) for name, source in sources.items() if name not in DOORS | CONSTANT}
    for name in DESCRIPTORS:
        assert set(found.pop(name)) == {"os.write"}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize(
    "line",
    [
        "print(1)", "import sys\nsys.stderr.write('x')", "import click\nclick.echo('x')", "from click import secho",
        "from rich.console import Console\nConsole()", "import traceback\ntraceback.print_exception(error)",
        "import os\nos.write(1, b'x')",
    ],
)  # fmt: skip
def test_output_that_bypasses_the_door_is_found(line: str) -> None:
    assert faults(line)


def shown(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.fixture
def console() -> Console:
    """A terminal with colours."""
    made = Console()
    made.file = io.StringIO()
    made._color_system = None
    return made


def test_text_is_shown_and_does_nothing(console: Console) -> None:
    table = Table(title=HOSTILE)
    table.add_column(HOSTILE, overflow="fold")
    table.add_row(HOSTILE)
    table.add_row(Text(HOSTILE))
    for one in (HOSTILE, Text(HOSTILE), table):
        console.print(one, width=200)
    text = shown(console)
    assert all(line.isprintable() for line in text.split("\n"))
    assert text.count("\\u001b[31mred") == 6
    assert text.replace("\n", "").startswith(printable(HOSTILE))


def test_colours_of_our_own_pass() -> None:
    console = Console()
    console.file, console._force_terminal = io.StringIO(), True
    console._color_system = console._detect_color_system() or console._color_system
    console.print(Text("bad", style="bold red"), Text("\x1b[0m"))
    assert "\x1b[1" in shown(console)
    assert "\\u001b[0m" in shown(console)


def test_words_lines_and_messages_are_printable(capsys: pytest.CaptureFixture[str]) -> None:
    door.line(HOSTILE)
    door.lines(f"{HOSTILE}\nsecond\n")
    door.message(f"{HOSTILE}\nsecond")
    door.details(f"{HOSTILE}\n")
    out, err = capsys.readouterr()
    assert all(line.isprintable() for line in (out + err).split("\n"))
    assert out.splitlines()[1:] == [printable(HOSTILE), "second"]
    assert err.splitlines()[0] == f"tierscope: {printable(HOSTILE)} second"


@pytest.mark.parametrize("text", [HOSTILE, "plain", "größe", "\ud83d"[:0] + "\U0001f600", "\x7f\x80\u2028"])
def test_json_is_printable_and_reads_as_the_text_was(text: str) -> None:
    for ascii_only in (False, True):
        written = json_text({"key": [text]}, ascii_only=ascii_only)
        assert json.loads(written) == {"key": [text]}
        assert all(line.isprintable() for line in written.split("\n"))
        assert written.isascii() or not ascii_only


def test_json_knows_numbers_of_numpy_and_refuses_what_it_does_not_know() -> None:
    value = {"a": np.float64(1.5), "b": np.int64(2), "c": np.bool_(True), "d": np.array([1, 2]), "e": float("nan")}
    assert json.loads(json_text(value)) == {"a": 1.5, "b": 2, "c": True, "d": [1, 2], "e": None}
    with pytest.raises(TypeError, match="object has no form in JSON"):
        json_text(object())


def test_json_on_a_terminal_without_unicode_is_escaped(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="replace", write_through=True)
    monkeypatch.setattr("sys.stdout", stream)
    door.document({"host": "größe"})
    assert json.loads(stream.buffer.getvalue()) == {"host": "größe"}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("=1+1", "'=1+1"), ("+cmd", "'+cmd"), ("-cmd|' /C calc'!A0", "'-cmd|' /C calc'!A0"), ("@SUM(A1)", "'@SUM(A1)"),
        (" =1", "' =1"), ("\t=1", "\\u0009=1"), ("＝1", "'＝1"), ("-5", "-5"), ("+1e3", "+1e3"), ("triad", "triad"),
        ("", ""), ("a=b", "a=b"), ("\x1b[2J", "\\u001b[2J"),
    ],
)  # fmt: skip
def test_a_cell_of_text_is_not_a_formula(text: str, wanted: str) -> None:
    assert cell(text) == wanted


def test_plain_data_are_printable_throughout() -> None:
    assert printable_all({"a": ["x\x1b", 1, {"b": "\u202e"}]}) == {"a": ["x\\u001b", 1, {"b": "\\u202e"}]}
    assert printable_lines("a\nb\x1b\r\n") == "a\nb\\u001b\\u000d\n"


SENTENCE = "  host24: slower than its peers by 5.1 % (4.7 to 5.6): " + ", ".join(f"metric{n}" for n in range(20))


@pytest.mark.parametrize("width", [40, 80, 100, 300])
def test_a_sentence_fits_the_terminal_and_loses_no_word(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    door.wrapped(SENTENCE)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= min(width, WIDEST)
    assert len(lines) > 1
    assert " ".join(lines).split() == SENTENCE.split()
    assert lines[0].startswith("  host24")
    assert all(line.startswith("    ") for line in lines[1:])


def test_sentences_are_as_wide_as_tables() -> None:
    assert WIDEST == forms.WIDEST


COMMANDS = (
    "tierscope run stream kernels=read,write_nt,triad counters=default cpus=0-31 target=node:1 repeats=20 budget=30s",
    "sudo sysctl kernel.perf_event_paranoid=1 kernel.numa_balancing=0 kernel.nmi_watchdog=0 vm.nr_hugepages=1024",
    "tierscope fleet collect '/srv/machines of the hall, second row/fleet' --out /srv/a-long-name/of-a/folder-of/them",
    "echo 'GRUB_CMDLINE_LINUX=\"$GRUB_CMDLINE_LINUX memmap=4G!12G\"' | sudo tee /etc/default/grub.d/memmap.cfg",
    "sudo setpci -s $(lspci -d 8086: -n) 68.w=5936 && sudo update-grub && sudo reboot",
    "./tierscope check arm --json",
)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("around", ["{}", "    {}", "    measure: {}", "read the table below; see {}, then ask again",
                                    "what one can do about the watchdog and the counters is `{}` on most machines",
                                    "no counter may be read by a user of this machine ({})"])  # fmt: skip
@pytest.mark.parametrize("width", [20, 40, 80])
def test_a_command_stays_whole_on_one_line(command: str, around: str, width: int) -> None:
    found = wrapped(around.format(command), width)
    lines = found.splitlines()
    assert sum(command in line for line in lines) == 1
    assert " ".join(lines).split() == around.format(command).split()
    others = [line for line in lines if command not in line]
    assert max(map(len, others), default=0) <= width
    longer = next(line for line in lines if len(line) > width or command in line)
    assert len(longer) <= width or longer.lstrip().strip("`(),").startswith(command[:20])


def test_a_script_of_another_name_is_a_command_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIERSCOPE_CALLED", "/opt/my tools/run-it")
    assert wrapped("what else runs is told by '/opt/my tools/run-it' doctor --json", 30).splitlines() == [
        "what else runs is told by", "  '/opt/my tools/run-it' doctor --json",
    ]  # fmt: skip


@pytest.mark.parametrize("path", ["/srv/a-long-name/of-a/folder-of/many-fleets/2026-01-09", "'/srv/two words/a b c/d'"])
def test_a_path_is_never_broken(path: str) -> None:
    assert wrapped(f"the samples of this run are in {path}/x, which", 24).splitlines() == [
        "the samples of this run", "  are in", f"  {path}/x,", "  which",
    ]  # fmt: skip


def test_prose_with_apostrophes_is_still_wrapped() -> None:
    text = "the kernel's list and the users' own list differ by what's in GRUB's settings and the machine's firmware"
    assert max(map(len, wrapped(text, 30).splitlines())) <= 30


def test_an_error_is_wrapped_on_a_terminal_and_one_line_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("COLUMNS", "60")
    told = f"unknown suite 'flsh'; did you mean flush? (known: {', '.join(f'suite{n}' for n in range(30))})"
    shown: dict[bool, str] = {}
    for stream in (Terminal(), io.StringIO()):
        monkeypatch.setattr("sys.stderr", stream)
        door.message(told)
        shown[stream.isatty()] = stream.getvalue()
    assert shown[False] == f"tierscope: {told}\n"
    assert max(map(len, shown[True].splitlines())) <= 60
    assert shown[True].split() == shown[False].split()
    assert "did you mean flush?" in shown[True].splitlines()[0]
