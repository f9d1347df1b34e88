"""Large calls of the C library are points of their own, and every row of the library states the size of a call."""

from pathlib import Path

import pytest

from fake_core import FakeCore, put_in_place
from made import KERNELS
from made_machine import made_machine
from tierscope.errors import UnknownNameError
from tierscope.plans import suites
from tierscope.plans.live import describe
from tierscope.record.experiment import Experiment
from tierscope.record.result import load
from tierscope.run import planned, start
from tierscope.run.batches import one_visit
from tierscope.run.expected import imagine
from tierscope.stats.summary import enough
from tierscope.suites.stream.large import LARGE, SMALLEST, call_bytes, calls_of, seconds_of
from tierscope.tables import tables
from tierscope.units import LINE_BYTES, GiB, MiB

SUITE = suites["stream"]


def experiments_of(cpus: int = 8, **words: str) -> list[Experiment]:
    return imagine(SUITE.plan(made_machine(cpus), SUITE.read(words)))


def large(experiments: list[Experiment]) -> list[Experiment]:
    return [one for one in experiments if one.labels.get("kernel") in LARGE]


def test_each_library_function_has_a_large_point_with_the_fewest_and_the_most_threads() -> None:
    found = [
        (one.labels["kernel"], one.labels["threads"], one.groups[0].workload.kernel) for one in large(experiments_of())
    ]
    assert found == [(name, threads, kernel) for threads in (1, 8) for name, kernel in LARGE.items()]


def test_a_visit_is_as_long_as_the_calls_that_a_verdict_asks_for() -> None:
    for one in large(experiments_of()):
        (group,) = one.groups
        visit = one_visit(one)
        call_s = seconds_of(group.workload.per_block * LINE_BYTES)
        assert visit.minimum_s >= calls_of(call_s) * call_s
        assert calls_of(call_s) > enough(visit.block_s)
        assert not one.calibrate


@pytest.mark.parametrize("threads", [1, 3, 8, 200])
@pytest.mark.parametrize("array", [MiB, 100 * MiB, 4 * GiB])
def test_calls_are_whole_lines_and_share_a_part_evenly(threads: int, array: int) -> None:
    size, part = call_bytes(array, threads), array // threads
    assert size % LINE_BYTES == 0
    assert LINE_BYTES <= size <= part
    assert size == part // LINE_BYTES * LINE_BYTES or SMALLEST - LINE_BYTES <= size < 2 * SMALLEST
    calls = round(part / size)
    assert part - calls * size < (calls + 1) * LINE_BYTES


def test_they_are_asked_for_by_name_and_unknown_ones_are_refused() -> None:
    assert {one.labels["kernel"] for one in experiments_of(kernels="memset_large") if one.table == "stream"} == {
        "memset_large"
    }
    with pytest.raises(UnknownNameError, match="memcpy_large"):
        experiments_of(kernels="memcpy_larg")


def test_simulated_memory_has_no_library() -> None:
    chosen = SUITE.read({"target": "sim:ddr5", "array": "64MiB"})
    plan = planned.plan_for("stream", chosen, "", made_machine(2))
    assert large(imagine(plan())) == []


def test_rows_of_the_library_state_the_size_of_a_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KERNELS, "memcpy", (2, 128, 128, "libc", 14e9))
    put_in_place(FakeCore(), monkeypatch)
    monkeypatch.setattr(planned, "this_machine", lambda *_: made_machine(2))
    options = SUITE.read({"kernels": "copy,memcpy,memcpy_large", "threads": "1", "array": "64MiB"})
    directory, manifest = start.begin("stream", options, "", ("tierscope",), tmp_path / "run")
    start.execute(directory, manifest)
    run = load(directory)
    rows = {row["kernel"]: row for row in tables["stream"].flat(run)}
    assert rows["copy"]["call_bytes"] is None
    blocks = run.blocks(run.result.records[1])
    assert int(rows["memcpy"]["call_bytes"] or 0) % LINE_BYTES == 0
    assert blocks["operations"].min() * LINE_BYTES <= int(rows["memcpy"]["call_bytes"] or 0)
    assert rows["memcpy_large"]["target"] == "node:0"


def test_a_large_point_is_listed_by_its_own_name() -> None:
    assert [describe(one) for one in experiments_of(threads="1", kernels="memcpy,memcpy_large", array="64MiB")] == [
        "memcpy, 1 thread", "memcpy_large, 1 thread",
    ]  # fmt: skip
