"""Rows, levels and sentences about a TLB, from one that was put in; the figure and the lines in a terminal."""

from pathlib import Path

import pytest
from rich.console import Console

from made import Maker
from made_tlb import COARSE, FINE, NONE, TWO, MadeTlb, add_tlb, control_s
from tierscope.draw.forms import form
from tierscope.record.result import Run
from tierscope.report.content import Content, gather
from tierscope.tables import tables
from tierscope.units import KiB, MiB


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    maker = Maker(tmp_path_factory.mktemp("tlb"))
    add_tlb(maker)
    return maker.save("tlb")


@pytest.fixture(scope="module")
def content(run: Run) -> Content:
    return gather(run)


@pytest.fixture(scope="module")
def none(tmp_path_factory: pytest.TempPathFactory) -> Content:
    maker = Maker(tmp_path_factory.mktemp("none"))
    add_tlb(maker, NONE, COARSE)
    return gather(maker.save("tlb"))


def test_a_row_for_each_number_of_pages_with_what_translation_adds(run: Run) -> None:
    rows = tables["tlb"].flat(run)
    assert [row["touched"] for row in rows] == sorted({*COARSE, *FINE})
    for row in rows:
        lines = int(row["touched"] or 0)
        assert row["latency_s"] == pytest.approx(TWO.time_s(lines), rel=0.02)
        assert row["control_s"] == pytest.approx(control_s(lines), rel=0.02)
        assert row["extra_s"] == pytest.approx(TWO.extra_s(lines), abs=0.3e-9)
        low, extra, high = (float(row[key] or 0) for key in ("extra_low", "extra_s", "extra_high"))
        assert low <= extra <= high


def test_levels_have_entries_reach_and_what_they_add(run: Run) -> None:
    first, second, beyond = tables["tlb_levels"].flat(run)
    assert (first["level"], first["entries_round"], second["level"], beyond["level"]) == ("1", 96, "2", "beyond")
    for row, entries in ((first, 96), (second, 2048)):
        assert float(row["entries_low"] or 0) <= entries <= float(row["entries_high"] or 0)
        assert row["reach_bytes"] == int(float(row["entries"] or 0) * 4 * KiB)
    assert first["extra_s"] == 0
    assert second["extra_s"] == pytest.approx(2.3e-9, rel=0.1)
    assert beyond["extra_s"] == pytest.approx(15e-9, rel=0.1)
    assert (beyond["entries"], beyond["reach_bytes"]) == (None, None)


def test_sentences_name_levels_and_the_walk(content: Content) -> None:
    said = {one.name: one.text for one in content.insights}
    assert said.keys() == {"tlb_entries 1 4KiB", "tlb_entries 2 4KiB", "tlb_walk 4KiB"}
    assert "consistent with 96" in said["tlb_entries 1 4KiB"]
    assert "a hit there adds" not in said["tlb_entries 1 4KiB"]
    assert "a hit there adds 2.3" in said["tlb_entries 2 4KiB"]
    assert "a page walk" in said["tlb_walk 4KiB"]


