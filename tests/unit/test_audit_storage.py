"""Own runs of storage are audited by what fio counted: clean ones are silent, planted faults are found."""

from pathlib import Path

import msgspec
import pytest

from made_storage import storage_run
from tierscope.audit import examine
from tierscope.audit.own import statements
from tierscope.result import Run
from tierscope.tables import tables

WORDS = ("size=64MiB", "blocks=4KiB,128KiB", "orders=random", "depths=1,16")


def faults(run: Run) -> set[str]:
    return {one.identity for one in examine(statements(run)).failures}


def test_clean_runs_are_silent_also_where_they_are_noisy(tmp_path: Path) -> None:
    assert faults(storage_run(tmp_path / "quiet", *WORDS)) == set()
    noisy = storage_run(tmp_path / "noisy", *WORDS, noise=0.3)
    held = examine(statements(noisy))
    assert {one.identity for one in held.failures} == set()
    assert held.checked["littles_law"] == 6  # jobs whose depth is full: those of depth 16
    assert held.checked["operation_bytes"] == 12


def test_the_middle_of_a_bin_may_lie_above_the_slowest_operation(tmp_path: Path) -> None:
    run = storage_run(tmp_path, "size=64MiB", "blocks=4KiB", "orders=random")
    rows = tables["storage"].rows(run)
    most = [{**row, "latency_most_s": float(row["latency_p999_s"] or 0) * 0.993} for row in rows]
    less = [{**row, "latency_most_s": float(row["latency_p999_s"] or 0) * 0.95} for row in rows]
    assert examine(statements(run, {"storage": most})).failures == ()
    assert {one.identity for one in examine(statements(run, {"storage": less})).failures} == {"spread"}


@pytest.mark.parametrize(("field", "identity"), [("latency_mean_s", "littles_law"), ("bytes", "operation_bytes")])
def test_a_planted_fault_is_found(tmp_path: Path, field: str, identity: str) -> None:
    run = storage_run(tmp_path, *WORDS)
    record = next(one for one in run.result.records if one.experiment.labels["depth"] == 16)
    assert record.program is not None
    wrong = tuple(
        msgspec.structs.replace(
            repeat,
            moved=tuple(msgspec.structs.replace(one, **{field: getattr(one, field) * 3}) for one in repeat.moved),
        )
        for repeat in record.program.repeats
    )
    program = msgspec.structs.replace(record.program, repeats=wrong)
    records = tuple(
        msgspec.structs.replace(one, program=program) if one.number == record.number else one
        for one in run.result.records
    )
    changed = msgspec.structs.replace(run, result=msgspec.structs.replace(run.result, records=records))
    assert identity in faults(changed)
