"""Kill, full disk, failing disk and short write at the file operations of commands: everything completes afterwards.

The operations are drawn with a fixed seed, such that each distinct one (an action on a kind of file) meets each fault
that it can meet. The first tier takes every twelfth of them, and the slow tests take the others. After the fault the
command is repeated, or the run resumed, and must leave what an undisturbed one leaves, and nothing else.
"""

import json
import random
import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from faults import Ended, Warm, build
from tierscope.record.result import load
from tierscope.tables.kept import NAME, stored

RUN = ("run", "stream", "kernels=triad", "threads=1,2", "array=64MiB", "--quiet")
GOOD = (0, 4)
KINDS = ("kill", "ENOSPC", "EIO", "short")
DRAWN = 2  # of the operations that are like others, for each kind of fault
FEW = 12  # one in twelve is in the first tier
Call = Callable[..., Ended]


@dataclass(frozen=True, slots=True)
class Case:
    """A command in a folder with what it needs, how to continue after a fault, and what it leaves."""

    name: str
    words: tuple[str, ...]
    needs: tuple[str, ...]  # folders and files of the undisturbed place
    go_on: Callable[[Call, Path], None]
    leaves: str  # folder or file
    kinds: tuple[str, ...] = KINDS
    own: bool = True  # its operations are like those of no other case


def again(*words: str) -> Callable[[Call, Path], None]:
    def repeat(call: Call, folder: Path) -> None:
        good(call(folder, words))

    return repeat


def resumed(call: Call, folder: Path) -> None:
    """As a user does: `resume`; where nothing was begun yet, the same `run` again."""
    ended = call(folder, ("resume", "run", "--quiet"))
    if ended.status not in GOOD:
        assert ended.status == 2, ended
        assert re.search("has no run: |is not a run directory: |does not exist; ", ended.err), ended
        good(call(folder, (*RUN, "--out", "run")))


def unnamed(call: Call, folder: Path) -> None:
    """A folder with a manifest is resumed; else the next start removes the folder."""
    begun = list((folder / "runs").glob("*/manifest.json")) if (folder / "runs").exists() else []
    good(call(folder, ("resume", str(begun[0].parent.relative_to(folder)), "--quiet") if begun else RUN))


def imported(call: Call, folder: Path) -> None:
    """An import that is whole is only reported again."""
    whole = (folder / "in/result.json").exists()
    words = ("report", "in") if whole else ("import", "stream.txt", "--out", "in")
    good(call(folder, words))


REPORT = (
    "report",
    "run",
    "--to",
    "out",
    *(w for f in ("html", "svg", "markdown", "csv", "json") for w in ("--format", f)),
)
CASES = (
    Case("run", (*RUN, "--out", "run"), (), resumed, "run"),
    Case("run without a name", RUN, (), unnamed, "runs", ("kill",)),
    Case("resume", ("resume", "half", "--quiet"), ("half",), again("resume", "half", "--quiet"), "half", KINDS[:2]),
    Case("report", REPORT, ("run",), again(*REPORT), "out"),
    Case("import", ("import", "stream.txt", "--out", "in"), ("stream.txt",), imported, "in"),
    *(
        Case(f"export {form}", words, ("run",), again(*words), "out", own=False)
        for form in ("csv", "parquet")
        for words in [("export", "run", "--to", form, "--out", "out")]
    ),
    *(
        Case("rows of a run", words, ("run",), again(*words), "out", own=False)
        for words in [("resume", "run", "--quiet", "--json", "out")]
    ),
)


def good(ended: Ended) -> Ended:
    assert ended.status in GOOD, ended
    return ended


def contents(place: Path) -> dict[str, Any]:
    """Everything below a place, by name: bytes, but of a run's documents all except times."""
    files = [place] if place.is_file() else sorted(path for path in place.rglob("*") if path.is_file())
    assert place.exists()
    return {_name(path, place): _content(path) for path in files}


def _name(path: Path, place: Path) -> str:
    return re.sub(r"[0-9]{4}-[0-9-]+T[0-9]+", "TIME", str(path.relative_to(place)))


def _content(path: Path) -> Any:
    if path.name == "report.html":
        return path.read_text().rstrip().endswith("</html>")
    if path.suffix == ".html":
        return re.sub(r"[0-9]{4}-[0-9-]+[T ][0-9:]+(Z| UTC)", "TIME", path.read_text())
    if path.name == NAME:
        return sorted(stored(load(path.parent)))  # its key has times in it: it fits its run, and has all parts
    if path.name in ("report.md", "report.json"):
        return len(path.read_bytes()) > 100
    if path.suffix != ".json":
        return path.read_bytes()
    return _timeless(json.loads(path.read_bytes()))


