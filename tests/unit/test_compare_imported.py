"""The output of another tool compared with a run of ours, and with that of the same or a third tool."""

import json
from pathlib import Path

import msgspec
import pytest

from made import Maker, Teamwork, add_latency, one_group
from made_machine import two_packages
from made_numa import numa_run
from made_storage import storage_run
from said import refused, say
from tierscope.errors import Exit
from tierscope.imports import importers
from tierscope.record.result import save_result
from tierscope.tables import tables
from tierscope.units import GiB

DATA = Path(__file__).parents[1] / "data/imports"
SHARED = ("bandwidth_bytes_per_s", "latency_s")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("tierscope.report.formats.html.bundle", lambda: "")


def bring(capfd: pytest.CaptureFixture[str], name: str, out: str, *words: str) -> str:
    assert say(capfd, "import", str(DATA / name), "--out", out, *words)[0] == Exit.GOOD
    return out


def stream_run(folder: Path, origin: str = "real") -> str:
    """Triad and copy with one and two threads."""
    maker = Maker(folder)
    for kernel, rate in (("copy", 5e7), ("triad", 4e7)):
        for threads in (1, 2):
            group = one_group(kernel, tuple(range(threads)), GiB)
            maker.add("stream", {"kernel": kernel, "threads": threads}, (group,), (Teamwork((rate,) * threads),))
    run = maker.save("stream")
    save_result(run.path, msgspec.structs.replace(run.result, origin=origin))
    return str(run.path)


def rows_of(capfd: pytest.CaptureFixture[str], before: str, after: str) -> list[dict[str, object]]:
    status, out, _ = say(capfd, "compare", before, after, "--json")
    assert status == Exit.INCONCLUSIVE
    rows: list[dict[str, object]] = json.loads(out)
    assert {row["verdict"] for row in rows} == {"inconclusive"}
    assert all(row["ratio_low"] is None and row["ratio_high"] is None for row in rows)
    return rows


