"""What fio writes into one file in several ways: interim documents, clones, groups, numbers that cannot be."""

import json
from pathlib import Path
from typing import Any

import pytest

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


def test_of_several_documents_the_last_is_read_and_that_is_told() -> None:
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


def test_a_clone_that_is_listed_has_its_own_depth_under_way() -> None:
    assert in_flight(document(jobs=3, numjobs="3")) == {4}


def test_a_group_has_the_depth_of_all_its_clones_under_way() -> None:
    assert in_flight(document(numjobs="3")) == {12}  # fio does not repeat the word group_reporting alone
    assert in_flight(document(numjobs="3", group_reporting="1")) == {12}


def test_groups_of_one_name_are_no_clones() -> None:
    both = json.loads(document(jobs=2, numjobs="2"))
    both["jobs"][1]["groupid"] = 1
    assert in_flight(json.dumps(both, indent=2)) == {8}


def test_clones_that_are_not_all_listed_have_no_depth() -> None:
    assert in_flight(document(jobs=2, numjobs="3")) == set()


@pytest.mark.parametrize("number", ["NaN", "-117234", "Infinity", "1" + "0" * 400])
def test_a_number_that_cannot_be_is_refused(number: str, tmp_path: Path) -> None:
    path = tmp_path / "fio.json"
    text = (DATA / "fio.json").read_text()
    assert '"iops" : 29308.691309' in text
    path.write_text(text.replace('"iops" : 29308.691309', f'"iops" : {number}'))
    with pytest.raises(UsageError, match=r"cannot be|not as fio 3"):
        read(path)
