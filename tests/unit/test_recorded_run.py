"""A run recorded with schema 1, kept forever: every later version loads it and makes rows of it."""

import shutil
from pathlib import Path

import pytest

from tierscope.plans import suites
from tierscope.record.result import Run, load, load_manifest
from tierscope.report.formats.json import document

TABLES = {"stream", "latency", "loaded_latency", "groups", "calibration"}


@pytest.fixture(scope="module")
def run(root: Path) -> Run:
    return load(root / "tests/data/run-schema-1")


def test_it_loads_with_all_its_samples(run: Run) -> None:
    assert b'"schema": 1,' in (run.path / "result.json").read_bytes()
    assert len(run.result.records) == 26
    for record in run.result.records:
        assert len(run.blocks(record)) == record.blocks > 0


def test_it_makes_rows_of_every_table(run: Run) -> None:
    rows = document(run)["rows"]
    assert {row["table"] for row in rows} == TABLES
    speeds = {row["kernel"]: row["bandwidth_bytes_per_s"] for row in rows if row["table"] == "stream"}
    assert set(speeds) == {"triad", "copy_nt"}
    assert all(1e9 < speed < 1e12 for speed in speeds.values())
    waits = [row["latency_s"] for row in rows if row["table"] == "latency" and row["latency_s"]]
    assert all(1e-10 < wait < 1e-5 for wait in waits)


def test_its_options_are_still_understood(run: Run) -> None:
    options = suites["quick"].read_again(load_manifest(run.path).options)
    assert options.peak == run.result.machine.peak_bytes_per_s == 307.2e9


@pytest.mark.parametrize("name", ["csv", "markdown", "json"])
def test_it_is_reported(run: Run, tmp_path: Path, name: str) -> None:
    from tierscope.report.formats import write

    assert all(path.stat().st_size for path in write(name, run, tmp_path))


def test_nothing_is_written_next_to_it(run: Run, tmp_path: Path) -> None:
    copy = shutil.copytree(run.path, tmp_path / "copy")
    document(load(copy))
    assert sorted(p.name for p in copy.iterdir()) == ["manifest.json", "result.json", "samples"]