def test_streams_kernels_are_compared_with_ours_of_the_same_threads(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    ours, theirs = stream_run(tmp_path / "ours"), bring(capfd, "stream.txt", "theirs")
    copy, triad = rows_of(capfd, ours, theirs)
    assert (copy["table"], copy["point"], copy["unit"]) == ("stream", "copy, threads 2, node:0, pages 2 MiB", "B/s")
    assert (copy["after"], triad["after"]) == (9271.1e6, 8134.2e6)
    for row, before in ((copy, 2 * 5e7 * 128), (triad, 2 * 4e7 * 192)):
        assert row["before"] == pytest.approx(before, rel=0.02)
        assert row["ratio"] == pytest.approx(float(row["after"]) / before, rel=0.02)  # type: ignore[arg-type]
    assert (copy["before_footprint_bytes"], copy["after_footprint_bytes"]) == (GiB, 96_000_000)
    status, out, _ = say(capfd, "compare", theirs, ours)
    assert (status, "1 GiB after" in out) == (Exit.INCONCLUSIVE, True)
    assert "what another tool printed has no interval" in out
    assert "Before is imported: STREAM 5.10; after is real." in out
    assert "shows nothing about hardware" not in out


def test_a_figure_of_ratios_without_intervals_is_drawn(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    ours, theirs = stream_run(tmp_path / "ours"), bring(capfd, "stream.txt", "theirs")
    say(capfd, "compare", ours, theirs, "--figure", "w.html")
    page = Path("w.html").read_text()
    assert page.count("<td>none<") == 2
    assert "has no interval" in page


def test_multichase_and_mlc_are_compared_with_our_latency(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    maker = Maker(tmp_path / "ours")
    add_latency(maker)
    ours = str(maker.save("latency").path)
    rows = rows_of(capfd, ours, bring(capfd, "multichase.txt", "multichase"))
    assert rows
    assert all(row["after"] == pytest.approx(102.6e-9) for row in rows)
    rows = rows_of(capfd, bring(capfd, "mlc-idle.txt", "mlc"), ours)
    assert rows == [row | {"before": pytest.approx(86.2e-9), "after_footprint_bytes": GiB} for row in rows]
    assert len({str(row["point"]) for row in rows}) == len(rows) == 2  # small pages and large ones


def test_mlcs_matrices_are_compared_with_ours_node_by_node(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    ours = str(numa_run(tmp_path / "ours", two_packages()).path)
    rows = rows_of(capfd, ours, bring(capfd, "mlc.txt", "mlc"))
    waits = [row for row in rows if row["what"] == "latency_s"]
    assert [row["after"] for row in waits] == [pytest.approx(ns * 1e-9) for ns in (81.5, 141.2, 141.0, 82.0)]
    assert [row["point"] for row in waits][1] == "0, 1, read, pages 2 MiB, latency"
    assert len([row for row in rows if row["what"] == "bandwidth_bytes_per_s"]) == 4


@pytest.mark.parametrize("nodes", [1, 2])
def test_mlcs_bandwidth_of_all_packages_is_compared_with_ours_of_one_node_alone(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], nodes: int
) -> None:
    maker = Maker(tmp_path / "ours")
    group = one_group("read", (0, 1), GiB)
    maker.add("stream", {"kernel": "read", "threads": 2}, (group,), (Teamwork((5e7, 5e7)),))
    ours = str(maker.save("stream", two_packages() if nodes == 2 else None).path)
    theirs = bring(capfd, "mlc.txt", "mlc")
    if nodes == 1:
        assert len(rows_of(capfd, ours, theirs)) == 1
    else:
        status, line = refused(capfd, "compare", ours, theirs)
        assert (status, "no point in common" in line) == (Exit.USAGE, True)


def test_fios_jobs_are_compared_with_our_storage(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    ours = storage_run(tmp_path / "ours", "mixes=read", "blocks=32KiB", "depths=8", "orders=random").path
    rows = rows_of(capfd, str(ours), bring(capfd, "fio-plus.json", "fio"))
    assert [row["what"] for row in rows] == list(SHARED)
    assert rows[0]["after"] == 976220099.0


@pytest.mark.parametrize("name", ["stream.txt", "mlc.txt", "fio.json", "pmembench.csv", "perf.txt", "likwid-bench.txt"])
def test_two_files_of_one_tool_are_compared_by_test_and_setting(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    one = bring(capfd, name, "one")
    rows = rows_of(capfd, one, bring(capfd, name, "other"))
    assert {row["table"] for row in rows} == {"imported"}
    assert all(row["ratio"] in (1.0, None) for row in rows)
    assert len({str(row["point"]) for row in rows}) == len(rows)


def test_two_tools_are_compared_where_they_mean_the_same(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = (DATA / "likwid-bench.txt").read_text()
    (tmp_path / "l.txt").write_text(text.replace("Test: triad", "Test: stream_avx").replace("triad", "stream_avx"))
    stream = bring(capfd, "stream.txt", "stream")
    assert say(capfd, "import", "l.txt", "--out", "likwid")[0] == Exit.GOOD
    (row,) = rows_of(capfd, stream, "likwid")
    assert (row["table"], row["before"], row["after"]) == ("stream", 8134.2e6, 9857.95e6)
    status, why = refused(capfd, "compare", stream, bring(capfd, "likwid-bench.txt", "schoenauer"))
    assert (status, "no point in common" in why) == (Exit.USAGE, True)


def test_options_without_meaning_for_the_other_are_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    ours, perf = stream_run(tmp_path / "ours"), bring(capfd, "perf.txt", "perf")
    status, why = refused(capfd, "compare", ours, perf)
    assert status == Exit.USAGE
    assert "has stream" in why
    assert "perf was printed by perf stat, which compares only with its like" in why
    status, why = refused(capfd, "compare", ours, bring(capfd, "multichase.txt", "m"))
    assert "which compares with latency (footprint_bytes, probe)" in why


def test_simulated_numbers_are_not_compared_with_imported_ones_unasked(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    ours, theirs = stream_run(tmp_path / "ours", origin="simulated"), bring(capfd, "stream.txt", "theirs")
    status, why = refused(capfd, "compare", ours, theirs)
    assert (status, "one run is simulated, the other imported" in why) == (Exit.USAGE, True)
    status, out, _ = say(capfd, "compare", ours, theirs, "--across-origins")
    assert (status, "shows nothing about hardware" in out) == (Exit.INCONCLUSIVE, True)


def test_a_least_difference_has_no_meaning_without_intervals(capfd: pytest.CaptureFixture[str]) -> None:
    one = bring(capfd, "stream.txt", "one")
    assert "numbers of another tool have none" in refused(capfd, "compare", one, one, "--least", "0.1")[1]


@pytest.mark.parametrize("name", list(importers))
def test_the_meanings_of_readings_are_keys_of_our_tables(name: str) -> None:
    for match in importers[name].alike:
        columns = {column.name for column in tables[match.table].columns}
        assert {match.key, *match.keys} <= columns | {"nodes"}
        assert match.column in {column.name for column in tables["imported"].columns}
