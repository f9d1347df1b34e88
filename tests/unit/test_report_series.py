"""Blocks over time: what thinning keeps, and which experiments are chosen."""

import re
from pathlib import Path

import numpy as np
import pytest

from made import HZ, Maker, Teamwork, made_blocks, one_group
from reported import small_run
from tierscope.draw import figures
from tierscope.record import result as results
from tierscope.record.result import Blocks, Record, Run
from tierscope.report import picture
from tierscope.report.content import gather
from tierscope.report.standalone import standalone
from tierscope.suites.series import points as series
from tierscope.tables import Flat, tables
from tierscope.units import GiB


def shaken(count: int = 4000) -> Blocks:
    """One thread with one very slow and one very fast clean block, and one preempted block that is slower still."""
    blocks = made_blocks((Teamwork((1e8,)),), seed=7, count=count, preempted=0.0)
    for place, factor in ((1000, 4.0), (2000, 0.5), (3000, 20.0)):
        length = blocks["stop_ticks"][place] - blocks["start_ticks"][place]
        blocks["stop_ticks"][place] = blocks["start_ticks"][place] + np.uint64(int(length * factor))
    blocks["flags"][3000] = results.PREEMPTED
    return blocks


def only(directory: Path, blocks: Blocks, cpus: tuple[int, ...] = (0,)) -> tuple[Run, Record]:
    maker = Maker(directory)
    record = maker.add_blocks(
        "stream", {"kernel": "read", "threads": len(cpus)}, (one_group("read", cpus, GiB),), blocks
    )
    return maker.save(), record


def shares(blocks: Blocks) -> np.ndarray:
    rate = blocks["operations"] * HZ / (blocks["stop_ticks"] - blocks["start_ticks"])
    timed = (blocks["flags"] & results.SIZING) == 0
    return rate[timed] / np.median(rate[timed & (blocks["flags"] == 0)])


def test_thinning_keeps_the_slowest_and_the_fastest_clean_block(tmp_path: Path) -> None:
    blocks = shaken()
    run, record = only(tmp_path, blocks)
    kept = [row for row in series.series_rows(run, [record]) if row["kind"] == "kept"]
    clean = shares(blocks[blocks["flags"] != results.PREEMPTED])
    assert len(kept) <= series.POINTS
    assert sum(row["blocks"] for row in kept) == 3999
    assert min(row["rate_low"] for row in kept) == pytest.approx(clean.min(), abs=1e-4)
    assert max(row["rate_high"] for row in kept) == pytest.approx(clean.max(), abs=1e-4)


def test_a_block_that_is_left_out_stays_as_a_point_with_its_reason(tmp_path: Path) -> None:
    blocks = shaken()
    run, record = only(tmp_path, blocks)
    (point,) = [row for row in series.series_rows(run, [record]) if row["kind"] == "preempted"]
    assert point["rate"] == pytest.approx(shares(blocks).min(), abs=1e-4)
    assert point["blocks"] == 1


@pytest.mark.parametrize(("flag", "reason"), series.REASONS.items())
def test_every_flag_has_a_reason(tmp_path: Path, flag: int, reason: str) -> None:
    blocks = made_blocks((Teamwork((1e8,)),), seed=3, count=60, preempted=0.0)
    blocks["flags"][10] = flag
    run, record = only(tmp_path, blocks)
    assert reason in {row["kind"] for row in series.series_rows(run, [record])}


def test_every_block_left_out_is_still_shown(tmp_path: Path) -> None:
    blocks = made_blocks((Teamwork((1e8,)),), seed=3, count=60, preempted=0.0)
    blocks["flags"][1:] = results.STOLEN
    run, record = only(tmp_path, blocks)
    kinds = [row["kind"] for row in series.series_rows(run, [record])]
    assert set(kinds) == {"stolen by the host"}
    assert len(kinds) == 60


def test_the_slowest_and_the_fastest_of_many_threads_stay(tmp_path: Path) -> None:
    rates = tuple(1e8 * (1 + 0.05 * ((7 * n) % 20)) for n in range(20))  # every rate once, shuffled
    blocks = made_blocks((Teamwork(rates, noise=0.001),), seed=3, count=40, preempted=0.0)
    run, record = only(tmp_path, blocks, tuple(range(20)))
    rows = series.series_rows(run, [record])
    ranked = np.argsort(rates)
    wanted = {f"read on CPU {cpu}" for cpu in [*ranked[:6], *ranked[-6:]]}
    assert {row["thread"] for row in rows if row["kind"] == "kept"} == wanted


