"""Rows and sentences about strided accesses, from a memory that was put in; the figure and the lines in a terminal."""

from pathlib import Path

import pytest
from rich.console import Console

from made import Maker
from made_machine import made_machine, with_lines
from made_stride import STRIDES, access_s, add_stride
from tierscope.draw.forms import form
from tierscope.report.content import Content, gather
from tierscope.tables import tables
from tierscope.units import KiB


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Content:
    maker = Maker(tmp_path_factory.mktemp("stride"))
    add_stride(maker)
    add_stride(maker, 64, "write", "nt")
    return gather(maker.save("stride"))


def test_a_row_has_bytes_touched_and_lines(content: Content) -> None:
    for row in content.rows("stride"):
        stride, access = int(row["stride_bytes"] or 0), int(row["access_bytes"] or 0)
        truth = access / access_s(stride, access, 64 if row["store"] else 256)
        assert row["bandwidth_bytes_per_s"] == pytest.approx(truth, rel=0.02)
        assert row["lines_per_s"] == pytest.approx(truth / 64, rel=0.02)
        assert float(row["bandwidth_low"] or 0) <= float(row["bandwidth_bytes_per_s"] or 0)
        assert 0 < float(row["best_share"] or 0) <= 1


def test_lines_are_those_of_the_machine(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_stride(maker)
    run = maker.save("stride", with_lines(made_machine(), 256))
    rows = tables["stride"].rows(run)
    for row in rows:
        assert row.bandwidth
        assert row.lines
        accesses = row.bandwidth.middle / row.access_bytes
        assert row.lines.middle == pytest.approx(accesses * max(row.access_bytes // 256, 1))
    assert {64, 1024} <= {row.access_bytes for row in rows}
    said = {one.name: one for one in tables["stride"].insights(run, rows)}
    assert "no unit larger than a line of 256 B" in said["stride_unit read sequential 4"].text


def test_sentences_name_the_unit_and_the_size_that_is_enough(content: Content) -> None:
    said = {one.name: one for one in content.insights}
    assert said["stride_unit read sequential 4"].value == 256
    assert "4 threads that read in sequence: with strides from 256 B" in said["stride_unit read sequential 4"].text
    enough = said["stride_access read sequential 4"]
    assert (enough.value, enough.low) == (256, 64)
    assert "64 KiB apart: accesses of 256 B reach 90 % of the highest bandwidth" in enough.text


def test_no_unit_is_an_answer(content: Content) -> None:
    said = {one.name: one for one in content.insights}
    none = said["stride_unit nt sequential 4"]
    assert none.value is None
    assert none.conclusive
    assert none.text.startswith("4 threads that write (nt) in sequence: no unit larger than a line of 64 B")
    assert none.text.endswith("64 KiB")
    assert said["stride_access nt sequential 4"].value == 64


def test_rows_that_may_be_cached_are_inconclusive_and_count_for_no_sentence(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_stride(maker, cached_from=8 * KiB, threads=1)
    run = maker.save("stride")
    rows = tables["stride"].rows(run)
    cached = [row for row in rows if row.cached]
    assert {row.stride_bytes for row in cached} == {s for s in STRIDES if s >= 8 * KiB}
    assert not any(row.conclusive for row in cached)
    assert all("may stay in the caches" in row.reasons[0] for row in cached)
    assert {row.best_share for row in cached} == {None}
    said = {one.name: one for one in tables["stride"].insights(run, rows)}
    assert said["stride_unit read sequential 1"].value == 256
    assert said["stride_unit read sequential 1"].text.startswith("1 thread that reads in sequence")
    assert "4 KiB apart" in said["stride_access read sequential 1"].text


def test_no_sentence_of_a_size_where_there_is_one(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_stride(maker, accesses=(64,))
    run = maker.save("stride")
    names = [one.name for one in tables["stride"].insights(run, tables["stride"].rows(run))]
    assert names == ["stride_unit read sequential 4"]


def test_the_figure_has_a_chart_for_each_way_and_a_line_for_each_size(content: Content) -> None:
    (drawing,) = content.drawings
    assert drawing.spec["facet"]["sort"] == ["read, 4 threads, sequential", "write (nt), 4 threads, sequential"]
    assert len(drawing.spec["data"]["values"]) == len(content.rows("stride"))
    line = drawing.spec["spec"]["layer"][1]
    assert line["encoding"]["color"]["scale"]["domain"] == ["64 B", "256 B", "1 KiB", "4 KiB"]


def test_the_terminal_has_a_line_for_each_stride_within_80_columns(content: Content) -> None:
    console = Console(width=80)
    with console.capture() as said:
        for part in form("stride")(content.sections["stride"], console):
            console.print(part)
    lines = said.get().splitlines()
    assert max(map(len, lines)) <= 80
    assert sum("GB/s" in line for line in lines) == 2
    assert sum(line.strip().startswith("64 KiB") for line in lines) == 2
