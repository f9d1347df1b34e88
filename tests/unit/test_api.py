"""Tierscope from Python: what a program and a notebook get, with the numbers that the tables have."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

import tierscope
from fake_core import FakeCore, put_in_place
from made import Maker, add_stream
from said import say
from tierscope.api.table import Table
from tierscope.errors import MachineError, ResultError, UnknownNameError, UsageError
from tierscope.plans.options import word_of
from tierscope.record.result import load_manifest
from tierscope.tables import tables


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeCore:
    monkeypatch.chdir(tmp_path)
    return put_in_place(FakeCore(), monkeypatch)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    found = []
    for number, name in enumerate(("a", "b")):
        maker = Maker(tmp_path_factory.mktemp("runs") / name, 1995 + number)
        add_stream(maker, ("read", "triad"))
        found.append(maker.save().path)
    return found[0], found[1]


QUICK = {"array": "1MiB", "budget": 0.1, "visits": 0}


def test_a_suite_runs_in_this_process_with_words_numbers_and_lists(fake: FakeCore, tmp_path: Path) -> None:
    run = tierscope.run("stream", kernels=["triad"], threads=[1, 2], out=tmp_path / "r", **QUICK)
    assert [(row["kernel"], row["threads"]) for row in run["stream"]] == [("triad", 1), ("triad", 2)]
    assert run.result.complete
    assert load_manifest(run.path).argv[:5] == ("tierscope", "run", "stream", "kernels=triad", "threads=1,2")
    assert fake is not None
    assert not (run.path / "report.html").exists()


def test_a_run_without_a_place_is_below_runs(fake: FakeCore) -> None:
    run = tierscope.run("stream", kernels="triad", threads=1, **QUICK)
    assert run.path.parent == Path("runs")


@pytest.mark.parametrize(
    ("suite", "options", "why"),
    [
        ("streamx", {}, "did you mean stream"),
        ("stream", {"kernel": "triad"}, "unknown option of stream 'kernel'; did you mean kernels"),
        ("stream", {"kernels": ["triat"]}, "did you mean triad"),
        ("stream", {"threads": object()}, "is not a value of an option"),
        ("absent.toml", {}, "plan absent.toml cannot be read"),
    ],
)
def test_wrong_names_and_values_leave_nothing(
    fake: FakeCore, tmp_path: Path, suite: str, options: dict[str, object], why: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(why)):
        tierscope.run(suite, **options)
    assert list(tmp_path.iterdir()) == []


def test_a_fault_of_the_machine_leaves_no_empty_run(
    fake: FakeCore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "/x")

    monkeypatch.setattr("tierscope.api.measure.execute", full)
    with pytest.raises(MachineError, match="No space left"):
        tierscope.run("stream", kernels="triad", **QUICK)
    assert list(tmp_path.iterdir()) == []


def test_commands_of_a_file_need_consent(fake: FakeCore, tmp_path: Path) -> None:
    text = '[[experiment]]\n[[experiment.group]]\nkernel = "command"\ntarget = "null"\ncpus = "0"\n'
    (tmp_path / "own.toml").write_text(f'{text}command = "touch started"\n')
    with pytest.raises(UsageError, match=r"own.toml starts touch started; .*allow_commands=True"):
        tierscope.run("own.toml")
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("value", "word"),
    [(None, "auto"), (True, "yes"), (2, "2"), (0.02, "0.02"), ("1GiB", "1GiB"), ((1, 2), "1,2"), (range(3), "0,1,2")],
)
def test_values_are_the_words_of_the_command_line(value: object, word: str) -> None:
    assert word_of(value) == word  # type: ignore[arg-type]


def test_a_loaded_run_has_the_rows_of_its_tables(folders: tuple[Path, Path]) -> None:
    run = tierscope.load(str(folders[0]))
    rows = tables["stream"].flat(tierscope.load(folders[0])._run)
    assert "stream" in list(run)
    assert [dict(row) for row in run["stream"]] == rows
    columns = run["stream"].columns()
    assert columns["bandwidth_bytes_per_s"] == [row["bandwidth_bytes_per_s"] for row in rows]
    assert {len(column) for column in columns.values()} == {len(rows)}
    assert run["stream"].units["bandwidth_bytes_per_s"] == "B/s"
    assert run.headline == json_headline(folders[0])
    with pytest.raises(UnknownNameError, match="did you mean stream"):
        run["steam"]


def json_headline(folder: Path) -> str:
    from tierscope.record.result import load
    from tierscope.report.content import gather
    from tierscope.report.top.top import top

    return top(gather(load(folder))).lead


def test_columns_of_numbers_have_one_type() -> None:
    table = Table("t", {"a": "B/s", "b": "1", "c": "", "d": ""}, [{"a": 1, "b": 1, "c": True}, {"a": 1.5, "b": 2}])
    assert table.columns() == {"a": [1.0, 1.5], "b": [1, 2], "c": [True, None], "d": [None, None]}
    assert [type(value) for value in table.columns()["a"]] == [float, float]
    assert [type(value) for value in table.columns()["b"]] == [int, int]


def test_duckdb_takes_the_columns_as_arrays(folders: tuple[Path, Path]) -> None:
    import duckdb
    import numpy as np

    columns = tierscope.load(folders[0])["stream"].columns()
    given = {name: np.array(columns[name]) for name in ("threads", "bandwidth_bytes_per_s")}
    store = duckdb.connect()
    store.register("given", given)
    assert store.execute("SELECT count(*) FROM given WHERE bandwidth_bytes_per_s > 0").fetchall() == [
        (len(columns["threads"]),)
    ]


def test_compare_takes_runs_and_directories_and_has_the_rows_of_the_command(
    folders: tuple[Path, Path], capfd: pytest.CaptureFixture[str]
) -> None:
    found = tierscope.compare(str(folders[0]), tierscope.load(folders[1]))
    printed = msgspec.json.decode(say(capfd, "compare", *map(str, folders), "--json")[1])
    assert msgspec.json.decode(msgspec.json.encode(found.rows)) == printed
    assert found.columns()["ratio"] == [row["ratio"] for row in found.rows]
    assert len(found) == len(printed) > 0
    wide = tierscope.compare(*folders, least=0.9)
    assert {row["verdict"] for row in wide.rows} <= {"no difference shown", "inconclusive"}


def test_compare_of_two_origins_is_refused_unless_wanted(folders: tuple[Path, Path]) -> None:
    run = tierscope.load(folders[0])
    result = msgspec.structs.replace(run.result, origin="simulated", origin_by="x")
    other = tierscope.Run(msgspec.structs.replace(run._run, result=result))
    with pytest.raises(UsageError, match="their numbers are not comparable"):
        tierscope.compare(run, other)
    assert tierscope.compare(run, other, across="origins").notes[0].startswith("Before is real")


class Page(HTMLParser):
    """Tags of a piece of HTML; each must be closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        assert not attrs
        self.open.append(tag)
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_notebook_shows_a_headline_and_one_small_table_without_a_script(folders: tuple[Path, Path]) -> None:
    run = tierscope.load(folders[0])
    found = tierscope.compare(*folders)
    for shown, headline in ((run, run.headline), (found, found.headline), (run["stream"], "triad")):
        page = shown._repr_html_()
        assert Page(page).seen.count("table") == 1
        assert {*Page(page).seen} <= {"p", "b", "table", "thead", "tbody", "tr", "th", "td"}
        assert headline in page
        assert page.count("<tr>") <= 13
    assert repr(run).startswith("<Run ")
    assert repr(found) == f"<Comparison: {found.headline}>"
    assert repr(run["stream"]).startswith("<Table stream: ")