def test_the_window_is_where_all_threads_worked_after_the_warm_up(tmp_path: Path) -> None:
    blocks = made_blocks((Teamwork((1e8, 1e8), noise=0.002, warm_up=20),), seed=4, count=200, preempted=0.0)
    run, record = only(tmp_path, blocks, (0, 1))
    (window,) = [row for row in series.series_rows(run, [record]) if row["kind"] == "window"]
    ends = [blocks["stop_ticks"][blocks["thread"] == thread].max() for thread in (0, 1)]
    assert window["until_s"] == pytest.approx((min(ends) - blocks["start_ticks"].min()) / HZ, abs=1e-5)
    assert 0.04 <= window["time_s"] < 0.06  # 20 blocks of 1 ms at half the rate take 40 ms


def test_the_fastest_the_most_disturbed_and_the_inconclusive_are_chosen(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    rows = {name: tables[name].flat(run) for name in tables}
    stream = [record for record in run.result.records if record.experiment.table == "stream"]
    assert len(stream) == len(rows["stream"]) == 6
    for row in rows["stream"]:
        row.update(left_out_share=0.0, conclusive=True, bandwidth_bytes_per_s=1.0)
    rows["stream"][1]["bandwidth_bytes_per_s"] = 2.0
    rows["stream"][3]["left_out_share"] = 0.5
    rows["stream"][4]["conclusive"] = False
    chosen = {record.number for record in series.choose(run, {"stream": rows["stream"]})}
    groups = next(record for record in run.result.records if record.experiment.table == "groups")
    assert chosen == {groups.number, stream[1].number, stream[3].number, stream[4].number}


def test_no_more_experiments_are_chosen_than_fit(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    rows = {name: tables[name].flat(run) for name in tables}
    assert 4 <= len(series.choose(run, rows)) <= series.EXPERIMENTS


def test_the_page_states_that_it_is_thinned(tmp_path: Path) -> None:
    drawing = next(d for d in gather(small_run(tmp_path)).drawings if d.figure.name == "timeline")
    assert "Thinned" in drawing.spec["usermeta"]["tierscope"]["notes"][0]


def test_a_run_without_a_disturbed_block_is_drawn_with_a_finite_size(tmp_path: Path) -> None:
    blocks = made_blocks((Teamwork((1e8,)),), seed=7, count=400, preempted=0.0)
    length = (blocks["stop_ticks"] - blocks["start_ticks"]).max()
    blocks["stop_ticks"] = blocks["start_ticks"] + length  # all rates alike, as on a simulated machine
    blocks["operations"] = blocks["operations"].max()
    run, _ = only(tmp_path, blocks)
    (drawing,) = [one for one in gather(run).drawings if one.figure.name == "timeline"]
    drawn = picture.svg(standalone(drawing.spec))
    assert "Infinity" not in drawn
    assert "NaN" not in drawn
    assert "rate / median of the group" in drawn


@pytest.mark.parametrize("left_out", [False, True])
def test_a_timeline_of_clean_blocks_has_a_finite_size(left_out: bool, tmp_path: Path) -> None:
    """The experiment that is shown first has no block left out; another one may have."""
    run = small_run(tmp_path)
    shared: Flat = {"thread": "triad on CPU 0", "until_s": None, "blocks": 1}
    rows: list[Flat] = [
        {"experiment": number, "what": f"#{number}", "kind": "kept", "time_s": at, **shared}
        | dict.fromkeys(("rate", "rate_low", "rate_high"), 1 + at)
        for number in (1, 2)
        for at in (0.1, 0.2, 0.3)
    ]
    if left_out:
        rows[-1]["kind"] = "preempted"
    spec = figures["timeline"].draw(run, rows, [])
    assert spec is not None
    width, height = re.findall(r'(?:width|height)="([0-9.e+]+|Infinity)"', picture.svg(standalone(spec)))[:2]
    assert (float(width) < 2000, float(height) < 2000) == (True, True)
