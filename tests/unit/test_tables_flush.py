"""Rows and sentences about flushes, from times per line that were put in."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from lab import lab_in
from made import HZ, Maker
from made_flush import CHUNKS, FOOTPRINT, LINES, RANDOM, TOTAL, add_flush, asleep, line_s
from made_machine import made_machine
from tierscope.compare.comparison import compare_runs
from tierscope.plans import suites
from tierscope.record.result import Run, load
from tierscope.stats.contrast import ROUNDS
from tierscope.suites.flush.row import FlushRow
from tierscope.tables import Flat, Insight, tables
from tierscope.units import MiB

TABLE = tables["flush"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    maker = Maker(tmp_path_factory.mktemp("flush"))
    add_flush(maker)
    return maker.save("flush")


@pytest.fixture(scope="module")
def rows(run: Run) -> list[Flat]:
    return TABLE.flat(run)


def said(run: Run) -> dict[str, Insight]:
    return {insight.name: insight for insight in TABLE.insights(run, TABLE.rows(run))}


def number(row: Flat, key: str) -> float:
    value = row[key]
    assert isinstance(value, float)
    return value


def test_a_row_for_each_instruction_and_chunk_size(rows: list[Flat]) -> None:
    assert [(row["chunk_bytes"], row["instruction"]) for row in rows] == [(c, name) for c in CHUNKS for name in LINES]
    assert {row["against"] for row in rows} == {"clwb"}
    assert {(row["fence"], row["order"], row["target"], row["persistence"]) for row in rows} == {
        ("chunk", "sequential", "node:0", "none")
    }
    assert {(row["cpu"], row["footprint_bytes"], row["rounds"]) for row in rows} == {(0, FOOTPRINT, ROUNDS)}
    assert all(row["conclusive"] for row in rows)


def test_times_and_ratios_come_out_as_they_were_put_in(rows: list[Flat]) -> None:
    for row in rows:
        name, chunk = str(row["instruction"]), int(row["chunk_bytes"] or 0)
        truth, base = line_s(name, chunk), line_s("clwb", chunk)
        assert row["line_s"] == pytest.approx(truth, rel=0.01)
        assert number(row, "line_low") <= number(row, "line_s") <= number(row, "line_high")
        assert row["ratio"] == pytest.approx(truth / base, rel=0.01)
        assert number(row, "ratio_low") <= number(row, "ratio") <= number(row, "ratio_high")
        assert row["bandwidth_bytes_per_s"] == pytest.approx(64 / truth, rel=0.01)
        assert number(row, "bandwidth_low") <= number(row, "bandwidth_high")
    clwb = [row for row in rows if row["instruction"] == "clwb"]
    assert {(row["ratio_low"], row["ratio"], row["ratio_high"]) for row in clwb} == {(1.0, 1.0, 1.0)}


def test_ticks_are_those_of_the_clock_that_is_named(rows: list[Flat]) -> None:
    for row in rows:
        assert row["line_ticks"] == pytest.approx(number(row, "line_s") * HZ)
        assert (row["clock"], row["clock_hz"]) == ("tsc", HZ)


def test_seconds_are_for_all_bytes_and_the_row_states_how_many_were_written(rows: list[Flat]) -> None:
    for row in rows:
        assert row["total_bytes"] == TOTAL
        assert row["seconds_total"] == pytest.approx(TOTAL / 64 * number(row, "line_s"))
    for row in rows[: len(LINES)]:  # chunks of one line: 60 blocks of 1 ms in each round
        pace = TOTAL / number(row, "seconds_total")
        assert row["written_bytes"] == pytest.approx(pace * 60e-3 * ROUNDS, rel=0.02)


def test_too_few_rounds_and_a_base_that_swings_are_inconclusive(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_flush(maker, (4096,), rounds=3)
    add_flush(maker, (4096,), ("clwb",), noise=0.2)
    found = TABLE.flat(maker.save("flush"))
    assert not any(row["conclusive"] for row in found)
    assert found[0]["reasons"] == f"only 3 rounds of {ROUNDS}"
    assert str(found[-1]["reasons"]).startswith("time ±")


def test_msync_waits_for_the_disk_and_is_timed_anyway(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LINES, "msync", 1e-6)
    maker = Maker(tmp_path)
    add_flush(maker, (4096,), ("msync", "clwb"))
    add_flush(maker, (4096,), ("clflush", "clwb"))
    asleep(maker.records[0], maker, "msync")
    asleep(maker.records[1], maker, "clflush")
    msync, _, clflush, _ = TABLE.flat(maker.save("flush"))
    assert msync["conclusive"]
    assert msync["ratio"] == pytest.approx(line_s("msync", 4096) / line_s("clwb", 4096), rel=0.05)
    assert (clflush["line_s"], clflush["conclusive"]) == (None, False)  # no moment at which it was left alone


def test_the_time_is_reported_with_what_it_is_extrapolated_from(run: Run, tmp_path: Path) -> None:
    text = said(run)["flush_time"].text
    assert text.startswith("A line takes 16.")
    assert "with clwb in chunks of 4 KiB, a fence after each; 20 GB take 5." in text
    assert "extrapolated from" in text
    maker = Maker(tmp_path)
    add_flush(maker, (4096,), total=64 * MiB)
    assert "extrapolated" not in said(maker.save("flush"))["flush_time"].text


def test_clflush_is_distinguished_from_clwb_and_clflushopt_is_not(run: Run) -> None:
    found = said(run)
    slow, same, fast = (found[f"flush_ratio {name} over clwb"] for name in ("clflush", "clflushopt", "nt"))
    assert slow.text.startswith("clflush takes 7.")
    assert slow.text.endswith("at 3 of 3 sizes")
    assert slow.value == pytest.approx(line_s("clflush", 4096) / line_s("clwb", 4096), rel=0.01)
    assert slow.low is not None
    assert slow.low > 1
    assert "clwb" in same.text
    assert same.text.startswith(("clflushopt is not distinguishable from", "clflushopt differs by less than 2 % from"))
    assert same.text.endswith("at 0 of 3 sizes")
    assert fast.text.startswith("a non-temporal store takes 0.")


def test_the_cost_of_a_fence_after_each_line_is_reported(run: Run, tmp_path: Path) -> None:
    single = said(run)["fence_per_line"]
    assert single.value == pytest.approx(line_s("clwb", 64) / line_s("clwb", 4096), rel=0.02)
    assert single.text.startswith("clwb with a fence after each line instead of each 4 KiB: 6.")
    maker = Maker(tmp_path)
    add_flush(maker, (2 * MiB,))
    add_flush(maker, (2 * MiB,), fence="line")
    asked = said(maker.save("flush"))["fence_per_line"]
    assert asked.value == pytest.approx(line_s("clwb", 2 * MiB, "line") / line_s("clwb", 2 * MiB), rel=0.02)
    assert "instead of each 2 MiB" in asked.text


def test_the_cost_of_random_order_is_reported(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_flush(maker, (4096,))
    add_flush(maker, (4096,), order="random")
    found = said(maker.save("flush"))["random_chunks"]
    assert found.value == pytest.approx(RANDOM, rel=0.02)
    assert "4 KiB in random order: 1.2" in found.text


def test_unmeasured_or_inconclusive_values_give_no_finding(tmp_path: Path) -> None:
    one, doubtful = Maker(tmp_path / "one"), Maker(tmp_path / "doubtful")
    add_flush(one, (4096,), ("clflush",))
    assert said(one.save("flush")).keys() == {"flush_time"}
    add_flush(doubtful, rounds=3)
    assert said(doubtful.save("flush")) == {}


def test_runs_are_compared_point_by_point(run: Run, tmp_path: Path) -> None:
    maker = Maker(tmp_path, seed=7)
    add_flush(maker)
    found = compare_runs(run, maker.save("flush"), 0.02)
    assert len(found) == len(CHUNKS) * len(LINES)
    assert {row["verdict"] for row in found} == {"no difference shown"}
    assert found[0]["unit"] == "s"


def test_a_run_on_a_made_core_ends_with_rows_of_all_chunk_sizes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab, suite = lab_in(tmp_path, monkeypatch), suites["flush"]
    chosen = suite.read({"chunks": "64B,4KiB", "footprint": "4MiB", "total": "8GB"})
    lab(lambda: suite.plan(made_machine(), chosen))
    found = TABLE.flat(load(tmp_path))
    assert [row["chunk_bytes"] for row in found] == [64, 64, 4096, 4096]
    assert [sorted(str(row["instruction"]) for row in found[at : at + 2]) for at in (0, 2)] == [["none", "nt"]] * 2
    assert all(int(row["written_bytes"] or 0) >= 8_000_000_000 for row in found)
    assert [record.experiment.table for record in lab.records] == ["sizing", "flush", "sizing", "flush"]


def test_a_range_shows_its_number_of_sizes(run: Run) -> None:
    """'over all sizes' was stated of three sizes of seven."""
    whole_range = said(run)["flush_ratio clflush over clwb"].text
    rows: list[FlushRow] = TABLE.rows(run)
    sizes = sorted({row.chunk_bytes for row in rows})
    doubted = [replace(row, conclusive=row.conclusive and row.chunk_bytes in sizes[:2]) for row in rows]
    found = {one.name: one.text for one in tables["flush"].insights(run, doubted)}
    assert f"over all {len(sizes)} sizes" in whole_range
    assert f"over 2 of {len(sizes)} sizes (the others are inconclusive)" in found["flush_ratio clflush over clwb"]
