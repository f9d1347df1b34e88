"""The several ways in which fio writes one file: interim documents, clones, groups, numbers that cannot be."""

import json
from pathlib import Path
from typing import Any

import pytest

from tierscope.audit import Audit, examine
from tierscope.audit.readings import statements
from tierscope.errors import UsageError
from tierscope.imports import Imported, importers, read

DATA = Path(__file__).parents[1] / "data/imports"
FIO = json.loads((DATA / "fio.json").read_text())


def document(jobs: int = 1, runtime: int = 0, **options: str) -> str:
    """fio's document with `jobs` entries of one job; runtime: of its reads, in ms."""
    job: dict[str, Any] = json.loads(json.dumps(FIO["jobs"][0]))
    job["job options"] |= options
    job["read"]["runtime"] = runtime or job["read"]["runtime"]
    return json.dumps({**FIO, "jobs": [job] * jobs}, indent=2) + "\n"


def imported(text: str) -> Imported:
    return importers["fio"].read(text)


def test_the_last_of_several_documents_is_read_with_a_warning() -> None:
    found = imported(document(runtime=250) + document(runtime=500) + document(runtime=1001))
    assert found.readings[0].values["seconds"].value == 1.001
    assert [warn.code for warn in found.warnings] == ["interim"]
    assert "last of 3 documents" in found.warnings[0].message


def test_an_interim_document_is_not_taken_for_a_last_one_that_is_cut_off() -> None:
    last = document(jobs=3, runtime=1001)
    for length in (3, 500, len(last) // 2, len(last) - 3):
        with pytest.raises(UsageError, match="cut off"):
            imported(document(runtime=250) + last[:length])


def in_flight(text: str) -> set[float]:
    return {one.values["in_flight"].value for one in imported(text).readings if "in_flight" in one.values}


def test_a_clone_that_is_listed_has_its_own_depth_in_flight() -> None:
    assert in_flight(document(jobs=3, numjobs="3")) == {4}


def test_a_group_has_the_depth_of_all_its_clones_in_flight() -> None:
    assert in_flight(document(numjobs="3")) == {12}  # fio does not repeat the word group_reporting alone
    assert in_flight(document(numjobs="3", group_reporting="1")) == {12}


def test_groups_of_one_name_are_not_clones() -> None:
    both = json.loads(document(jobs=2, numjobs="2"))
    both["jobs"][1]["groupid"] = 1
    assert in_flight(json.dumps(both, indent=2)) == {8}


def test_clones_that_are_not_all_listed_have_no_depth() -> None:
    assert in_flight(document(jobs=2, numjobs="3")) == set()


def loaded(engine: str, **changed: float) -> Audit:
    """Random reads of fio 3.33 at depth 16 on two CPUs with four busy programs next to it."""
    job: dict[str, Any] = json.loads(json.dumps(FIO["jobs"][0]))
    job["job options"] = {"rw": "randread", "bs": "32k", "ioengine": engine, "iodepth": "16", "direct": "1"}
    job["iodepth_level"] = {"16": 100.0}
    numbers = {"ops": 3244, "runtime": 505, "mean": 2.6e6, "max": 56.04e6} | changed
    read = job["read"]
    read |= {"total_ios": int(numbers["ops"]), "runtime": int(numbers["runtime"]), "bw_samples": 0}
    read["iops"] = numbers["ops"] / numbers["runtime"] * 1e3
    read["io_bytes"], read["bw_bytes"] = int(numbers["ops"]) * 32768, int(read["iops"] * 32768)
    read["io_kbytes"], read["bw"] = read["io_bytes"] // 1024, read["bw_bytes"] // 1024
    read["lat_ns"] = {"min": 1000, "mean": numbers["mean"], "max": numbers["max"]}
    read["clat_ns"] = {"min": 900, "percentile": {"50.000000": numbers["mean"] * 0.8}}
    job["write"] = {"total_ios": 0}
    return examine(statements(imported(json.dumps({**FIO, "jobs": [job]})).readings))


def test_a_fio_on_a_busy_machine_breaks_no_law() -> None:
    """5.9 % more than the depth, as seen: those in flight at the end of the ramp had waited, the longest for 36 ms."""
    seen = {"ops": 2830.0, "runtime": 507.0, "mean": 3.035e6, "max": 36.15e6}
    assert loaded("io_uring").failures == loaded("io_uring", **seen).failures == ()
    assert loaded("io_uring").checked["littles_law"] == 1


@pytest.mark.parametrize(("engine", "times", "holds"), [
    ("io_uring", 3.0, False), ("io_uring", 1 / 3, False), ("io_uring", 1e-3, False),
    ("psync", 3.0, False), ("psync", 1 / 3, True),
])  # fmt: skip
def test_a_latency_that_cannot_be_at_this_depth_is_found(engine: str, times: float, holds: bool) -> None:
    """Threads may wait between two operations: their depth bounds from above alone."""
    found = loaded(engine, mean=2.5e6 * times, max=9e6)
    assert ([one.identity for one in found.failures] == []) is holds
    assert found.checked["littles_law"] == 1


def test_a_queue_that_is_taken_in_batches_has_no_least_depth() -> None:
    text = document(iodepth_batch_complete_min="8")
    assert "full_share" not in imported(text).readings[0].values


@pytest.mark.parametrize("number", ["NaN", "-117234", "Infinity", "1" + "0" * 400])
def test_an_impossible_number_is_refused(number: str, tmp_path: Path) -> None:
    path = tmp_path / "fio.json"
    text = (DATA / "fio.json").read_text()
    assert '"iops" : 29308.691309' in text
    path.write_text(text.replace('"iops" : 29308.691309', f'"iops" : {number}'))
    with pytest.raises(UsageError, match=r"is impossible|not as fio 3"):
        read(path)
