"""One made run of each suite through every command, as a terminal, as JSON, as a page and as every export.

Its prose equals `tests/data/prose`, the only place where tests quote sentences. Suites, commands and formats are those
of the registries: a newcomer without words fails.
"""

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import read_once
from made_suites import BESIDES, MADE, has_points, made_run
from prose_of_suites import COMMAND, FOLDER, prose
from said import say
from tierscope.cli.commands import commands
from tierscope.cli.help import Command, Tried
from tierscope.errors import Exit
from tierscope.plans import suites
from tierscope.record.result import Run
from tierscope.report.formats import formats

FINE = (Exit.GOOD, Exit.FAILED, Exit.INCONCLUSIVE)
REFUSED = (*FINE, Exit.USAGE)  # what this run has nothing for


def words_of(lines: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the arguments of each line; one for each format where a line leaves it open."""
    open_to = {"{report}": formats.reports(), "{export}": formats.exports()}
    for place, names in open_to.items():
        lines = tuple(line.replace(place, name) for line in lines for name in (names if place in line else ("",)))
    return [tuple(line.split()) for line in lines]


def tried(name: str) -> Tried | None:
    command = commands[name]
    return command.tried if isinstance(command, Command) else None


WORDS = {name: words_of(how.every) for name in commands if (how := tried(name)) and how.every}
"""By command; every run has something for these."""

MAYBE = {name: words_of(how.some) for name in commands if (how := tried(name)) and how.some}
"""A run of another suite may have nothing for these, and the command reports that."""

READ_NO_RUN = {
    "catalogue", "completion", "crash", "doctor", "import", "models", "reproduce", "suites", "topology", "trace",
    "run", "rerun", "resume",
}  # fmt: skip
"""Commands that read no finished run; those of the program itself, since a newcomer states it."""


def test_every_made_run_is_of_a_suite() -> None:
    assert set(MADE) <= set(suites)


@pytest.mark.parametrize("name", list(commands))
def test_every_command_has_an_example_for_the_tests(name: str) -> None:
    assert tried(name) is not None, f"give the command {name} tried=Tried(...), Tried() if it reads no run"
    if name in {*WORDS, *MAYBE}:
        assert name not in READ_NO_RUN


def test_no_command_that_reads_runs_is_left_out() -> None:
    assert {"show", "report", "audit", "compare", "history"} <= set(WORDS)
    assert {"correlate", "preset", "predict", "export", "compare"} <= set(MAYBE)


@pytest.fixture(scope="module", params=[*suites, *BESIDES])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return made_run(request.param, tmp_path_factory.mktemp(request.param) / "run")


@pytest.fixture
def suite(request: pytest.FixtureRequest) -> str:
    """The name of the parameter of `run`."""
    return str(request.node.callspec.params["run"])


@pytest.fixture(scope="module", autouse=True)
def _quick(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Judge each run once: the first command makes the rows of its samples, and the others find them, as for users."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        monkeypatch.setattr("tierscope.report.formats.html.bundle", lambda: "")
        monkeypatch.setattr("tierscope.report.picture.SCALE", 0.25)  # no test here looks at pixels
        read_once.samples(monkeypatch)
        yield


def said(
    capfd: pytest.CaptureFixture[str], run: Run, out: Path, command: str, words: tuple[str, ...]
) -> tuple[int, str]:
    """Status and standard output; JSON is JSON, and nothing steers a terminal."""
    typed = [word.format(run=run.path, out=out) for word in words]
    status, told, err = say(capfd, command, *typed)
    assert status != Exit.INTERNAL, err
    assert all(line.isprintable() for text in (told, err) for line in text.split("\n")), (command, typed)
    if "--json" in typed and status in FINE:
        json.loads(told)
    return status, told


@pytest.mark.parametrize("command", WORDS)
def test_each_command_takes_each_run(run: Run, command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for words in WORDS[command]:
        status, told = said(capfd, run, tmp_path, command, words)
        alike = command in ("compare", "history") and not has_points(run)
        assert status in (REFUSED if alike else FINE), (command, words)
        assert told or command == "report" or alike
    for path in tmp_path.rglob("*.csv"):
        assert len(list(csv.reader(io.StringIO(path.read_text())))) > 1
    for path in tmp_path.rglob("*.json"):
        json.loads(path.read_text())
    for path in tmp_path.rglob("*.svg"):
        assert not {"Infinity", "NaN"} & set(re.findall("Infinity|NaN", path.read_text())), path.name
    assert all(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file())


def test_a_suite_states_what_its_file_contains(run: Run, suite: str) -> None:
    if suite in BESIDES:
        return  # of no suite
    file = FOLDER / f"{suite}.txt"
    kept = file.read_text(encoding="utf-8") if file.exists() else ""
    assert prose(run) == kept, f"if the new prose is right: {COMMAND} {suite}"


def test_each_file_of_prose_is_that_of_a_suite() -> None:
    assert {file.stem for file in FOLDER.glob("*.txt")} == set(MADE)


@pytest.mark.slow
@pytest.mark.parametrize("command", MAYBE)
def test_a_command_that_finds_nothing_reports_it(
    run: Run, command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for words in MAYBE[command]:
        status, _ = said(capfd, run, tmp_path, command, words)
        assert status in REFUSED, (command, words)
