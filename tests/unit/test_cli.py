"""The command line: wrong words, faults, and help; words in, status and one line out."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fake_core import FakeCore, put_in_place
from said import refused, say
from tierscope import core
from tierscope.cli import main as cli
from tierscope.cli.commands import commands
from tierscope.errors import Exit


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeCore:
    """In an empty current directory; pages come without their libraries, which take a second to pack."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tierscope.report.formats.html.bundle", lambda: "")
    return put_in_place(FakeCore(), monkeypatch)


def test_the_same_statuses_are_in_the_code_the_help_and_the_documents(
    capfd: pytest.CaptureFixture[str], root: Path
) -> None:
    _, out, _ = say(capfd, "--help")
    told = [int(number) for number in re.findall(r"^  (\d+) +\w", out.split("Exit status")[1], re.MULTILINE)]
    documented = re.findall(
        r"^\| (\d+) \| (\w+) \|", (root / "docs/reference/exit-status.md").read_text(), re.MULTILINE
    )
    assert told == [int(status) for status in Exit]
    assert [(int(number), name) for number, name in documented] == [(status.value, status.name) for status in Exit]


@pytest.mark.parametrize("name", list(commands))
def test_every_command_has_a_help_page(capfd: pytest.CaptureFixture[str], name: str) -> None:
    status, out, err = say(capfd, name, "--help")
    assert (status, err) == (0, "")
    assert f"tierscope {name}" in out


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("rnu quick", "unknown command 'rnu'; did you mean run? (known: run, "),
        ("--colour", "No such option '--colour'.*try `tierscope --help`"),
        ("run", "Missing argument 'SUITE'; try `tierscope run --help`"),
        (
            "run quickx",
            "unknown suite 'quickx'; did you mean quick? (known: quick, ",
        ),
        ("run quick 5", "'5' is not of the form key=value"),
        ("run quick limitx=5", "unknown option of quick 'limitx'; did you mean limit?"),
        ("run quick limit=5 limit=6", "limit= is given twice"),
        ("run quick limit=5parsec", "limit=5parsec: unknown unit 'parsec'"),
        ("run stream kernels=triat", "unknown kernel 'triat'; did you mean triad?"),
        ("run stream threads=3", "threads=3 does not fit the CPUs that may be used, 0,1; try threads=2"),
        ("run stream cpus=0,7", "CPU 7 may not be used here; usable: 0,1"),
        ("run latency cpu=7", "CPU 7 may not be used here; usable: 0,1"),
        ("run stream pages=3m", "unknown page size '3m'; did you mean 32m? (known: "),
        ("run stream target=:0", "target ':0' has no name; try node:0"),
        ("run nowhere.toml", "plan nowhere.toml cannot be read: No such file or directory"),
        ("run stream --bogus", "No such option '--bogus'"),
        ("resume nowhere", "nowhere does not exist"),
        ("rerun nowhere", "nowhere does not exist"),
        ("show nowhere", "nowhere does not exist"),
        ("report nowhere", "nowhere does not exist"),
        ("compare nowhere nowhere", "nowhere does not exist"),
        ("compare nowhere", "Missing argument 'AFTER'"),
        ("suites streamx", "unknown suite 'streamx'; did you mean stream?"),
        ("completion tcsh", "'tcsh' is not one of 'bash', 'zsh', 'fish'"),
    ],
)
def test_wrong_words_end_with_2_and_one_line_that_helps(
    fake: FakeCore, capfd: pytest.CaptureFixture[str], tmp_path: Path, words: str, why: str
) -> None:
    status, line = refused(capfd, *words.split())
    assert status == Exit.USAGE
    pattern = why if ".*" in why else re.escape(why)
    assert re.search(pattern, line), line
    assert os.listdir(tmp_path) == []


def test_an_unforeseen_fault_is_one_line_with_its_place(
    fake: FakeCore, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core, "topology", lambda: 1 / 0)
    status, line = refused(capfd, "topology")
    assert status == Exit.INTERNAL
    assert re.match(r"a fault of Tierscope, ZeroDivisionError: division by zero \(test_cli.py, line \d+\)", line)
    monkeypatch.setenv("TIERSCOPE_TRACEBACK", "1")
    assert "Traceback" in say(capfd, "topology")[2]


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (OSError(28, "No space left on device", "/x/y"), "the system refused /x/y: No space left on device"),
        (OSError("odd"), "the system refused: odd"),
        (MemoryError(), "a fault of Tierscope, MemoryError"),
    ],
)
def test_a_refusal_of_the_system_is_one_line(
    fake: FakeCore, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, error: Exception, line: str
) -> None:
    def refuse() -> dict[str, Any]:
        raise error

    monkeypatch.setattr(core, "topology", refuse)
    assert refused(capfd, "topology")[1].startswith(line)


def test_help_is_quick_since_it_loads_nothing_heavy() -> None:
    code = "import sys; from tierscope.cli.main import main; main(['--help']); main(['run', '--help'])"
    code += "; print(sorted({'numpy', 'scipy', 'duckdb', 'vl_convert', 'jinja2'} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert cli.EPILOG.splitlines()[-1] in done.stdout
