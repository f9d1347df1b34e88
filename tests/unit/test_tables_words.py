"""Statements only if the data support them: small runs made for one question each."""

from pathlib import Path

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from made import Maker, Teamwork, add_latency, made_facts, made_machine, one_group
from tierscope.record.result import BLOCK, Run
from tierscope.suites.latency.levels import latency_levels
from tierscope.tables import Flat, Insight, tables
from tierscope.units import GiB, KiB, MiB


def said(run: Run, table: str) -> dict[str, Insight]:
    return {insight.name: insight for insight in tables[table].insights(run, tables[table].rows(run))}


def add_kernel(maker: Maker, kernel: str, threads: int = 1, rate: float = 1e8, **facts: object) -> None:
    group = one_group(kernel, tuple(range(threads)), GiB)
    work = Teamwork((rate / threads,) * threads)
    maker.add("stream", {"kernel": kernel, "threads": threads}, (group,), (work,), facts=(made_facts(group, **facts),))


def add_chase(maker: Maker, latency: float, order: str = "global", pages: str = "thp", size: int = GiB) -> None:
    group = one_group("chase", (0,), size, pages)
    maker.add("latency", {"probe": "cycle", "order": order}, (group,), (Teamwork((1 / latency,)),))


def row_of(table: str, run: Run) -> Flat:
    (row,) = tables[table].flat(run)
    return row


@pytest.mark.parametrize("table", sorted(tables))
def test_a_run_without_records_has_no_rows_and_no_words(table: str, tmp_path: Path) -> None:
    run = Maker(tmp_path).save()
    assert tables[table].rows(run) == []
    assert tables[table].insights(run, []) == []


