"""Cells of tables: absent values, units of columns, and intervals next to numbers."""

import math
from pathlib import Path

import pytest

from tierscope.draw.cells import NOTHING, cell, within
from tierscope.record.result import load
from tierscope.report.content import gather
from tierscope.stats.median import Interval, beyond
from tierscope.tables import Column, tables
from tierscope.tables.column import Shown
from tierscope.tables.rows import fields
from tierscope.units import show_half


@pytest.mark.parametrize(
    ("low", "middle", "high", "text"),
    [
        (99.0, 100.0, 101.0, "100 ±1.0%"),
        (100.0, 100.0, 100.0, "100"),
        (None, 100.0, 101.0, "100"),
        (1.0, 100.0, 200.8, "100 ±99.9%"),
        (1.0, 100.0, 200.95, "not known"),
        (0.0, 100.0, 2403.8, "not known"),
        (0.0, 0.0, 5.0, "not known"),
        (-math.inf, 100.0, math.inf, "not known"),
    ],
)
def test_an_interval_wider_than_its_number_is_not_a_percentage(
    low: float | None, middle: float, high: float, text: str
) -> None:
    assert within("100", low, middle, high) == text


@pytest.mark.parametrize(
    ("interval", "why"),
    [
        (Interval(90.0, 100.0, 110.0, 9), "±10.0 % over 2 %"),
        (Interval(0.0, 100.0, 2403.8, 9), "wider than its own number, 2 % were asked for"),
        (Interval(math.nan, math.nan, math.nan, 0), "wider than its own number, 2 % were asked for"),
    ],
)
def test_a_reason_names_no_percentage_above_100(interval: Interval, why: str) -> None:
    assert beyond(interval, 0.02) == why


@pytest.mark.parametrize(
    ("half", "text"),
    [(0.0, "no scatter"), (1e-16, "no scatter"), (0.0004, "±<0.1 %"), (0.0005, "±0.1 %"), (0.013, "±1.3 %")],
)
def test_no_interval_is_shown_as_zero(half: float, text: str) -> None:
    assert show_half(half) == text


@pytest.mark.parametrize(
    ("shown", "unit", "value", "text"),
    [
        (Shown.PERCENT, "1", 0.1742, "17.4"),
        (Shown.LONG, "s", 1.25, "1.25"),
        (Shown.BY_UNIT, "s", 1.25e-7, "125.0"),
        (Shown.OPERATIONS, "1/s", 12500.0, "12500"),
        (Shown.AS_ASKED, "B", 8000, "8 KB"),
        (Shown.BY_UNIT, "B", 8192, "8 KiB"),
    ],
)
def test_a_column_itself_states_how_it_is_shown(shown: Shown, unit: str, value: float, text: str) -> None:
    assert cell(value, Column("any", "any", unit, shown=shown)) == text


@pytest.mark.parametrize("absent", [None, ""])
def test_what_is_absent_is_the_same_sign_in_every_cell(absent: str | None) -> None:
    assert cell(absent, Column("any", "any", "")) == NOTHING


@pytest.mark.parametrize("name", list(tables))
def test_every_share_of_a_whole_is_shown_in_percent(name: str) -> None:
    for field in fields(tables[name].row):
        share = field.unit.word == "1" and (field.unit.least, field.unit.most) == (0, 1)
        assert not share or field.unit.shown is Shown.PERCENT, field.name


@pytest.mark.parametrize("run", sorted((Path(__file__).parents[1] / "data/runs").iterdir()), ids=lambda run: run.name)
def test_no_table_has_an_empty_column(run: Path) -> None:
    for section in gather(load(run)).sections.values():
        for column in section.used:
            assert {cell(row.get(column.name), column) for row in section.rows} != {NOTHING}, column.name
