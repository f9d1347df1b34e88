"""One stored run of each suite loads, and has the rows that it had; every command takes it."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from made_suites import MADE, has_points
from said import say
from stored import RUNS, kept, rows, stored
from tierscope.errors import Exit, UsageError
from tierscope.report.formats import formats, write

CLOSE = 1e-6  # relative: what another processor or library may round otherwise
LEFT_OVER = {"misfit": 1e-9}  # what a fit leaves, relative already: of an exact one it is rounding alone
FINE = (Exit.GOOD, Exit.FAILED, Exit.INCONCLUSIVE)


def differences(found: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> list[str]:
    """Return '3 stream bandwidth_bytes_per_s: 1.0 is not 2.0' for each value that differs, and for rows too many."""
    told = [] if len(found) == len(wanted) else [f"{len(found)} rows, {len(wanted)} are stored"]
    for number, (one, other) in enumerate(zip(found, wanted, strict=False)):
        told += [
            f"{number} {other.get('table')} {key}: {one.get(key)!r} is not {other.get(key)!r}"
            for key in {**one, **other}
            if not alike(one.get(key), other.get(key), LEFT_OVER.get(key, 0))
        ]
    return told


def alike(one: object, other: object, least: float = 0) -> bool:
    plain = isinstance(one, int | float) and isinstance(other, int | float)
    if plain and not isinstance(one, bool) and not isinstance(other, bool):
        return one == pytest.approx(other, rel=CLOSE, abs=least)
    return type(one) is type(other) and one == other


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tierscope.report.formats.html.bundle", lambda: "")


def test_there_is_one_of_every_suite_of_the_program() -> None:
    documents = {name for name in MADE if name.startswith("document-")}  # their tables are those of other suites
    assert {stored(name).result.suite for name in RUNS} >= set(MADE) - documents


@pytest.mark.parametrize("name", RUNS)
def test_its_rows_are_those_that_it_had(name: str) -> None:
    assert differences(rows(stored(name)), kept(name)) == []


@pytest.mark.parametrize("name", RUNS)
def test_every_record_has_its_samples(name: str) -> None:
    run = stored(name)
    assert run.result.complete
    assert all(len(run.blocks(record)) == record.blocks for record in run.result.records)


def test_a_changed_value_a_lost_row_and_another_type_are_detected() -> None:
    wanted = kept("stream")
    found = copy.deepcopy(wanted)
    key = "bandwidth_bytes_per_s"
    found[0][key] *= 1 + 1e-5
    found[1]["conclusive"] = int(found[1]["conclusive"])
    assert [text.partition(":")[0] for text in differences(found, wanted)] == [f"0 stream {key}", "1 stream conclusive"]
    assert differences(wanted[1:], wanted)[0] == f"{len(wanted) - 1} rows, {len(wanted)} are stored"


@pytest.mark.parametrize("name", RUNS)
def test_it_is_shown_compared_and_audited(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    run = str(RUNS[name])
    for words in (("show", run), ("show", run, "--json"), ("audit", run)):
        status, out, err = say(capfd, *words)
        assert status in FINE, err
        assert out
    status, out, err = say(capfd, "compare", run, run, "--json")
    if not has_points(stored(name)):
        assert status == Exit.USAGE, out
        return
    assert status in (Exit.GOOD, Exit.INCONCLUSIVE), err
    assert {row["ratio"] for row in json.loads(out)} == {1.0}


@pytest.mark.parametrize("name", RUNS)
def test_it_is_exported_in_every_format(name: str) -> None:
    run = stored(name)
    tables = {record.experiment.table for record in run.result.records}
    nothing = {form for form, export in formats.exports().items() if export.needs and export.needs not in tables}
    nothing |= set() if has_points(run) else {"markdown", "html", "openmetrics"}
    for form, export in formats.exports().items():
        if form in nothing:
            with pytest.raises(UsageError, match="nothing to export|these runs contain no|no table of these runs"):
                export.render([run, run])
            continue
        assert len(export.render([run, run])) > 200, form


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("form", ["html", "markdown", "csv"])
def test_it_is_reported(name: str, form: str, tmp_path: Path) -> None:
    assert all(path.stat().st_size for path in write(form, stored(name), tmp_path))
