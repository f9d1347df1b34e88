"""The published schema is that of the types, and it distinguishes a good result from a bad one."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from made import Maker, Teamwork, one_group
from tierscope.record.result import Run
from tierscope.record.schema import PATH, schema
from tierscope.units import MiB


@pytest.fixture
def run(tmp_path: Path) -> Run:
    maker = Maker(tmp_path)
    groups = (one_group("chase", (0,), 64 * MiB, role="chaser"), one_group("read", (1,), 64 * MiB, role="load"))
    labels: dict[str, Any] = {"read_share": 1.0, "store": "none", "delay_cycles": None, "load_threads": 1}
    maker.add("loaded_latency", labels, groups, (Teamwork((5e6,)), Teamwork((1e8,))), count=20)
    return maker.save()


def test_the_shipped_file_is_made_from_the_types() -> None:
    made = json.loads(msgspec.json.encode(schema()))
    assert json.loads(PATH.read_bytes()) == made, "run: python -m tierscope.record.schema"


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())


def test_written_documents_follow_the_schema(run: Run) -> None:
    jsonschema.validate(json.loads((run.path / "result.json").read_bytes()), schema())


def test_the_recorded_run_follows_the_schema_of_its_time(root: Path) -> None:
    first = json.loads(PATH.with_name("result-1.json").read_bytes())
    jsonschema.validate(json.loads((root / "tests/data/run-schema-1/result.json").read_bytes()), first)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("schema",), "1"),
        (("origin",), None),
        (("records", 0, "clock", "hz"), -1),
        (("records", 0, "samples"), "/etc/passwd"),
        (("records", 0, "groups", 0, "cpus"), ["0"]),
        (("machine", "identity", "nodes", 0), {}),
    ],
)
def test_wrong_documents_do_not(run: Run, place: tuple[Any, ...], value: object) -> None:
    document = json.loads((run.path / "result.json").read_bytes())
    part = document
    for step in place[:-1]:
        part = part[step]
    part[place[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema())
