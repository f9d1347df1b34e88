"""Results of schema 1 are loaded, tabulated and resumed as those of today; damaged ones are reported as such."""

import copy
import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from fake_core import made_catalogue
from stored import RUNS
from tierscope import core
from tierscope import fio as storage
from tierscope.errors import ResultError
from tierscope.record.experiment import Experiment
from tierscope.record.result import SCHEMA, Record, load, load_manifest
from tierscope.record.schema import schema
from tierscope.record.upgrade import EVERY, OF_TASK, upgraded
from tierscope.record.work import KINDS
from tierscope.record.work.line import LineWork
from tierscope.run import start
from tierscope.run.observer import Observer
from tierscope.stats.point import Point

USUAL = {
    "streams": 1, "unroll": 1, "prefetch_bytes": 0, "prefetchw_bytes": 0, "interleave_bytes": 0, "element_bytes": 64,
    "access_bytes": 0, "locality_bytes": 0, "fence": "", "order": "", "size": "", "command": "", "limit_s": 0.0,
    "operation": "", "keys": "", "sharing": "", "count": 0, "value_bytes": 0,
}  # fmt: skip
"""The value in schema 1 of each key that a plan left out."""
TASKS = {"line", "hop", "block", "call", "handover", "task", "key", "job"}
"""The tasks that results of schema 1 have. Later ones, and later keys of these, are in none."""
OLD = [name for name, path in RUNS.items() if json.loads((path / "result.json").read_text())["schema"] == 1]
"""Runs that were stored in schema 1; those of later suites never were."""
OTHER_PLAN = ("run-schema-1", "policy", "closed-loop", "buffers")
"""Their suites plan other experiments since: a resumed run measures again."""


def document(name: str, file: str = "result.json") -> dict[str, Any]:
    """Return a stored file as written."""
    found: dict[str, Any] = json.loads((RUNS[name] / file).read_text())
    return found


def workloads(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the workloads of all groups and trials."""
    groups = [group for record in result["records"] for group in record["experiment"]["groups"]]
    trials = [trial for record in result["records"] for trial in record.get("calibration", [])]
    return [one["workload"] for one in groups + trials]


@pytest.mark.parametrize("name", OLD)
def test_a_result_of_schema_1_becomes_one_of_the_newest(name: str) -> None:
    before = document(name)
    kept = copy.deepcopy(before)
    newest = upgraded(before)
    assert (before, before["schema"], newest["schema"]) == (kept, 1, SCHEMA)
    jsonschema.validate(newest, schema())
    assert load(RUNS[name]).result.schema == SCHEMA
    assert upgraded(newest) is newest


@pytest.mark.parametrize("name", OLD)
def test_no_key_of_a_workload_is_lost(name: str) -> None:
    before = document(name)
    for old, new in zip(workloads(before), workloads(upgraded(before)), strict=True):
        task = new["work"]["task"]
        names = {first: second for second, first in OF_TASK[task].items()}
        for key, value in old.items():
            if key in EVERY:
                assert new[key] == value
            elif value != USUAL[key]:
                assert new["work"][names[key]] == value


@pytest.mark.parametrize("name", OLD)
def test_a_manifest_of_schema_1_is_read(name: str) -> None:
    assert (document(name, "manifest.json")["schema"], load_manifest(RUNS[name]).schema) == (1, SCHEMA)


def test_the_work_of_a_trial_is_that_of_the_group_that_was_calibrated() -> None:
    trials = [trial for record in load(RUNS["run-schema-1"]).result.records for trial in record.calibration]
    assert trials
    assert all(isinstance(trial.workload.work, LineWork) for trial in trials)
    assert len({trial.workload.of(LineWork).streams for trial in trials}) > 1


def test_every_kind_of_work_has_its_keys_in_schema_1() -> None:
    assert set(OF_TASK) == TASKS
    for task, keys in OF_TASK.items():
        fields = msgspec.structs.fields(KINDS[task])
        later = [field for field in fields if field.name not in keys]
        assert tuple(keys) == tuple(field.name for field in fields if field not in later)
        assert set(keys.values()) <= set(USUAL)
        assert not any(field.required or field.name in USUAL for field in later), f"{task}: {later}"


def first_group(result: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = result["records"][0]["experiment"]["groups"][0]
    return found


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda result: result.update(records=7), "Expected `array`, got `int` - at `$.records`"),
        (lambda result: result.update(records=[7]), "Expected `object`, got `int` - at `$.records[0]`"),
        (lambda result: result["records"][0].update(experiment=7), "at `$.records[0].experiment`"),
        (lambda result: result["records"][0].update(groups=[]), "missing required field `work`"),
        (lambda result: result["records"][0].update(groups=[7]), "missing required field `work`"),
        (lambda result: result["records"][0].update(calibration=[7]), "at `$.records[0].calibration[0]`"),
        (lambda result: result["records"][0]["groups"][0].update(operation="dance"), "missing required field `work`"),
        (lambda result: result["records"][0]["groups"][0].update(operation=[]), "missing required field `work`"),
        (lambda result: first_group(result).update(workload=7), "groups[0].workload`"),
        (lambda result: first_group(result)["workload"].pop("kernel"), "missing required field `kernel`"),
        (lambda result: first_group(result)["workload"].update(streams=0), "streams=0 is not a number from 1"),
        (lambda result: first_group(result)["workload"].update(streams="two"), "workload.work.streams`"),
    ],
)
def test_damage_in_a_result_of_schema_1_is_reported(tmp_path: Path, damage: Any, why: str) -> None:
    run = shutil.copytree(RUNS["stream"], tmp_path / "run")
    result = document("stream")
    damage(result)
    (run / "result.json").write_text(json.dumps(result))
    with pytest.raises(ResultError, match=r"result\.json is damaged: ") as caught:
        load(run)
    assert why in str(caught.value)


class Resumed(Observer):
    """Keeps whether each record was measured before."""

    def __init__(self) -> None:
        self.all: list[bool] = []

    def planned(self, experiments: int, seconds: float) -> None: ...

    def measured(self, experiment: Experiment, point: Point) -> None: ...

    def finished(self, record: Record, point: Point, resumed: bool) -> None:
        self.all.append(resumed)


def nobody() -> None:
    raise AssertionError("something is measured anew")


@pytest.mark.parametrize("name", [name for name in RUNS if name not in OTHER_PLAN])
def test_an_interrupted_run_of_schema_1_is_resumed_without_measuring_again(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core, "catalogue", made_catalogue)
    monkeypatch.setattr(core, "Session", nobody)
    monkeypatch.setattr(storage, "Session", nobody)
    run = shutil.copytree(RUNS[name], tmp_path / "run")
    (run / "result.json").write_text(json.dumps({**document(name), "complete": False}))
    seen, records = Resumed(), load(run).result.records
    start.execute(run, load_manifest(run), seen)
    assert seen.all == [True] * len(records)
    again = load(run).result
    assert (again.complete, again.records) == (True, records)
    assert json.loads((run / "result.json").read_text())["schema"] == SCHEMA
