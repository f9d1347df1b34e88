"""A whole number is read from JSON as an int: its bounds count as those of any other number."""

from pathlib import Path

import msgspec
import pytest

from made import Maker, add_stream
from tierscope.audit.own import statements
from tierscope.compare.beside import beside
from tierscope.compare.points import points
from tierscope.errors import ResultError
from tierscope.record.experiment import real
from tierscope.record.result import Run
from tierscope.reference import load
from tierscope.suites.stream.table import Stream, StreamRow
from tierscope.tables import Flat, tables
from tierscope.tables.measured import span_of
from tierscope.tables.rows import unflat, whole_of

LOW, MIDDLE, HIGH = 10_000_000_000, 10_100_000_000, 10_200_000_000
WHOLE = {"bandwidth_low": LOW, "bandwidth_bytes_per_s": MIDDLE, "bandwidth_high": HIGH}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A run whose rows went through JSON that writes 1e10 as 10000000000."""
    maker = Maker(tmp_path)
    add_stream(maker, ("copy",))
    made = maker.save()
    rows: list[Flat] = msgspec.json.decode(msgspec.json.encode([row | WHOLE for row in tables["stream"].flat(made)]))
    assert {type(row["bandwidth_low"]) for row in rows} == {int}
    monkeypatch.setattr(Stream, "rows", lambda _table, _run: [unflat(StreamRow, row) for row in rows])
    return made


def test_a_real_number_is_neither_a_word_nor_a_truth_value() -> None:
    assert [real(value) for value in (3, 2.5, True, "3", None)] == [3.0, 2.5, None, None, None]


def test_a_whole_number_that_a_row_lacks_is_an_error_and_not_zero() -> None:
    assert whole_of({"threads": 0}, "threads") == 0
    for wrong in (None, "2", 2.5, True):
        with pytest.raises(ResultError, match="threads: expected a whole number, got"):
            whole_of({"threads": wrong}, "threads")


def test_bounds_may_be_whole_and_no_truth_values() -> None:
    assert span_of({"x_low": 1, "x_high": 2.5}, "x") == (1.0, 2.5)
    assert span_of({"x_low": True, "x_high": 2.5}, "x") is None


def test_an_export_keeps_whole_bounds(run: Run) -> None:
    (number,) = {number for point in points([run])["stream"].values() for number in point.values()}
    assert (number.low, number.value, number.high) == (LOW, MIDDLE, HIGH)


def test_the_audit_keeps_whole_bounds(run: Run) -> None:
    found = [one.quantities["bandwidth_bytes_per_s"] for one in statements(run) if one.table == "stream" and one.series
             and "bandwidth_bytes_per_s" in one.quantities]  # fmt: skip
    assert {one.bounds for one in found} == {(LOW, HIGH)}


def test_a_published_table_keeps_whole_bounds(run: Run) -> None:
    rows = beside(run, load("document000_stream_dram"))
    assert {(row["ours_low"], row["ours_high"]) for row in rows} == {(LOW, HIGH)}
