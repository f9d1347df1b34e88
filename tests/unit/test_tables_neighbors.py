"""Rows and sentences about neighbours, from slowdowns that were put in."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from made import Maker
from made_neighbors import FOOTPRINT, HOP_S, SLOWER, TASK_S, add_neighbors
from tierscope.compare.comparison import compare_runs
from tierscope.draw.words import LONGEST_COMMAND
from tierscope.record.result import Run
from tierscope.stats.contrast import ROUNDS
from tierscope.suites.neighbors.table import NeighborsRow, aggressor_name, victim_name
from tierscope.tables import Flat, Insight, tables

TABLE = tables["neighbors"]


def run_of(directory: Path, kernel: str = "flow", aggressor: str = "copy", slower: Sequence[float] = SLOWER,
           rounds: int = ROUNDS, seed: int = 1995) -> Run:  # fmt: skip
    maker = Maker(directory, seed)
    add_neighbors(maker, kernel, aggressor, slower, rounds)
    return maker.save("neighbors")


def said(run: Run) -> dict[str, Insight]:
    return {insight.name: insight for insight in TABLE.insights(run, TABLE.rows(run))}


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[Flat]:
    return TABLE.flat(run_of(tmp_path_factory.mktemp("flow")))


def test_the_row_of_each_pair_of_numbers_states_what_it_is_compared_with(rows: list[Flat]) -> None:
    assert [(row["victims"], row["aggressors"], row["against"]) for row in rows] == [
        (1, 0, "itself"), (1, 1, "1 alone"), (2, 0, "1 alone"), (2, 1, "2 alone"),
    ]  # fmt: skip
    assert [row["aggressor_kernel"] for row in rows] == [None, "copy", None, "copy"]
    assert [row["aggressor_target"] for row in rows] == [None, "node:0", None, "node:0"]
    assert [row["victim_cpus"] for row in rows] == ["0", "0", "0,1", "0,1"]
    assert {(row["victim"], row["size"], row["command"]) for row in rows} == {("flow", "test", None)}
    assert all(row["conclusive"] for row in rows)


def test_an_aggressor_that_is_a_program_has_the_name_of_the_suite(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_neighbors(maker, "flow", "copy", SLOWER, ROUNDS)
    (record,) = maker.records
    command = [msgspec.structs.replace(f, kernel="command", target="null") if f.kernel == "copy" else f
               for f in record.groups]  # fmt: skip
    labels = {**record.experiment.labels, "aggressor_kernel": "fio"}
    experiment = msgspec.structs.replace(record.experiment, labels=labels)
    maker.records[0] = msgspec.structs.replace(record, groups=tuple(command), experiment=experiment)
    rows: list[NeighborsRow] = TABLE.rows(maker.save("neighbors"))
    assert [row.aggressor_kernel for row in rows] == [None, "fio", None, "fio"]
    assert aggressor_name(rows[1]) == "fio"


def test_slowdowns_come_out_as_they_were_put_in(rows: list[Flat]) -> None:
    truths = [1.0, SLOWER[1], SLOWER[2], SLOWER[3] / SLOWER[2]]
    for row, truth in zip(rows, truths, strict=True):
        assert row["slowdown"] == pytest.approx(truth, rel=0.005)
        low, middle, high = (float(row[key] or 0) for key in ("slowdown_low", "slowdown", "slowdown_high"))
        assert low <= middle <= high
        assert row["rounds"] == ROUNDS
    assert (rows[0]["slowdown_low"], rows[0]["slowdown_high"]) == (1.0, 1.0)


def test_the_time_of_a_task_is_that_of_one_task(rows: list[Flat]) -> None:
    for row, slower in zip(rows, SLOWER, strict=True):
        assert row["seconds"] == pytest.approx(TASK_S * slower, rel=0.005)
    assert {(row["victim_target"], row["victim_bytes"]) for row in rows} == {(None, None)}
    assert rows[0]["detail"] == "3000 nodes"


def test_the_time_of_a_kernel_is_that_of_one_walk_over_its_footprint(tmp_path: Path) -> None:
    rows = TABLE.flat(run_of(tmp_path, "chase"))
    for row, slower in zip(rows, SLOWER, strict=True):
        assert row["seconds"] == pytest.approx(HOP_S * FOOTPRINT / 64 * slower, rel=0.01)
        assert (row["victim_target"], row["victim_bytes"]) == ("node:0", FOOTPRINT)


def test_a_command_is_named_by_its_line(tmp_path: Path) -> None:
    run = run_of(tmp_path, "command")
    assert {(row["victim"], row["command"]) for row in TABLE.flat(run)} == {("cmd", "./solve in.txt")}
    assert "slowdown ./solve in.txt" in said(run)


def test_a_long_command_is_cut_in_sentences(tmp_path: Path) -> None:
    row = msgspec.structs.replace(TABLE.rows(run_of(tmp_path, "command"))[0], command="x" * 500)
    assert len(victim_name(row)) == LONGEST_COMMAND
    assert victim_name(row).endswith("...")


def test_the_largest_slowdown_that_intervals_confirm_is_reported(tmp_path: Path) -> None:
    found = said(run_of(tmp_path))
    one = found["slowdown flow test"]
    assert one.text.startswith("1 aggressor (copy on node:0) slows each of 2 victims (flow test) by 8.")
    assert one.value == pytest.approx(1.08, rel=0.005)
    assert one.low is not None
    assert one.low > 1
    assert found["victims flow test"].text.startswith("2 victims (flow test) at the same time slow each other by ")


def test_where_no_interval_leaves_out_one_no_slowdown_is_shown(tmp_path: Path) -> None:
    found = said(run_of(tmp_path, slower=(1, 1, 1, 1)))
    for name in ("slowdown flow test", "victims flow test"):
        assert "no significant slowdown" in found[name].text
        assert (found[name].low or 0) <= 1 <= (found[name].high or 0)


def test_aggressors_that_flush_are_named_with_their_chunk_and_fence(tmp_path: Path, rows: list[Flat]) -> None:
    run = run_of(tmp_path, aggressor="flush_clflushopt")
    found = TABLE.flat(run)
    assert [row["aggressor_chunk_bytes"] for row in found] == [None, 4096, None, 4096]
    assert [row["aggressor_fence"] for row in found] == [None, "never", None, "never"]
    text = said(run)["slowdown flow test"].text
    assert text.startswith("1 aggressor (flush_clflushopt of 4 KiB, no fence, on node:0) slows")
    assert {(row["aggressor_chunk_bytes"], row["aggressor_fence"]) for row in rows} == {(None, None)}


def test_sleeping_aggressors_have_no_effect(tmp_path: Path) -> None:
    run = run_of(tmp_path, "chase", "sleep", (1, 1, 1, 1), rounds=12)
    for row in TABLE.flat(run):
        assert float(row["slowdown_low"] or 0) <= 1 <= float(row["slowdown_high"] or 0)
    assert said(run)["slowdown chase"].text.startswith("1 aggressor (sleep): no significant slowdown of")


def test_a_slowdown_by_sleeping_aggressors_is_not_a_memory_effect(tmp_path: Path) -> None:
    text = said(run_of(tmp_path, "flow", "sleep"))["slowdown flow test"].text
    assert "they sleep, so their work is not the cause" in text


def test_inconclusive_rows_make_no_statement(tmp_path: Path) -> None:
    run = run_of(tmp_path, rounds=4)
    assert {row["reasons"] for row in TABLE.flat(run)} == {"only 4 rounds of 8"}
    assert said(run) == {}


def test_two_runs_are_compared_by_the_time_of_a_victim(tmp_path: Path) -> None:
    before = run_of(tmp_path / "a")
    after = run_of(tmp_path / "b", slower=[2 * slower for slower in SLOWER], seed=7)
    found = compare_runs(before, after, 0.02)
    assert len(found) == len(SLOWER)
    assert {(row["unit"], row["verdict"]) for row in found} == {("s", "slower")}
    assert all(row["ratio"] == pytest.approx(2, rel=0.01) for row in found)
    assert found[1]["before"] == pytest.approx(TASK_S * SLOWER[1], rel=0.01)
