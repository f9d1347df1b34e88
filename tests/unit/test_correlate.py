"""Correlations against another library and known truth; the command on a made run with counters."""

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest

from made import Maker, add_latency
from said import refused, say
from tierscope.compare.correlated import correlated
from tierscope.compare.correlated_text import figure
from tierscope.compare.crossed import TIME, crossed
from tierscope.compare.crossed_text import figure as crossed_figure
from tierscope.errors import Exit
from tierscope.record.result import Run
from tierscope.stats.correlation import FEWEST, Correlation
from tierscope.units import KiB

COVERED = 0.9  # of 400 draws, of an interval of 95 %


@pytest.mark.parametrize("ties", [False, True])
def test_both_kinds_are_those_of_scipy(ties: bool) -> None:
    import scipy.stats  # slow to load, and each worker collects this file

    rng = np.random.default_rng(1995)
    for points in (5, 6, 40):
        x = rng.normal(size=points)
        y = x + rng.normal(size=points)
        if ties:
            x, y = np.round(x), np.round(y)
        if np.ptp(x) == 0 or np.ptp(y) == 0:
            continue
        linear, rank = Correlation.linear(x, y), Correlation.rank(x, y)
        assert linear is not None
        assert rank is not None
        assert linear.middle == pytest.approx(scipy.stats.pearsonr(x, y).statistic)
        assert rank.middle == pytest.approx(scipy.stats.spearmanr(x, y).statistic)
        assert -1 <= linear.low <= linear.middle <= linear.high <= 1


def test_the_interval_contains_the_truth() -> None:
    rng, truth = np.random.default_rng(7), 0.6
    held = 0
    for _ in range(400):
        x = rng.normal(size=20)
        y = truth * x + np.sqrt(1 - truth**2) * rng.normal(size=20)
        found = Correlation.linear(x, y)
        assert found is not None
        held += found.low <= truth <= found.high
    assert held > COVERED * 400


def test_a_curve_is_full_in_rank_and_less_in_value() -> None:
    x = np.arange(1.0, 20.0)
    linear, rank = Correlation.linear(x, np.exp(x)), Correlation.rank(x, np.exp(x))
    assert linear is not None
    assert rank is not None
    assert rank.middle == pytest.approx(1)
    assert linear.high < 0.9


def test_ranks_that_agree_fully_are_not_more_certain_than_their_step() -> None:
    few, many = (Correlation.rank(np.arange(float(n)), np.arange(float(n))) for n in (5, 100))
    assert few is not None
    assert many is not None
    assert few.middle == few.high == pytest.approx(1)
    assert few.low < 0.5
    assert 0.99 < many.low < 1


def test_too_few_points_or_a_constant_have_none() -> None:
    few, many = np.arange(FEWEST - 1.0), np.arange(FEWEST + 0.0)
    assert Correlation.linear(few, few) is None
    assert Correlation.rank(many, np.ones(many.size)) is None


def counted(directory: Path, points: int) -> Run:
    """A latency run whose misses are the share of lines over 48 KiB, and whose walks never change."""
    maker = Maker(directory)
    add_latency(maker, tuple(int(16 * KiB * 2**n) for n in range(points)))
    for number, record in enumerate(maker.records):
        blocks = 61 * 1e5
        footprint = record.experiment.groups[0].workload.footprint_bytes
        counters = {"L1d.load_misses": int(blocks * max(0.0, 1 - 48 * KiB / footprint)), "walks": 0}
        maker.records[number] = msgspec.structs.replace(record, counters=counters)
    return maker.save("latency")


def test_events_that_follow_time_are_reported_and_constant_ones_left_out(tmp_path: Path) -> None:
    (found,) = correlated(counted(tmp_path, 8))
    assert (found.sweep, found.counter) == ("latency chase", "L1d.load_misses")
    assert found.rank.middle > 0.8
    cells = figure([found], "real")["hconcat"][0]["data"]["values"]
    assert [cell["kind"] for cell in cells] == ["linear", "rank"]


def test_the_command_prints_rows_json_and_a_map(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run = counted(tmp_path / "run", 8)
    status, out, _ = say(capfd, "correlate", str(run.path), "--figure", str(tmp_path / "map.svg"))
    assert status == Exit.GOOD
    assert "L1d.load_misses" in out
    assert (tmp_path / "map.svg").read_text().startswith("<svg")
    status, out, _ = say(capfd, "correlate", str(run.path), "--json")
    (row,) = json.loads(out)
    assert row["rank_low"] <= row["rank"] <= row["rank_high"]


def test_a_run_without_counters_is_refused_with_what_to_try(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    maker = Maker(tmp_path)
    add_latency(maker, (16 * KiB, 64 * KiB))
    status, line = refused(capfd, "correlate", str(maker.save("latency").path))
    assert status == Exit.USAGE
    assert "counters at 0 points" in line
    assert "target=sim:ddr5" in line


def twice_counted(directory: Path) -> Run:
    """The same run with a counter that is three times another, and one that falls where it rises."""
    run = counted(directory, 8)
    records = tuple(
        msgspec.structs.replace(
            record,
            counters=record.counters
            | {
                "L2.loads": 3 * record.counters["L1d.load_misses"],
                "L1d.hits": int(run.blocks(record)["operations"].sum()) - record.counters["L1d.load_misses"],
            },
        )
        for record in run.result.records
    )
    return msgspec.structs.replace(run, result=msgspec.structs.replace(run.result, records=records))


def test_counters_are_correlated_with_each_other_and_with_time(tmp_path: Path) -> None:
    found = crossed(twice_counted(tmp_path))
    told = {frozenset((one.counter, one.other)): one.linear.middle for one in found}
    assert told[frozenset(("L1d.load_misses", "L2.loads"))] == pytest.approx(1)
    assert told[frozenset(("L1d.load_misses", "L1d.hits"))] == pytest.approx(-1)
    assert told[frozenset((TIME, "L2.loads"))] == pytest.approx(told[frozenset((TIME, "L1d.load_misses"))])
    assert not any("walks" in pair for pair in told)  # it never changes
    assert len(found) == len(told) == 4 * 3 / 2
    (square,) = crossed_figure(found, "real")["vconcat"]
    assert len(square["data"]["values"]) == 4 * 3


def test_the_command_prints_the_matrix(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run = counted(tmp_path / "run", 8)
    status, out, _ = say(capfd, "correlate", str(run.path), "--counters", "--figure", str(tmp_path / "map.svg"))
    assert status == Exit.GOOD
    assert "2 L1d.load_misses" in out
    status, out, _ = say(capfd, "correlate", str(run.path), "--counters", "--json")
    (row,) = json.loads(out)
    assert (row["counter"], row["other"]) == (TIME, "L1d.load_misses")
