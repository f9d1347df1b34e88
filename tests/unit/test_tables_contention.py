"""Contention, the ratio of two targets and flutter: rows and insights against what was put in."""

from pathlib import Path

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

import made_contention as put_in
from made import BLOCK_S, HZ, Maker
from tierscope.compare.comparison import compare_runs
from tierscope.record.result import BLOCK, SIZING, Run, write_blocks
from tierscope.stats.median import median
from tierscope.suites.contention.labels import MODES, SHOWN
from tierscope.suites.contention.slowed import slowed_of
from tierscope.tables import Flat, Insight, tables
from tierscope.tables.measured import measured


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    maker = Maker(tmp_path_factory.mktemp("run"))
    put_in.add_contention(maker)
    return maker.save("contention")


def rows(run: Run, table: str) -> list[Flat]:
    return tables[table].flat(run)


def insights(run: Run, table: str) -> dict[str, Insight]:
    return {one.name: one for one in tables[table].insights(run, tables[table].rows(run))}


def row(run: Run, mode: str, a: int, b: int) -> Flat:
    wanted = (SHOWN[mode], a, b)
    (found,) = [r for r in rows(run, "contention") if (r["mode"], r["a_threads"], r["b_threads"]) == wanted]
    return found


@pytest.mark.parametrize("mode", put_in.PLACES)
@pytest.mark.parametrize(("a", "b"), put_in.SPLITS)
def test_each_group_moves_what_was_put_in_and_the_sum_is_of_both(run: Run, mode: str, a: int, b: int) -> None:
    found, wanted = row(run, mode, a, b), put_in.rates(mode, a, b)
    for name, rate in zip(("a_bandwidth", "b_bandwidth", "sum"), (*wanted, sum(wanted)), strict=True):
        assert found[f"{name}_bytes_per_s"] == pytest.approx(rate, rel=0.02)
        assert found[f"{name}_low"] <= found[f"{name}_bytes_per_s"] <= found[f"{name}_high"]
    assert (found["a_target"], found["b_source"], found["b_target"]) == ("node:0", *put_in.PLACES[mode])


def test_the_window_covers_nearly_all_blocks_of_both_groups(run: Run) -> None:
    assert all(found["coverage"] > 0.8 for found in rows(run, "contention"))
    assert insights(run, "contention")["coverage"].value == min(
        found["coverage"] for found in rows(run, "contention") if found["a_threads"] and found["b_threads"]
    )