def test_an_unknown_peak_or_unknown_bus_bytes_give_no_share(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_kernel(maker, "read")
    assert said(maker.save(machine=made_machine(peak=None)), "stream") == {}
    strange = Maker(tmp_path / "strange")
    add_kernel(strange, "memcpy", bus_bytes_per_operation=None)
    run = strange.save()
    row = row_of("stream", run)
    assert (row["bus_bytes_per_s"], row["peak_share"]) == (None, None)
    assert said(run, "stream") == {}


def test_scaling_counts_conclusive_rows_only(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    for kernel, rates in (("read", (1e8, 1.8e8)), ("copy", (1e8, 1.0e8))):
        for threads, rate in enumerate(rates, start=1):
            add_kernel(maker, kernel, threads, rate)
    run = maker.save()
    rows = tables["stream"].rows(run)
    (scaling,) = (i for i in tables["stream"].insights(run, rows) if i.name == "scaling")
    assert scaling.value == pytest.approx((0.9 + 0.5) / 2, rel=0.02)
    assert (scaling.low, scaling.high) == (pytest.approx(0.5, rel=0.02), pytest.approx(0.9, rel=0.02))
    doubted = [replace(row, conclusive=row.kernel != "copy") for row in rows]
    (scaling,) = (i for i in tables["stream"].insights(run, doubted) if i.name == "scaling")
    assert scaling.value == pytest.approx(0.9, rel=0.02)


def test_one_thread_count_shows_nothing_about_scaling(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_kernel(maker, "read", 2)
    assert "scaling" not in said(maker.save(), "stream")


def test_equal_forms_show_no_difference(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_kernel(maker, "copy")
    add_kernel(maker, "copy_nt")
    text = said(maker.save(), "stream")["non_temporal copy"].text
    assert "no difference shown" in text
    assert "plain store" not in text


@pytest.mark.parametrize(("ratio", "word"), [(0.5, "present"), (0.95, "absent"), (0.75, "undecided")])
def test_the_buddy_line(tmp_path: Path, ratio: float, word: str) -> None:
    maker = Maker(tmp_path)
    add_chase(maker, 230e-9)
    add_chase(maker, 230e-9 * ratio, order="pair")
    assert f"prefetch: {word};" in said(maker.save(), "latency")["adjacent_line_prefetch"].text


def test_orders_at_different_footprints_or_pages_are_not_compared(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_chase(maker, 230e-9)
    add_chase(maker, 100e-9, order="pair", size=512 * MiB)
    add_chase(maker, 100e-9, order="pair", pages="4k")
    assert said(maker.save(), "latency") == {}


def test_page_walks_that_cost_nothing_are_not_claimed(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_chase(maker, 230e-9)
    add_chase(maker, 230e-9, pages="4k")
    found = said(maker.save(), "latency")
    assert "no difference shown" in found["page_walk"].text
    low, high = found["page_walk"].low, found["page_walk"].high
    assert low is not None
    assert high is not None
    assert low < 0 < high


def test_levels_come_from_the_largest_pages_and_every_target_apart(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_latency(maker, tuple(4 * KiB << octave for octave in range(19)))
    rows = tables["latency"].rows(maker.save())
    both = rows + [replace(row, target="node:1") for row in rows if row.pages == "4k"]
    found = latency_levels(both)
    assert {target: one.pages for target, one in found.items()} == {"node:0": "thp", "node:1": "4k"}
    sizes = [row.footprint_bytes for row in found["node:0"].rows]
    assert sizes == sorted(sizes)
    assert found["node:0"].staircase.memory_from_bytes is not None
    assert latency_levels([]) == {}


def test_a_loaded_point_without_a_knee_names_none(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    for step in range(1, 7):  # latency does not move
        groups = (one_group("chase", (0,), GiB, role="chaser"), one_group("read", (1,), GiB, role="load"))
        work = (Teamwork((1 / 230e-9,)), Teamwork((step * 1e8,)))
        labels = {"read_share": 1.0, "store": "none", "delay_cycles": 1000 - step, "load_threads": 1}
        maker.add("loaded_latency", labels, groups, work)  # type: ignore[arg-type]
    found = said(maker.save(), "loaded_latency")
    assert list(found) == ["saturation 100 % reads", "model"]
    assert "idle" not in found["saturation 100 % reads"].text  # no idle point was measured


def test_the_chaser_may_be_second(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    groups = (one_group("read", (0,), GiB, role="load"), one_group("chase", (1,), GiB, role="chaser"))
    work = (Teamwork((3e8,)), Teamwork((1 / 300e-9,)))
    maker.add(
        "loaded_latency", {"read_share": 1.0, "store": "none", "delay_cycles": 0, "load_threads": 1}, groups, work
    )
    row = row_of("loaded_latency", maker.save())
    assert row["latency_s"] == pytest.approx(300e-9, rel=0.02)
    assert row["bandwidth_bytes_per_s"] == pytest.approx(3e8 * 64, rel=0.02)
    assert row["bus_bytes_per_s"] == pytest.approx(3e8 * 64 + 64 / 300e-9, rel=0.02)


def test_a_busy_machine_is_named_next_to_the_row(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    group = one_group("read", (0,), GiB)
    maker.add("stream", {"kernel": "read", "threads": 1}, (group,), (Teamwork((1e8,)),), count=60, preempted=0.6)
    row = row_of("stream", maker.save())
    assert row["conclusive"] is False
    assert "the machine is busy" in str(row["reasons"])
    assert float(row["left_out_share"] or 0) > 0.5


def test_a_record_without_a_common_moment_has_no_numbers_but_a_row(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    group = one_group("read", (0,), GiB)
    maker.add_blocks("stream", {"kernel": "read", "threads": 1}, (group,), np.zeros(0, dtype=BLOCK))
    run = maker.save()
    row = row_of("stream", run)
    assert row["bandwidth_bytes_per_s"] is None
    assert row["conclusive"] is False
    assert said(run, "stream") == {}


def test_the_origin_that_is_not_real_shows(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_kernel(maker, "read", origin="simulated")
    assert row_of("stream", maker.save())["origin"] == "simulated"


def test_a_target_without_pages_has_no_page_size(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_kernel(maker, "noop", pages={})
    assert row_of("stream", maker.save())["page_bytes"] is None


def test_insights_can_be_written_as_json(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_kernel(maker, "read")
    for insight in said(maker.save(), "stream").values():
        assert msgspec.json.decode(msgspec.json.encode(insight), type=Insight) == insight
