"""Exports: one or several runs as one file, with the numbers that the tables contain."""

import csv
import io
import re
import shutil
import subprocess
from pathlib import Path

import duckdb
import pytest

from made import Maker, add_loaded_latency, add_stream
from made_buffers import add_regions
from made_numa import add_nodes
from said import refused, say
from tierscope.compare.points import named, points
from tierscope.errors import Exit, UsageError
from tierscope.record.result import Run
from tierscope.report.exported import cells
from tierscope.report.formats import formats
from tierscope.tables import tables
from tierscope.units import KiB, MiB

DATA = Path(__file__).parents[1] / "data/imports"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    found = []
    for number, name in enumerate(("a", "b")):
        maker = Maker(tmp_path_factory.mktemp("runs") / name, 1995 + number)
        add_stream(maker, ("read", "triad"))
        add_nodes(maker)
        found.append(maker.save())
    return found


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("empty")
    return Maker(folder).save()


def text(form: str, runs: list[Run]) -> str:
    return formats.export(form).render(runs).decode()


def test_csv_has_every_known_value_of_every_row(runs: list[Run]) -> None:
    lines = list(csv.DictReader(io.StringIO(text("csv", runs))))
    rows = tables["stream"].flat(runs[1])
    told = {
        line["key"]: line["value"] or line["word"]
        for line in lines
        if (line["run"], line["table"], line["row"]) == ("b", "stream", "1")
    }
    assert told["kernel"] == rows[1]["kernel"]
    assert float(told["bandwidth_bytes_per_s"]) == rows[1]["bandwidth_bytes_per_s"]
    assert set(told) == {key for key, value in rows[1].items() if value is not None}
    assert {line["unit"] for line in lines if line["key"] == "bandwidth_low"} == {"B/s"}


def test_parquet_has_the_same_values_with_types(runs: list[Run], tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(formats.export("parquet").render(runs))
    store = duckdb.connect()
    found = store.execute(f"SELECT run, key, value, word FROM read_parquet('{path}')").fetchall()
    assert found == [(cell.run, cell.key, cell.value, cell.word) for cell in cells(runs)]


def test_markdown_sets_runs_side_by_side(runs: list[Run]) -> None:
    lines = text("markdown", runs).splitlines()
    (head,) = {line for line in lines if line.startswith("| point")}
    assert head == "| point | a | b |"
    (line,) = (line for line in lines if line.startswith("| triad, threads 2"))
    assert line.count("GB/s ±") == 2


def test_points_name_keys_that_their_value_does_not_show(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_regions(maker, largest=64 * KiB)
    lines = text("markdown", [maker.save("buffers")]).splitlines()
    assert any(line.startswith("| read, region 64 B, block 64 B, scattered, node:0, pages 2 MiB |") for line in lines)
    assert any(line.startswith("| read, region 64 KiB, block 64 B, not scattered, node:0,") for line in lines)


def test_hwloc_gives_latency_in_ns_and_bandwidth_in_mib(runs: list[Run]) -> None:
    lines = [line.split() for line in text("hwloc", runs).splitlines() if line.startswith("put ")]
    row = tables["numa"].rows(runs[1])[0]
    found = {(node, name): int(value) for _, node, name, _, value in lines}
    assert found[str(row.target), "Latency"] == round(row.latency.middle * 1e9)
    assert found[str(row.target), "Bandwidth"] == round(row.bandwidth.middle / MiB)


def test_hwloc_takes_the_script(runs: list[Run], tmp_path: Path) -> None:
    lstopo = shutil.which("lstopo-no-graphics") or pytest.skip("no hwloc: sudo apt-get install -y hwloc-nox")
    script, xml = tmp_path / "attributes.sh", tmp_path / "topology.xml"
    lines = text("hwloc", runs).splitlines(keepends=True)
    script.write_text("".join(line for line in lines if not line.startswith("put ")) + "put 0 Latency 0x00000001 96\n")
    subprocess.run([lstopo, "--input", "NUMANode:2 PU:2", "-f", xml], check=True, capture_output=True)
    subprocess.run(["sh", script, xml], check=True, capture_output=True)
    shown = subprocess.run([lstopo, "--input", xml, "--memattrs"], check=True, capture_output=True, text=True).stdout
    assert "NUMANode L#0 = 96 from cpuset 0x00000001" in shown


def test_html_is_one_file_that_loads_nothing(runs: list[Run]) -> None:
    page = text("html", runs)
    assert not re.search(r"<script|src=|href=|url\(|@import", page)
    assert page.count("<h2>Stream</h2>") == 1
    assert page.count('class="bar"') == sum(len(numbers) for rows in points(runs).values() for numbers in rows.values())


def test_texts_of_a_run_are_escaped(runs: list[Run]) -> None:
    import msgspec

    machine = msgspec.structs.replace(runs[0].result.machine, hostname='<b>"x"\\')
    result = msgspec.structs.replace(runs[0].result, machine=machine)
    run = msgspec.structs.replace(runs[0], result=result)
    assert "<b>" not in text("html", [run])
    assert r'host="<b>\"x\"\\"' in text("openmetrics", [run])


def test_two_runs_of_one_name_are_numbered(runs: list[Run]) -> None:
    assert named([runs[0], runs[0], runs[1]]) == ["a-1", "a-2", "b"]


@pytest.mark.parametrize("form", sorted(formats.exports()))
def test_a_run_without_results_is_refused(form: str, empty: Run) -> None:
    with pytest.raises(UsageError):
        formats.export(form).render([empty])


@pytest.mark.parametrize("form", sorted(formats.exports()))
def test_equal_runs_give_equal_bytes(form: str, runs: list[Run]) -> None:
    assert formats.export(form).render(runs) == formats.export(form).render(runs)


def test_hwloc_without_nodes_states_what_to_measure(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_loaded_latency(maker)
    with pytest.raises(UsageError, match="tierscope run numa"):
        formats.export("hwloc").render([maker.save()])


def test_the_command(
    runs: list[Run], tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tierscope.report.formats.html.bundle", lambda: "")
    one, two = (str(run.path) for run in runs)
    say(capfd, "import", str(DATA / "stream.txt"), "--out", str(tmp_path / "r"))
    status, out, _ = say(capfd, "export", one, two, str(tmp_path / "r"), "--to", "markdown")
    assert status == Exit.GOOD
    assert "| triad, array_bytes 32000000, threads 2 |" in out.replace("\\", "")
    status, out, _ = say(capfd, "export", one, "--to", "html", "--out", str(tmp_path / "x.html"))
    assert (tmp_path / "x.html").stat().st_size > 1000
    assert "is not text" in refused(capfd, "export", one, "--to", "parquet")[1]
    assert "did you mean csv?" in refused(capfd, "export", one, "--to", "cvs")[1]
    assert refused(capfd, "export", one, "--to", "csv", "--out", str(tmp_path / "no/x"))[0] == Exit.CANNOT