def test_the_interval_of_the_sum_is_that_of_the_summed_series(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    put_in.add_split(maker, "nvm-nvm", 2, 2)
    run = maker.save("contention")
    record, (found,) = run.result.records[0], rows(run, "contention")
    point = measured(run, record)
    start = max(group.start for group in point.groups)
    wanted = median(point.together.rates[:, start:].sum(axis=0) * put_in.COPIED)
    assert (found["sum_low"], found["sum_bytes_per_s"], found["sum_high"]) == (wanted.low, wanted.middle, wanted.high)


def test_bandwidth_that_moves_between_groups_cancels_in_the_sum(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    put_in.add_split(maker, "nvm-nvm", 1, 1)
    swing = np.random.default_rng(5).normal(0, 0.1, 250)
    blocks = maker.records[0].blocks // 2
    seesaw = np.zeros(2 * blocks, dtype=BLOCK)
    for group, sign in ((0, 1), (1, -1)):
        mine = seesaw[group * blocks : (group + 1) * blocks]
        mine["group"], mine["start_ticks"] = group, round(HZ) + np.arange(blocks) * round(1e-3 * HZ)
        mine["stop_ticks"] = mine["start_ticks"] + round(1e-3 * HZ)
        mine["operations"][1:] = 1e6 * (1 + sign * swing)
        mine["flags"][0] = SIZING
    write_blocks(tmp_path / maker.records[0].samples, seesaw)
    (found,) = rows(maker.save("contention"), "contention")

    def width(name: str) -> float:
        return float((found[f"{name}_high"] - found[f"{name}_low"]) / found[f"{name}_bytes_per_s"])

    assert min(width("a_bandwidth"), width("b_bandwidth")) > 0.01
    assert width("sum") < 1e-5


def test_the_best_split_is_named_where_it_is_known(run: Run) -> None:
    told = insights(run, "contention")
    best = told["most_in_total b-b"]
    assert "A:B = 4:0" in best.text
    assert "no split moves significantly more than A alone" in best.text
    assert best.value == row(run, "nvm-nvm", 4, 0)["sum_bytes_per_s"]


def test_splits_that_cannot_be_distinguished_are_not_ranked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(put_in.B_SHARE, "nvm-nvm", 1.0)
    maker = Maker(tmp_path)
    for a, b in put_in.SPLITS:
        put_in.add_split(maker, "nvm-nvm", a, b)
    one = insights(maker.save("contention"), "contention")["most_in_total b-b"]
    assert one.value is None
    assert "no split" in one.text
    assert all(f"{a}:{b}" in one.text for a, b in put_in.SPLITS)


def test_a_split_that_beats_a_alone_states_by_how_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(put_in.B_SHARE, "nvm-nvm", 1.5)
    maker = Maker(tmp_path)
    for a, b in ((2, 0), (1, 1)):
        put_in.add_split(maker, "nvm-nvm", a, b)
    text = insights(maker.save("contention"), "contention")["most_in_total b-b"].text
    assert "A:B = 1:1" in text
    assert "1.25x" in text


def test_each_group_is_compared_with_the_same_threads_alone(run: Run) -> None:
    """A keeps its rate; two threads of B have 0.4 of that of A, and alone 0.52 of a's."""
    told = insights(run, "contention")
    one = told["slowed b-b"]
    assert one.value == pytest.approx(1.0, abs=0.02)
    assert one.text.startswith("A, 2 threads on node:0, is not slowed significantly")
    assert [number.value for number in one.others] == pytest.approx([0.52 / 0.4], rel=0.02)
    assert "B slows down 1.3" in one.text
    assert one.headline == (
        "B does not slow A significantly, A slows B 1.30x: A has 2 threads on node:0, B 2 threads on file:/b"
    )
    assert told["slowed b-a"].others == ()  # a copy between targets was measured with all threads alone
    assert "to node:0" in told["slowed b-a"].text


def test_a_group_that_loses_half_slows_down_twofold(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    for a, b in ((2, 0), (0, 2), (1, 1)):
        put_in.add_split(maker, "nvm-nvm", a, b)
    known = tables["contention"].rows(maker.save("contention"))
    half = [replace(one, a_bandwidth=one.a_bandwidth.times(0.5)) if one.a_threads and one.b_threads else one
            for one in known]  # fmt: skip
    alone = {1: known[0].a_bandwidth.times(0.5)}
    (one,) = slowed_of(half, alone, {})
    assert one.value == pytest.approx(2.0, rel=0.02)
    assert one.text.startswith("A, 1 thread on node:0, slows down 2.0")
    assert one.headline.startswith("B slows A 2.0")
    assert one.headline.endswith(": A has 1 thread on node:0, B 1 thread on file:/b")
    assert slowed_of([replace(one, conclusive=False) for one in half], alone, {}) == []
    assert slowed_of(half, {}, {}) == []  # nothing alone has as many threads


def test_an_inconclusive_split_is_never_named_best(run: Run) -> None:
    doubtful = [
        replace(one, conclusive=bool(one.b_threads), reasons=() if one.b_threads else ("busy",))
        for one in tables["contention"].rows(run)
    ]
    best = next(one for one in tables["contention"].insights(run, doubtful) if one.name == "most_in_total b-b")
    assert "A:B = 3:1" in best.text
    assert "1 of 5 splits are inconclusive" in best.text


def test_a_replaced_tier_is_marked(tmp_path: Path, run: Run) -> None:
    maker = Maker(tmp_path)
    for a, b in ((2, 0), (1, 1)):
        put_in.add_split(maker, "nvm-nvm", a, b, stand_in=True)
    mock = maker.save("contention")
    assert [one["stand_in"] for one in rows(mock, "contention")] == [True, True]
    assert "replaces a second tier" in insights(mock, "contention")["most_in_total b-b"].text
    assert not any("replaces a second tier" in one.text for one in insights(run, "contention").values())


@pytest.mark.parametrize(("threads", "ratio"), put_in.RATIO.items())
def test_the_ratio_of_two_targets_is_what_was_put_in(run: Run, threads: int, ratio: float) -> None:
    (found,) = [one for one in rows(run, "targets") if one["threads"] == threads]
    assert found["ratio"] == pytest.approx(ratio, rel=0.02)
    assert found["ratio_low"] <= found["ratio"] <= found["ratio_high"]
    assert found["a_bandwidth_bytes_per_s"] == pytest.approx(put_in.a_rate(threads), rel=0.02)
    assert (found["a_target"], found["b_target"]) == ("node:0", "file:/b")


def test_the_ratio_is_reported_for_one_thread_and_for_all(run: Run) -> None:
    told = insights(run, "targets")
    assert set(told) == {"target_ratio 1", "target_ratio 4"}
    assert told["target_ratio 4"].value == pytest.approx(0.75, rel=0.02)


def test_a_thread_count_that_was_measured_on_one_target_only_has_no_row(run: Run) -> None:
    cut = msgspec.structs.replace(run, result=msgspec.structs.replace(run.result, records=run.result.records[:3]))
    assert [one["threads"] for one in rows(cut, "targets")] == [1]


def test_doubt_about_either_target_is_doubt_about_the_ratio(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    put_in.add_targets(maker)
    hard = msgspec.structs.replace(maker.records[1].experiment.schedule, precision=1e-5)
    experiment = msgspec.structs.replace(maker.records[1].experiment, schedule=hard)
    maker.records[1] = msgspec.structs.replace(maker.records[1], experiment=experiment)
    first, second, _ = rows(maker.save("contention"), "targets")
    assert (first["conclusive"], second["conclusive"]) == (False, True)
    assert str(first["reasons"]).startswith("b: ")


def test_the_thread_that_flutters_is_found_with_its_dips_and_their_period(run: Run) -> None:
    fluttering = [one for one in rows(run, "threads") if one["flutters"]]
    (one,) = fluttering
    assert (one["mode"], one["a_threads"], one["group"], one["thread"], one["cpu"]) == ("b-b", 2, "B", 0, 2)
    assert one["dip_depth"] == pytest.approx(put_in.DEEP, rel=0.05)
    assert one["dip_share"] == pytest.approx(put_in.LONG / put_in.EVERY, rel=0.2)
    period = (put_in.EVERY - put_in.LONG + put_in.LONG / put_in.DEEP) * BLOCK_S
    assert one["dip_period_s"] == pytest.approx(period, rel=0.05)
    text = insights(run, "threads")["flutter"].text
    assert f"1 of {len(rows(run, 'threads'))} threads flutter" in text
    assert "B on CPU 2 in b-b 2:2" in text


def test_every_thread_of_every_split_has_a_row_with_its_own_rate(run: Run) -> None:
    found = rows(run, "threads")
    assert len(found) == 4 * len(put_in.SPLITS) * len(put_in.PLACES)
    for one in found:
        share = 1.0 if one["group"] == "A" else put_in.B_SHARE[MODES[str(one["mode"])]]
        assert one["bandwidth_bytes_per_s"] == pytest.approx(put_in.A_RATE * share, rel=0.02)


def test_even_threads_vary_by_the_noise_put_in(run: Run) -> None:
    quiet = [one for one in rows(run, "threads") if not one["flutters"]]
    assert np.median([one["variation"] for one in quiet]) == pytest.approx(0.01, rel=0.3)
    assert all(one["dip_period_s"] is None for one in quiet)


def test_two_runs_compare_split_by_split(run: Run) -> None:
    found = compare_runs(run, run, 0.02)
    assert {one["table"] for one in found} == {"contention", "targets"}
    assert len(found) == len(rows(run, "contention")) + len(rows(run, "targets"))
    assert all(one["ratio"] == pytest.approx(1.0) for one in found)


@pytest.mark.parametrize("table", ["contention", "targets", "threads"])
def test_every_row_has_exactly_the_columns_of_its_table(run: Run, table: str) -> None:
    names = {column.name for column in tables[table].columns}
    assert rows(run, table)
    assert all(set(one) == names for one in rows(run, table))


@pytest.mark.parametrize("table", ["contention", "targets", "threads"])
def test_a_run_without_contention_has_no_row_and_no_insight(run: Run, table: str) -> None:
    bare = msgspec.structs.replace(run, result=msgspec.structs.replace(run.result, records=()))
    assert rows(bare, table) == []
    assert tables[table].insights(bare, []) == []


def test_the_model_predicts_the_split_that_it_was_not_given(run: Run) -> None:
    """Each thread of the made run is as fast as alone: 2:2 follows from 3:1 and 1:3."""
    for mode in put_in.PLACES:
        found = row(run, mode, 2, 2)
        for side, rate in zip("ab", put_in.rates(mode, 2, 2), strict=True):
            assert found[f"{side}_model_bytes_per_s"] == pytest.approx(rate, rel=0.1)
            assert found[f"{side}_model_low"] <= found[f"{side}_model_bytes_per_s"] <= found[f"{side}_model_high"]
        assert row(run, mode, 3, 1)["a_model_bytes_per_s"] is None
        told = insights(run, "contention")[f"model {SHOWN[mode]}"]
        assert told.value is not None
        assert told.value < 0.1
        assert "at splits that it was not given" in told.text


def test_the_model_of_one_split_knows_both_ends(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    put_in.add_targets(maker)
    for a, b in ((2, 0), (1, 1), (0, 2)):
        put_in.add_split(maker, "nvm-nvm", a, b)
    found = row(maker.save("contention"), "nvm-nvm", 1, 1)
    first, second = put_in.rates("nvm-nvm", 1, 1)
    assert found["b_model_bytes_per_s"] == pytest.approx(second, rel=0.05)
    assert found["a_model_low"] <= first * 1.02
    assert found["a_model_high"] >= first * 0.98


def test_without_an_end_and_without_splits_the_model_is_silent(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    for a, b in ((2, 0), (1, 1)):
        put_in.add_split(maker, "nvm-nvm", a, b)
    run = maker.save("contention")
    assert row(run, "nvm-nvm", 1, 1)["a_model_bytes_per_s"] is None
    assert not [name for name in insights(run, "contention") if name.startswith("model")]
