"""Rows, sentences, terminal and figure of operations on structures, from times that were put in."""

import math
from io import StringIO
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.console import Console

from made import HZ, Maker
from made_counters import made_counted
from made_maps import CLOCK_S, COUNT, FILL_S, LATENCY_S, REHASH_S, REHASHES, SPREAD, add_maps, add_point
from tierscope.audit import examine
from tierscope.audit.own import statements
from tierscope.compare.comparison import compare_runs
from tierscope.draw import figures
from tierscope.errors import UsageError
from tierscope.record.result import Run
from tierscope.record.work.key import KeyedWork
from tierscope.report import terminal
from tierscope.report.content import gather
from tierscope.report.top.top import top
from tierscope.stats.contrast import ROUNDS
from tierscope.suites.maps import terminal as terminal_maps
from tierscope.tables import Flat, Insight, tables

TABLE = tables["maps"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    maker = Maker(tmp_path_factory.mktemp("maps"))
    add_maps(maker)
    return maker.save("maps")


@pytest.fixture(scope="module")
def rows(run: Run) -> list[Flat]:
    return TABLE.flat(run)


def said(run: Run) -> dict[str, Insight]:
    return {insight.name: insight for insight in TABLE.insights(run, TABLE.rows(run))}


def number(row: Flat, key: str) -> float:
    value = row[key]
    assert isinstance(value, float | int)
    return float(value)


def mean_s(structure: str) -> float:
    return LATENCY_S[structure] * math.exp(SPREAD**2 / 2)


def test_a_row_for_each_structure_operation_and_number_of_threads(rows: list[Flat]) -> None:
    each = [("insert", 1), ("get", 1), ("get", 2)]
    assert [(row["structure"], row["operation"], row["threads"]) for row in rows] == [
        (structure, *one) for structure in LATENCY_S for one in each
    ]
    assert {(row["count"], row["value_bytes"], row["operations"], row["batches"]) for row in rows} == {
        (COUNT, 16, COUNT, ROUNDS)
    }
    assert all(row["conclusive"] for row in rows)


def test_times_come_out_as_they_were_put_in(rows: list[Flat]) -> None:
    for row in rows:
        structure, threads = str(row["structure"]), number(row, "threads")
        rehash = REHASHES * REHASH_S if row["operation"] == "insert" else 0.0
        assert number(row, "latency_s") == pytest.approx(mean_s(structure), rel=0.02)
        assert number(row, "latency_p50_s") == pytest.approx(LATENCY_S[structure], rel=0.02)
        p99 = LATENCY_S[structure] * math.exp(2.326 * SPREAD)
        assert number(row, "latency_p99_s") == pytest.approx(p99, rel=0.05)
        seconds = COUNT * mean_s(structure) / threads + rehash
        assert number(row, "seconds") == pytest.approx(seconds, rel=0.02)
        assert number(row, "ops_per_s") == pytest.approx(COUNT / seconds, rel=0.02)
        assert number(row, "seconds_low") <= number(row, "seconds") <= number(row, "seconds_high")
        assert number(row, "latency_min_s") < number(row, "latency_p50_s") < number(row, "latency_max_s")


def test_times_outside_the_operations_are_separate(rows: list[Flat]) -> None:
    for row in rows:
        inserts = row["operation"] == "insert"
        assert row["rehashes"] == (REHASHES if inserts else 0)
        assert number(row, "rehash_s") == pytest.approx(REHASHES * REHASH_S if inserts else 0, rel=1e-4)
        assert number(row, "init_s") == pytest.approx(FILL_S, rel=1e-4)
        assert number(row, "clock_s") == pytest.approx(CLOCK_S, abs=1 / HZ)
        assert row["done_share"] == 1


def test_a_percentile_that_no_batch_carries_is_that_of_all_together(rows: list[Flat]) -> None:
    """999 of 1000: two of 2000 are beyond it in a batch, 16 in all."""
    for row in rows:
        assert number(row, "latency_p999_s") > number(row, "latency_p99_s")
        assert row["latency_p999_low"] is None
        assert number(row, "latency_p99_low") <= number(row, "latency_p99_s") <= number(row, "latency_p99_high")


def test_the_fastest_structure_is_named_where_intervals_confirm_it(run: Run) -> None:
    fastest = said(run)[f"fastest get of {COUNT} keys, values of 16 B"]
    assert "quick_map is the fastest" in fastest.text
    bounds = [fastest.low, fastest.value, fastest.high]
    assert None not in bounds
    assert bounds == sorted(bounds)  # type: ignore[type-var]
    assert fastest.value == pytest.approx(2.5, rel=0.03)


def test_structures_that_are_alike_are_not_distinguished(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_point(maker, "quick_map", "get")
    add_point(maker, "quick_map", "get")
    run = maker.save("maps")
    told = said(run)[f"fastest get of {COUNT} keys, values of 16 B"]
    assert "quick_map and quick_map" in told.text
    assert told.low is not None
    assert told.high is not None
    assert told.low <= 1 <= told.high


def test_rehashes_are_named_where_they_take_much(run: Run) -> None:
    found = said(run)
    share = REHASHES * REHASH_S / (REHASHES * REHASH_S + COUNT * mean_s("quick_map"))
    told = found[f"rehash insert of {COUNT} keys, values of 16 B"]
    assert "rehashes of quick_map take" in told.text
    assert told.value == pytest.approx(share, rel=0.02)
    assert [name for name in found if name.startswith("rehash get")] == []


def test_one_disturbed_round_moves_neither_the_share_of_rehashes_nor_the_audit(tmp_path: Path) -> None:
    """A mean over all rounds next to a median of them made 1161 % of the time."""
    maker = Maker(tmp_path)
    record = add_point(maker, "quick_map", "insert")
    (timings,) = record.timings
    late = replace(timings[0], rehash_ticks=1000 * timings[0].rehash_ticks)
    maker.records[0] = replace(record, timings=((late, *timings[1:]),))
    run = maker.save("maps")
    (row,) = TABLE.flat(run)
    share = REHASHES * REHASH_S / (REHASHES * REHASH_S + COUNT * mean_s("quick_map"))
    assert number(row, "rehash_share") == pytest.approx(share, rel=0.05)
    assert number(row, "rehash_s") == pytest.approx(REHASHES * REHASH_S, rel=0.05)
    assert 0 <= number(row, "rehash_share_low") <= number(row, "rehash_share") <= number(row, "rehash_share_high") <= 1
    found = said(run)[f"rehash insert of {COUNT} keys, values of 16 B"]
    assert f"take {100 * share:.0f} % of the time, 40 us each" in found.text
    assert (found.kind, found.value) == ("share", row["rehash_share"])
    assert [one.identity for one in examine(statements(run)).failures] == []


def test_rehashes_of_inconclusive_rounds_make_no_sentence(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_point(maker, "quick_map", "insert", batches=5)
    run = maker.save("maps")
    assert said(run) == {}
    found = top(gather(run))
    assert found.lead.startswith("This run shows nothing yet: only 5 rounds of 8")
    assert found.answers[0].short == "Not known: no answer of this run is conclusive"


def test_the_fastest_structure_is_named_with_their_number(run: Run) -> None:
    rows = [row for row in TABLE.rows(run) if row.operation == "get" and row.threads == 1]
    third = replace(rows[0], structure="doubtful_map", conclusive=False)
    (told,) = (one for one in TABLE.insights(run, [*rows, third]) if one.name.startswith("fastest"))
    assert told.text.endswith("; 1 of 3 structures is inconclusive and left out")
    assert "doubtful_map" not in told.text


@pytest.mark.parametrize(("noise", "batches", "why"), [(0.3, 8, "time ±"), (0.004, 5, "only 5 rounds of 8")])
def test_doubtful_times_are_inconclusive_and_state_why(tmp_path: Path, noise: float, batches: int, why: str) -> None:
    maker = Maker(tmp_path)
    add_point(maker, "quick_map", "get", noise=noise, batches=batches)
    (row,) = TABLE.rows(maker.save("maps"))
    assert not row.conclusive
    assert any(why in reason for reason in row.reasons)


def test_a_record_without_timings_has_no_row(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    record = add_point(maker, "quick_map", "get")
    maker.records[0] = replace(record, timings=())
    assert TABLE.rows(maker.save("maps")) == []


def test_the_terminal_shows_a_table_for_each_operation(run: Run) -> None:
    out = StringIO()
    terminal.show(run, Console(file=out, width=80, no_color=True))
    text = out.getvalue()
    for words in ("insert, 1 thread (95 % interval)", "get, 2 threads", "quick_map", "M ops/s", "p99.9"):
        assert words in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.fixture
def counted(tmp_path: Path) -> Run:
    """Inserts of one structure whose accesses were recorded."""
    maker = Maker(tmp_path)
    record = add_point(maker, "quick_map", "insert")
    lines = {"lines_read": 5 * COUNT, "lines_written": 4 * COUNT, "lines_flushed": 6 * COUNT, "fences": 3 * COUNT}
    (timings,) = record.timings
    told = tuple(replace(one, **lines) for one in timings)
    maker.records[0] = replace(record, timings=(told,))
    return maker.save("maps")


COUNTS = ("lines_read", "lines_written", "lines_flushed", "fences", "flushed_per_written")


def test_lines_are_those_of_one_operation_where_accesses_were_recorded(counted: Run, rows: list[Flat]) -> None:
    (row,) = TABLE.flat(counted)
    assert [row[key] for key in COUNTS] == [5, 4, 6, 3, 1.5]
    assert {row[key] for row in rows for key in COUNTS} == {None}


def test_the_terminal_and_a_finding_report_repeated_flushes(counted: Run, run: Run) -> None:
    (told,) = (insight for name, insight in said(counted).items() if name.startswith("flushed insert"))
    assert told.value == 1.5
    assert "quick_map flushes each line that it writes 1.50 times, 6.0 lines for 4.0" in told.text
    assert not any(name.startswith("flushed") for name in said(run))
    out = StringIO()
    terminal.show(counted, Console(file=out, width=80, no_color=True))
    text = out.getvalue()
    assert "insert: lines of one operation" in text
    assert "5.00     4.00     6.00    3.00" in text
    assert max(map(len, text.splitlines())) <= 80


def test_the_figure_has_a_chart_for_each_operation_and_a_point_for_each_percentile(run: Run) -> None:
    rows = TABLE.rows(run)
    spec = figures["maps"].draw(run, rows, [])
    assert spec is not None
    points = spec["data"]["values"]
    assert len(points) == 3 * len(rows)
    assert {point["chart"] for point in points} == {"insert, 1 thread", "get, 1 thread", "get, 2 threads"}
    assert {point["share"] for point in points} == {"p50", "p99", "p99.9"}
    assert figures["maps"].draw(run, [], []) is None


def of_rounds(folder: Path, count: int) -> Run:
    maker = Maker(folder)
    add_point(maker, "quick_map", "get", count=count)
    return maker.save("maps")


def test_rounds_of_different_length_are_not_compared(tmp_path: Path) -> None:
    """Their times are of more operations, and longer rounds touch more keys."""
    long, short = of_rounds(tmp_path / "long", 5 * COUNT), of_rounds(tmp_path / "short", COUNT)
    with pytest.raises(UsageError, match="no point in common: rows of maps differ in operations of a round"):
        compare_runs(short, long, 0.02)
    (row,) = compare_runs(short, of_rounds(tmp_path / "same", COUNT), 0.02)
    assert (row["verdict"], row["operations"]) == ("no difference shown", COUNT)


def test_a_sweep_of_one_structure_is_one_table_for_each_operation(run: Run) -> None:
    row = next(row for row in TABLE.rows(run) if row.operation == "get")
    points = [(what, count) for what in ("get", "insert") for count in (10, 20)] + [("remove", 10)]
    found = terminal_maps.grids([replace(row, count=count, operation=what) for what, count in points])
    name = row.structure
    assert [title for title, _, _ in found] == [
        f"{name}, {what} (95 % interval)" for what in ("get", "insert", "remove")
    ]
    assert [[line[0] for line in lines] for _, _, lines in found] == [["10 keys", "20 keys"]] * 2 + [["10 keys"]]


def test_counters_of_a_structure_state_what_was_done(run: Run) -> None:
    first, *_ = run.result.records
    record = replace(first, counted=(made_counted(),))
    found = tables["counters"].flat(replace(run, result=replace(run.result, records=(record,))))
    work = record.experiment.groups[0].workload.of(KeyedWork)
    assert {row["task"] for row in found} == {f"{work.operation} of {COUNT} keys"}


def test_a_structure_that_is_alone_is_reported_with_its_times(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_point(maker, "quick_map", "get")
    (one,) = TABLE.insights(run := maker.save("maps"), TABLE.rows(run))
    assert one.name == "alone get"
    assert one.value == pytest.approx(LATENCY_S["quick_map"] * math.exp(SPREAD**2 / 2), rel=0.05)
    assert one.text.startswith("get of quick_map: 10")
    assert one.text.endswith(f"among {COUNT} keys")