def test_pages_that_are_translated_in_parts_reach_what_their_parts_do(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_tlb(maker, pages="thp", large_bytes=2 * MiB)
    found = gather(maker.save("tlb"))
    said = {one.name: one.text for one in found.insights}
    assert "2 MiB pages are translated in parts of 4 KiB" in said["tlb_parts 2MiB"]
    assert "consistent with 96), reach 398 KiB" in said["tlb_entries 1 2MiB"]
    assert "parts of 4 KiB of 2 MiB pages" in said["tlb_entries 1 2MiB"]
    levels = found.rows("tlb_levels")
    assert {(row["page_bytes"], row["part_bytes"]) for row in levels} == {(2 * MiB, 4 * KiB)}
    assert levels[0]["reach_bytes"] == int(float(levels[0]["entries"] or 0) * 4 * KiB)
    assert found.drawings[0].spec["data"]["values"][0]["pages"] == "2 MiB in 4 KiB"
    assert lines_of(found, "tlb_levels")[2].split()[:4] == ["2M", "in", "4K", "1"]


def test_parts_that_the_curve_does_not_show_are_not_known(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_tlb(maker, NONE, COARSE, pages="thp", large_bytes=2 * MiB)
    (one,) = gather(maker.save("tlb")).insights
    assert one.name == "tlb_none 2MiB"
    assert "unknown, because a first look showed entries of 4 KiB" in one.text
    assert one.conclusive is False


def test_no_level_is_an_answer(none: Content) -> None:
    (one,) = none.insights
    assert one.name == "tlb_none 4KiB"
    assert one.value == 0
    assert "up to 16384 4 KiB pages" in one.text
    assert "tlb_levels" not in none.sections


def test_a_level_smaller_than_all_that_was_touched_is_reported_as_a_bound(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_tlb(maker, MadeTlb(((4, 4), (256, 4)), (4e-9, 20e-9)), [n for n in COARSE if n >= 8])
    found = gather(maker.save("tlb"))
    assert "level 1: fewer than 8 4 KiB pages" in found.insights[0].text
    assert found.rows("tlb_levels")[0]["entries_low"] == 0
    assert "<8" in lines_of(found, "tlb_levels")[2].split()
    (nearest,) = found.drawings[0].spec["layer"][0]["data"]["values"]
    assert nearest == {"from": 8, "at": 8, "to": 8}  # 0 has no place on a logarithmic axis


def test_a_step_where_the_lines_leave_a_cache_is_reported_as_a_doubt(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_tlb(maker, MadeTlb(((96, 6), (768, 12)), (4e-9, 7e-9)))  # both ends at 768 lines
    found = gather(maker.save("tlb"))
    said = {one.name: one.text for one in found.insights}
    assert said.keys() == {"tlb_entries 1 4KiB", "tlb_doubt 2 4KiB", "tlb_walk 4KiB"}
    assert "page walks took that time before" in said["tlb_doubt 2 4KiB"]
    assert [row["certain"] for row in found.rows("tlb_levels")] == [True, False, None]
    assert lines_of(found, "tlb_levels")[3].split()[2:4] == ["2", "?"]


def test_a_number_of_pages_without_its_control_has_no_row(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_tlb(maker, touched=(8, 16))
    maker.records.pop()
    assert [row.touched for row in tables["tlb"].rows(maker.save("tlb"))] == [8]


def test_the_figure_has_points_and_a_rule_for_each_level(content: Content, none: Content) -> None:
    (drawing,) = content.drawings
    assert len(drawing.spec["data"]["values"]) == len({*COARSE, *FINE})
    assert [layer["mark"]["type"] for layer in drawing.spec["layer"][:4]] == ["rect", "rule"] * 2
    assert "rect" not in [layer["mark"]["type"] for layer in none.drawings[0].spec["layer"]]


def lines_of(content: Content, table: str) -> list[str]:
    console = Console(width=80)
    with console.capture() as said:
        for part in form(table)(content.sections[table], console):
            console.print(part)
    return said.get().splitlines()


def test_the_terminal_has_a_line_for_each_level_within_80_columns(content: Content) -> None:
    lines = lines_of(content, "tlb_levels")
    assert max(map(len, lines)) <= 80
    assert [line.split()[2] for line in lines[2:]] == ["1", "2", "beyond"]
    assert "96" in lines[2].split()
    assert max(map(len, lines_of(content, "tlb"))) <= 80


def test_rows_are_of_one_page_size_after_the_other(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_tlb(maker, touched=(8, 16), pages="thp")
    add_tlb(maker, touched=(8,), pages="4k")
    rows = tables["tlb"].rows(maker.save("tlb"))
    assert [row.page_bytes for row in rows] == [4 * KiB, 2048 * KiB, 2048 * KiB]
