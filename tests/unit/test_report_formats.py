"""Files: figures as pictures, tables as CSV and Markdown, all of it as JSON."""

import csv
import struct
import xml.etree.ElementTree as ET
from pathlib import Path

import msgspec
import pytest

from reported import EVIL, changed, evil_run, small_run
from tierscope.errors import MachineError
from tierscope.record.result import Run
from tierscope.report.content import gather
from tierscope.report.formats import formats, markdown, write

FIGURES = ["groups", "loaded_latency", "scaling", "staircase", "timeline"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return small_run(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return evil_run(tmp_path_factory.mktemp("evil"))


def drawn(run: Run) -> list[str]:
    """Return the figures of the run, those of FIGURES among them."""
    found = sorted(drawing.figure.name for drawing in gather(run).drawings)
    assert set(FIGURES) <= set(found)
    return found


def test_every_format_is_known() -> None:
    assert {"csv", "html", "json", "markdown", "png", "svg"} <= set(formats.reports())


def test_each_figure_is_a_valid_svg_with_its_title(run: Run, tmp_path: Path) -> None:
    paths = write("svg", run, tmp_path)
    assert sorted(path.stem for path in paths) == drawn(run)
    for path in paths:
        root = ET.parse(path).getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        drawing = next(d for d in gather(run).drawings if d.figure.name == path.stem)
        assert drawing.figure.title in "".join(root.itertext())
        assert "var(--" not in path.read_text()


def test_each_figure_is_a_valid_png_of_some_size(run: Run, tmp_path: Path) -> None:
    paths = write("png", run, tmp_path)
    assert sorted(path.stem for path in paths) == drawn(run)
    for path in paths:
        content = path.read_bytes()
        assert content[:8] == b"\x89PNG\r\n\x1a\n"
        width, height = struct.unpack(">II", content[16:24])
        assert width > 1000
        assert height > 300


def test_an_svg_of_hostile_names_is_still_one_document(evil: Run, tmp_path: Path) -> None:
    for path in write("svg", evil, tmp_path):
        tags = {element.tag.split("}")[-1] for element in ET.parse(path).iter()}
        assert not {"script", "img", "image", "foreignObject"} & tags


def test_the_csv_contains_the_rows_in_base_units(run: Run, tmp_path: Path) -> None:
    paths = {path.stem: path for path in write("csv", run, tmp_path)}
    rows = gather(run).rows("stream")
    with paths["stream"].open(newline="") as stream:
        read = list(csv.DictReader(stream))
    assert [float(row["bandwidth_bytes_per_s"]) for row in read] == [row["bandwidth_bytes_per_s"] for row in rows]
    assert {row["conclusive"] for row in read} <= {"true", "false"}
    assert set(paths) == set(gather(run).sections)


def test_the_json_names_the_table_of_each_flat_row(run: Run, tmp_path: Path) -> None:
    (path,) = write("json", run, tmp_path)
    document = msgspec.json.decode(path.read_bytes())
    tables = [row["table"] for row in document["rows"]]
    assert {name: tables.count(name) for name in set(tables)} == {
        section.name: len(section.rows) for section in gather(run).sections.values() if section.name != "series"
    }
    assert not any(isinstance(value, dict | list) for row in document["rows"] for value in row.values())
    assert {insight["table"] for insight in document["insights"]} >= {"stream", "latency", "loaded_latency"}


def test_markdown_has_the_verdict_a_table_per_table_and_the_findings(run: Run, tmp_path: Path) -> None:
    (path,) = write("markdown", run, tmp_path)
    text = path.read_text()
    assert "**Memory: 56.1 GB/s copied, " in text
    for title in ("## Bandwidth", "## Latency", "## Loaded latency", "## Groups", "## Findings"):
        assert title in text
    table = [line for line in text.partition("## Bandwidth")[2].splitlines() if line.startswith("|")]
    assert len({line.replace("\\|", "").count("|") for line in table if "copy" in line}) == 1


def test_markdown_shows_hostile_text_as_text() -> None:
    shown = markdown.escape(EVIL + "\n# a\n| b")
    assert "<" not in shown
    assert "\n" not in shown
    assert "\\|" in shown
    assert markdown.code("a `b` ``c``") == "``` a `b` ``c`` ```"


@pytest.mark.parametrize("name", ["csv", "json", "markdown", "png", "svg"])
def test_another_origin_is_in_every_name(run: Run, tmp_path: Path, name: str) -> None:
    simulated = msgspec.structs.replace(run, result=msgspec.structs.replace(run.result, origin="simulated"))
    paths = write(name, simulated, tmp_path)
    assert paths
    assert all(path.stem.endswith("-simulated") for path in paths)


@pytest.mark.parametrize("name", ["csv", "json", "markdown", "png", "svg"])
def test_equal_runs_give_equal_files(run: Run, tmp_path: Path, name: str) -> None:
    first = write(name, run, tmp_path / "a")
    second = write(name, msgspec.structs.replace(run), tmp_path / "b")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_a_file_is_replaced_as_a_whole(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (path,) = write("json", run, tmp_path)
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="No space"):
        write("json", changed(run, complete=False), tmp_path)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("name", ["csv", "png", "svg"])
def test_no_format_follows_a_link_out_of_the_run(run: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    folder = tmp_path / "run" / ("tables" if name == "csv" else "figures")
    folder.parent.mkdir()
    folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(MachineError, match="it is a link; remove it, or try --to"):
        write(name, run, tmp_path / "run")
    assert list((tmp_path / "elsewhere").iterdir()) == []
