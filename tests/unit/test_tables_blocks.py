"""The table `blocks` on a made run: what was put in comes out, joined from one record or two."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from made import Maker
from made_blocks import ARRAYS, BATCHED, COST_S, COUNTS, SIZES, TAIL, add_block_points, operation_s
from tierscope.compare.comparison import compare_runs
from tierscope.record.result import Run
from tierscope.stats.median import Interval
from tierscope.suites.blocks.findings import _best, best_row
from tierscope.suites.blocks.row import BlocksRow
from tierscope.tables import Flat, Insight, flat, tables
from tierscope.tables.rows import unflat

TABLE = tables["blocks"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    maker = Maker(tmp_path_factory.mktemp("blocks"))
    add_block_points(maker)
    return maker.save("blocks")


@pytest.fixture(scope="module")
def made(run: Run) -> list[BlocksRow]:
    return TABLE.rows(run)


@pytest.fixture(scope="module")
def rows(made: list[BlocksRow]) -> list[Flat]:
    return [flat(row) for row in made]


def row_of(rows: list[Flat], operation: str, size: int, threads: int) -> dict[str, Any]:
    (found,) = [
        r for r in rows if (r["operation"], r["block_bytes"], r["threads"]) == (operation, size, threads)
    ]  # fmt: skip
    return found


def told(run: Run, rows: list[BlocksRow]) -> dict[str, Insight]:
    return {insight.name: insight for insight in TABLE.insights(run, rows)}


def test_each_operation_size_and_count_has_one_row(rows: list[Flat]) -> None:
    keys = [(row["operation"], row["block_bytes"], row["threads"]) for row in rows]
    assert sorted(keys, key=str) == sorted(
        [(operation, size, threads) for operation in ARRAYS for size in SIZES for threads in COUNTS], key=str
    )


@pytest.mark.parametrize("operation", list(ARRAYS))
@pytest.mark.parametrize("size", list(SIZES))
@pytest.mark.parametrize("threads", list(COUNTS))
def test_throughput_is_what_was_put_in(rows: list[Flat], operation: str, size: int, threads: int) -> None:
    row = row_of(rows, operation, size, threads)
    truth = SIZES[size] * COUNTS[threads]
    assert row["throughput_bytes_per_s"] == pytest.approx(truth, rel=0.03)
    assert row["throughput_low"] <= row["throughput_bytes_per_s"] <= row["throughput_high"]
    assert row["peak_share"] == pytest.approx(truth / 307.2e9, rel=0.03)
    assert row["efficiency"] == pytest.approx(COUNTS[threads] / threads, rel=0.04)
    assert row["shared"] is (threads > 2)
    assert row["cpus"] == min(threads, 2)


@pytest.mark.parametrize("operation", list(ARRAYS))
@pytest.mark.parametrize("size", list(SIZES))
@pytest.mark.parametrize("threads", [1, 2])
def test_latency_is_what_was_put_in_without_the_timer(
    rows: list[Flat], operation: str, size: int, threads: int
) -> None:
    row = row_of(rows, operation, size, threads)
    assert row["latency_s"] == pytest.approx(operation_s(operation, size, threads), rel=0.01)
    assert row["latency_low"] <= row["latency_s"] <= row["latency_high"]
    assert row["timer_cost_s"] == COST_S
    assert row["in_a_row_s"] == pytest.approx(
        threads * ARRAYS[operation] * size / (SIZES[size] * COUNTS[threads]), rel=0.03
    )


def test_the_tail_shows_from_the_percentile_at_which_it_begins(rows: list[Flat]) -> None:
    row = row_of(rows, "copy", 8000, 1)
    assert row["latency_p90_s"] == pytest.approx(row["latency_s"], rel=0.05)
    assert row["latency_p99_s"] == pytest.approx(TAIL * row["latency_s"], rel=0.05)
    assert row["latency_p99_low"] <= row["latency_p99_s"] <= row["latency_p99_high"]
    assert row["latency_p999_s"] is not None


def test_few_operations_carry_no_far_percentile(rows: list[Flat]) -> None:
    row = row_of(rows, "copy", 80_000_000, 1)
    assert row["latency_blocks"] <= 90
    assert row["latency_p90_s"] is not None
    assert row["latency_p99_s"] is None
    assert row["latency_p999_s"] is None


def test_a_row_states_how_its_operations_were_timed(rows: list[Flat]) -> None:
    assert {row["block_bytes"]: row["batched"] for row in rows} == {8: BATCHED, 8000: 1, 80_000_000: 1}


def test_operations_that_wait_for_a_turn_count_in_the_percentiles(rows: list[Flat]) -> None:
    alone, turns = row_of(rows, "copy", 80_000_000, 2), row_of(rows, "copy", 80_000_000, 4)
    assert turns["latency_s"] > 1.5 * alone["latency_s"]
    assert turns["latency_left_out"] == 0


def test_a_row_whose_latency_is_not_measured_yet_is_there_without_it(run: Run) -> None:
    half = msgspec.structs.replace(run, result=msgspec.structs.replace(run.result, records=run.result.records[:1]))
    (row,) = TABLE.flat(half)
    assert row["throughput_bytes_per_s"]
    assert row["latency_s"] is None
    assert row["batched"] is None


def test_the_best_count_is_named_where_the_intervals_allow_it(run: Run, made: list[BlocksRow]) -> None:
    """1.9 and 1.85 times one thread are 2.7 % apart: sure where the intervals are narrow, else not distinguished."""
    found = told(run, made)
    for operation in ARRAYS:
        for size in SIZES:
            insight = found[f"best_threads {operation} {size}"]
            assert insight.value in (2.0, None)
            best = [row.best for row in made if row.point == (operation, size)]
            assert best == ([False, True, False] if insight.value else [None] * 3)
            assert ("not distinguishable from 4" in insight.text) is (insight.value is None)


def made_row(threads: int, rate: float, half: float = 0.005, conclusive: bool = True) -> BlocksRow:
    return unflat(BlocksRow, {
        "operation": "copy", "block_bytes": 8000, "target": "node:0", "threads": threads, "cpus": threads,
        "shared": False, "footprint_bytes": 80_000_000, "conclusive": conclusive, "blocks": 100,
        "left_out_share": 0.0, "origin": "real",
        "throughput_bytes_per_s": rate, "throughput_low": rate * (1 - half), "throughput_high": rate * (1 + half),
    })  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "best"),
    [
        ([made_row(1, 1e9), made_row(2, 2e9), made_row(4, 1.8e9)], [False, True, False]),
        ([made_row(1, 1e9), made_row(2, 2e9), made_row(4, 1.99e9)], [None, None, None]),
        ([made_row(1, 1e9), made_row(2, 2e9, 0.2), made_row(4, 1.8e9)], [None, None, None]),
        ([made_row(1, 1e9), made_row(2, 2e9), made_row(4, 1.8e9, conclusive=False)], [None, None, None]),
        ([made_row(1, 1e9), made_row(2, 2e9, conclusive=False), made_row(4, 1.8e9)], [None, None, None]),
        ([made_row(1, 1e9)], [None]),
    ],
)
def test_a_count_is_best_only_against_every_other_and_if_all_are_sure(
    rows: list[BlocksRow], best: list[bool | None]
) -> None:
    assert [best_row(row, rows) for row in rows] == best


def test_an_inconclusive_highest_count_is_not_compared_with_others() -> None:
    (insight,) = _best([made_row(1, 1e9), made_row(2, 2e9, conclusive=False)])
    assert insight.name == "best_threads copy 8000"
    assert (insight.value, insight.conclusive) == (None, False)
    assert "from 1" not in insight.text


def test_the_first_finding_is_the_maximum_and_its_share_of_the_peak(run: Run, made: list[BlocksRow]) -> None:
    first, second, *_ = TABLE.insights(run, made)
    assert first.name == "most_throughput"
    assert "80 MB blocks with 2 threads" in first.text
    assert second.name == "block_peak_share"
    assert second.value == pytest.approx(12e9 * 1.9 / 307.2e9, rel=0.03)


def test_efficiency_is_that_of_threads_with_a_cpu_each(run: Run, made: list[BlocksRow]) -> None:
    insight = told(run, made)["block_efficiency"]
    assert "2 threads, one per CPU" in insight.text
    assert insight.value == pytest.approx(0.95, rel=0.03)


def test_more_threads_than_cpus_are_compared_with_one_for_each_cpu(run: Run, made: list[BlocksRow]) -> None:
    insight = told(run, made)["beyond_cpus 4"]
    assert insight.value == pytest.approx(1.85 / 1.9, rel=0.03)
    assert "4 threads that share 2 CPUs" in insight.text


def test_the_price_of_a_call_is_that_of_the_smallest_block(run: Run, made: list[BlocksRow]) -> None:
    insight = told(run, made)["call_cost copy"]
    assert insight.value == pytest.approx(operation_s("copy", 8, 1), rel=0.01)
    level = [replace(row, throughput=Interval(4.9e9, 5e9, 5.1e9, 100)) for row in made]
    assert "call_cost copy" not in told(run, level)  # as fast as large blocks: the call is not most of it


def test_without_a_peak_there_is_no_share(run: Run) -> None:
    machine = msgspec.structs.replace(run.result.machine, peak_bytes_per_s=None)
    unknown = msgspec.structs.replace(run, result=msgspec.structs.replace(run.result, machine=machine))
    rows: list[BlocksRow] = TABLE.rows(unknown)
    assert {row.peak_share for row in rows} == {None}
    assert "block_peak_share" not in told(unknown, rows)


def test_without_one_thread_there_is_no_efficiency(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_block_points(maker, (80_000_000,))
    maker.records = [r for r in maker.records if r.experiment.labels["threads"] != 1]
    maker.records = [msgspec.structs.replace(r, number=n) for n, r in enumerate(maker.records)]
    assert {row.efficiency for row in TABLE.rows(maker.save())} == {None}


def test_two_runs_are_compared_point_by_point(run: Run) -> None:
    rows = compare_runs(run, run, 0.02)
    assert len(rows) == len(ARRAYS) * len(SIZES) * len(COUNTS)
    assert {row["ratio"] for row in rows} == {1.0}


def test_inconclusive_rows_make_no_most_no_share_and_no_ratio(run: Run, made: list[BlocksRow]) -> None:
    """47 of 48 points were inconclusive, and "the most of all conclusive points" was above a chart with more."""
    lone = [replace(row, conclusive=number == 0) for number, row in enumerate(made)]
    found = told(run, lone)
    assert f"the highest of 1 of {len(made)} points; the others are inconclusive" in found["most_throughput"].text
    assert not any(name.startswith(("block_efficiency", "beyond_cpus", "call_cost")) for name in found)
    none = told(run, [replace(row, conclusive=False) for row in made])
    assert {name.split()[0] for name in none} <= {"best_threads"}
    assert not any(insight.conclusive or insight.numbers for insight in none.values())


def test_a_small_ratio_is_not_shown_as_nothing(run: Run, made: list[BlocksRow]) -> None:
    slow = [
        replace(row, throughput=row.throughput.times(1e-3)) if row.threads == 4 and row.throughput else row
        for row in made
    ]
    text = told(run, slow)["beyond_cpus 4"].text
    assert "0.00x" not in text
    assert "reach 0.000" in text