def test_words_of_a_foreign_run_do_nothing_in_a_notebook(folders: tuple[Path, Path]) -> None:
    run = tierscope.load(folders[0])
    result = msgspec.structs.replace(run.result, origin="simulated", origin_by="<script>alert(1)</script>")
    page = tierscope.Run(msgspec.structs.replace(run._run, result=result))._repr_html_()
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "SIMULATED" in page
    assert "<b>" not in Table("t", {"<b>": ""}, [{"<b>": "<b>"}])._repr_html_()


def test_a_long_table_states_how_many_rows_it_leaves_out() -> None:
    page = Table("t", {"a": "s"}, [{"a": number} for number in range(20)])._repr_html_()
    assert "8 more rows" in page
    assert "a (s)" in page


def test_a_report_is_written_where_it_is_asked(folders: tuple[Path, Path], tmp_path: Path) -> None:
    (path,) = tierscope.load(folders[0]).report("json", tmp_path)
    assert path == tmp_path / "report.json"
    assert path.stat().st_size > 100
    with pytest.raises(UnknownNameError):
        tierscope.load(folders[0]).report("pdf")


def test_a_directory_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match="is not a run directory"):
        tierscope.load(tmp_path)


def test_importing_tierscope_loads_nothing_else() -> None:
    code = "import sys, tierscope; print(sorted(name for name in sys.modules if name.startswith('tierscope')))"
    code += "; print({'numpy', 'scipy', 'duckdb', 'msgspec', 'rich', 'click'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['tierscope']\nset()\n"


def test_run_and_compare_are_functions_and_still_folders(folders: tuple[Path, Path]) -> None:
    from tierscope import compare, run
    from tierscope.compare import points
    from tierscope.run import start

    assert callable(run)
    assert compare is tierscope.compare
    assert tierscope.run.start is start
    assert tierscope.compare.points is points
    assert len(compare(*folders)) > 0
    with pytest.raises(AttributeError, match="has no attribute 'measure'"):
        _ = tierscope.measure  # imported: as is