def _timeless(value: Any) -> Any:
    """Leave out times, and the number of the tour: a run that was continued measured the rest in a later one."""
    if isinstance(value, dict):
        times = ("started", "seconds", "argv", "state", "tour")
        return {key: _timeless(one) for key, one in value.items() if key not in times}
    return [_timeless(one) for one in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warm]:
    """One server: to load everything in another one takes seconds, and other tests use the other CPUs."""
    server = Warm(build(tmp_path_factory.mktemp("library")))
    yield server
    server.close()


@pytest.fixture(scope="module")
def undisturbed(call: Warm, tmp_path_factory: pytest.TempPathFactory, root: Path) -> Path:
    """A folder with a run, the first half of another, and a file to import."""
    folder = tmp_path_factory.mktemp("undisturbed")
    shutil.copy(root / "tests/data/imports/stream.txt", folder)
    steps = good(call(folder, (*RUN, "--out", "run"))).steps
    middle = 1 + next(n for n, step in enumerate(steps) if step.startswith("rename") and "0001" in step)
    assert call(folder, (*RUN, "--out", "half"), "kill", middle).status == -9
    assert not json.loads((folder / "half/result.json").read_bytes())["complete"]
    return folder


def sorts(steps: tuple[str, ...]) -> list[str]:
    """The action on each kind of file; a temporary file is named after what it becomes."""
    found: list[str] = []
    becomes = "?"
    for step in reversed(steps):
        what, _, path = step.partition(" ")
        becomes = path if what == "rename+" else becomes
        kind = re.sub(r"(^|/)\.tierscope-.*", r"\1temporary of " + Path(becomes).name, path)
        found.append(f"{what} {re.sub('[0-9]+', 'N', kind)}")
    return found[::-1]


def drawn(case: Case, steps: tuple[str, ...], met: set[tuple[str, ...]]) -> list[tuple[str, int]]:
    """Faults, and the numbers from 1 of the operations that meet them: one of each sort, and some of the rest."""
    chosen = []
    for kind in case.kinds:
        rest = []
        for number, sort in enumerate(sorts(steps), 1):
            key = (kind, case.name if case.own else "", sort if case.own else sort.replace(case.leaves, "", 1))
            if not can_meet(kind, sort):
                continue
            (rest if key in met else chosen).append((kind, number))
            met.add(key)
        chosen += random.Random(1995).sample(rest, min(DRAWN, len(rest)))
    return chosen


def can_meet(kind: str, sort: str) -> bool:
    """A kill before a read is one before what comes next; what takes no room fits on a full disk."""
    what = sort.split(" ", maxsplit=1)[0]
    if kind == "kill":
        return what.endswith("+") or what in ("unlink", "rmdir")
    return {"ENOSPC": what.endswith("+"), "short": what == "write+"}.get(kind, True)


Met = defaultdict[bool, set[tuple[str, ...]]]


@pytest.fixture(scope="module")
def met() -> Met:
    """Return faults at sorts of operations of the cases so far, for each tier: both draw the same."""
    return defaultdict(set)


@pytest.mark.parametrize("few", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["few", "others"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_command_that_meets_a_fault_completes_afterwards(
    case: Case, few: bool, call: Warm, undisturbed: Path, met: Met, tmp_path: Path
) -> None:
    def prepared(name: str) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        for need in case.needs:
            copy = shutil.copytree if (undisturbed / need).is_dir() else shutil.copy
            copy(undisturbed / need, folder / need)
        return folder

    def meet(fault: tuple[str, int]) -> None:
        kind, at = fault
        folder = prepared(f"{kind}-{at}")
        ended = call(folder, case.words, kind, at)
        where = f"{kind} at {at}, {steps[at - 1]}: {ended}"
        assert ended.status in ((-9,) if kind == "kill" else GOOD if kind == "short" else (0, 2, 3, 4)), where
        assert "Traceback" not in ended.err, where
        assert "None" not in ended.err, where
        assert ended.err.count("\n") == (ended.status in (2, 3)), where
        if kind != "short":
            case.go_on(call, folder)
        assert contents(folder / case.leaves) == whole, where
        assert set(contents(folder)) == names, where
        shutil.rmtree(folder)

    folder = prepared("whole")
    steps = good(call(folder, case.words)).steps
    whole, names = contents(folder / case.leaves), set(contents(folder))
    for number, fault in enumerate(drawn(case, steps, met[few])):
        if (number % FEW == 0) is few:
            meet(fault)
