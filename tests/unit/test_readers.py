"""Every reader survives a hostile run.

Whatever the run contains: no file appears outside of the named place, nothing steers a terminal, no status is 70, and
no command takes 10 s of CPU. HOSTILE=1000:3000 takes these seeds instead of the first ones, and all commands.
"""

import csv
import io
import os
import re
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hostile import harm
from made_suites import BESIDES, MADE
from said import say
from tiers import first
from tierscope.errors import Exit, ResultError, UsageError
from tierscope.report.formats import formats
from tierscope.sound import reads

CPU_S = 30  # a guard against hangs: of CPU time, so that a busy machine changes nothing
FIRST, LAST = (int(word) for word in os.environ.get("HOSTILE", "0:24").split(":"))
RUNS = (*(name for name in MADE if not name.startswith("document-")), *BESIDES)  # documents have parts of the others
SHARE = 5  # of the commands for each seed, one in five: each is met by several seeds
MEMORY = "read=100ns,cache=1MiB:5ns"
COMMANDS = (
    ("show", "{run}"), ("show", "{run}", "--json"), ("audit", "{run}"), ("audit", "{run}", "--json"),
    *(("report", "{run}", "--to", "{out}", "--format", name) for name in formats.reports()),
    ("report", "{run}", "--format", "csv"),
    *(("export", "{run}", "{good}", "--to", name, "--out", "{out}/export-" + name) for name in formats.exports()),
    ("export", "{run}", "--to", "csv"), ("export", "{run}", "--to", "markdown"),
    ("compare", "{good}", "{run}", "--figure", "{out}/compare.html"), ("compare", "{run}", "{good}", "--json"),
    ("compare", "{run}", "reference:document003_storage"),
    ("compare", "{run}", "{run}", "--across-origins"), ("compare", "{run}", "{good}", "--across-targets"),
    ("history", "{run}", "{good}", "--figure", "{out}/history.svg"), ("history", "{run}", "{good}", "--json"),
    ("correlate", "{run}", "--figure", "{out}/correlate.svg"), ("correlate", "{run}", "--json"),
    ("preset", "{run}"), ("predict", "{run}", "--from", MEMORY, "--on", MEMORY, "--beside", "{good}"),
    ("predict", "{good}", "--from", "{run}", "--on", "{run},read=300ns", "--json"),
)  # fmt: skip
NUMBER = re.compile(r"[+-]?([0-9.]+(e[+-]?[0-9]+)?|inf|nan)")
TEXT = (".html", ".svg", ".md", ".csv", ".json", ".prom", "-csv", "-markdown", "-openmetrics", "-hwloc", "-html")


class HangError(BaseException):
    """More than CPU_S; no `except Exception` hides it."""


@contextmanager
def guarded() -> Iterator[None]:
    def over(*_: object) -> None:
        raise HangError

    before = signal.signal(signal.SIGPROF, over)
    signal.setitimer(signal.ITIMER_PROF, CPU_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Good runs, each made when it is first asked for."""
    del tmp_path_factory
    return {}


def good_run(name: str, made: dict[str, Path], factory: pytest.TempPathFactory) -> Path:
    if name not in made:
        made[name] = (MADE | BESIDES)[name](factory.mktemp(name) / "run").path
    return made[name]


def steers(text: str) -> list[str]:
    return [line for line in text.split("\n") if not line.isprintable()]


def formulas(text: str) -> list[str]:
    """Cells that a spreadsheet would compute; numbers it may."""
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    return [one for one in cells if one.lstrip().startswith(("=", "+", "-", "@")) and not NUMBER.fullmatch(one)]


def tree(folder: Path) -> dict[str, bytes]:
    """Every file by its name, with its content."""
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("error", [KeyError("x"), IndexError(), ZeroDivisionError(), AssertionError(), MemoryError()])
def test_parts_that_do_not_fit_together_are_not_our_fault(error: Exception) -> None:
    @reads("the table")
    def read() -> None:
        raise error

    with pytest.raises(
        ResultError, match=r"the table cannot be made: parts of the run do not fit together .*line [0-9]+"
    ):
        read()


def test_an_error_with_its_own_words_keeps_them() -> None:
    @reads("the table")
    def read() -> None:
        raise UsageError("the runs have no point in common")

    with pytest.raises(UsageError, match="^the runs have no point in common$"):
        read()


@pytest.mark.parametrize("seed", first(SHARE, range(FIRST, LAST)))
def test_no_reader_is_harmed(
    seed: int, made: dict[str, Path], tmp_path_factory: pytest.TempPathFactory, tmp_path: Path,
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr("tierscope.report.formats.html.bundle", lambda: "")
    good = good_run(RUNS[seed % len(RUNS)], made, tmp_path_factory)
    run, out = tmp_path / "a/b/c/run", tmp_path / "a/b/c/out"
    shutil.copytree(good, run)
    harm(seed, run)
    monkeypatch.chdir(run.parent)
    out.mkdir()
    kept = tree(tmp_path)
    for words in COMMANDS if "HOSTILE" in os.environ else COMMANDS[seed % SHARE :: SHARE]:
        typed = [word.format(run=run, good=good, out=out) for word in words]
        try:
            with guarded():
                status, told, err = say(capfd, *typed)
        except HangError as error:
            raise AssertionError(f"{typed} takes more than {CPU_S} s of CPU") from error
        assert status != Exit.INTERNAL, (typed, err)
        assert (steers(told), steers(err)) == ([], []), typed
    left = tree(tmp_path)
    mine = (str(out), str(run / "tables"))
    assert {name for name in left if name not in kept and not name.startswith(mine)} == set()
    assert {name: kept[name] for name in kept if not name.startswith(mine)} == {
        name: content for name, content in left.items() if not name.startswith(mine)
    }
    for name in left:
        if name.startswith(mine) and name.endswith(TEXT):
            assert steers(left[name].decode()) == [], name
            assert not name.endswith((".csv", "-csv")) or formulas(left[name].decode()) == [], name
