"""Every table on a whole made run: rows are flat, complete, in base units, and close to what was put in."""

import json
import math
from pathlib import Path
from typing import Any

import msgspec
import pytest

from made import (
    DELAYS,
    FOOTPRINTS,
    KERNELS,
    MEMORY_S,
    MIXES,
    PLAINEST,
    SCALING,
    WALK,
    Maker,
    Teamwork,
    made_latency_s,
    made_load,
    one_group,
)
from made_documents import document_run
from made_probed import probed_run
from made_quick import made_run
from made_storage import storage_run
from made_suites import MADE, asked_run
from made_suites import made_run as fake_run
from tierscope.errors import ResultError
from tierscope.imports import read
from tierscope.plans import suites
from tierscope.record import result as results
from tierscope.record.result import Result, Run
from tierscope.tables import Flat, Insight, flat, tables
from tierscope.tables import measured as measuring
from tierscope.tables.measured import judged, measured, remember
from tierscope.units import GiB

ASKED = (
    ("loaded-latency", "tail=0", "mixes=read", "delays=0", "array=64MiB", "budget=0.2"),
    ("core-to-core", "state=clean,modified", "cpus=0,1"),
)
"""Options without which a suite leaves a table out."""

UNITS = {"B/s", "B", "s", "1/s", "1", ""}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return made_run(tmp_path_factory.mktemp("made"))


@pytest.fixture(scope="module")
def probed(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return probed_run(tmp_path_factory.mktemp("probed"))


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return storage_run(tmp_path_factory.mktemp("stored"), "size=64MiB", "blocks=4KiB", "orders=random")


@pytest.fixture(scope="module")
def typed(run: Run, probed: Run, stored: Run, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """The rows of the quick run, or of another if it has none; imported rows are those of STREAM's text.

    A suite without a made run has one on the fake core.
    """
    own = ("background", "cxl", "core", "counters-audit", "sharing", "check", "response")
    others = [
        fake_run(name, tmp_path_factory.mktemp(name) / "run") for name in suites if name not in MADE or name in own
    ]
    others += [asked_run(tmp_path_factory.mktemp(words[0]) / "run", *words) for words in ASKED]
    others.append(fake_run("prediction", tmp_path_factory.mktemp("prediction")))
    runs = (run, probed, stored, document_run(tmp_path_factory.mktemp("document")), *others)
    found = {name: next((rows for one in runs if (rows := tables[name].rows(one))), []) for name in tables}
    _, stream = read(Path(__file__).parents[1] / "data/imports/stream.txt")
    result = msgspec.structs.replace(run.result, readings=stream.readings)
    return {**found, "imported": tables["imported"].rows(msgspec.structs.replace(run, result=result))}


@pytest.fixture(scope="module")
def rows(typed: dict[str, list[Any]]) -> dict[str, list[Flat]]:
    """The same, flat."""
    return {name: [flat(row) for row in found] for name, found in typed.items()}


def insights(run: Run, typed: dict[str, list[Any]], table: str) -> dict[str, Insight]:
    return {insight.name: insight for insight in tables[table].insights(run, typed[table])}


def near(value: object, truth: float, within: float = 0.02) -> bool:
    assert isinstance(value, float)
    return value == pytest.approx(truth, rel=within)


def test_the_five_tables_are_there() -> None:
    assert set(tables) >= {"calibration", "groups", "latency", "loaded_latency", "stream"}


@pytest.mark.parametrize("name", sorted(tables))
def test_every_row_has_every_column_in_order_and_survives_json(name: str, rows: dict[str, list[Flat]]) -> None:
    columns = tables[name].columns
    assert len({column.name for column in columns}) == len(columns)
    assert {column.unit for column in columns} <= UNITS
    assert rows[name]
    for row in rows[name]:
        assert list(row) == [column.name for column in columns]
        assert json.loads(json.dumps(row, allow_nan=False)) == row


@pytest.mark.parametrize("name", sorted(tables))
def test_bounds_contain_the_middle(name: str, rows: dict[str, list[Flat]]) -> None:
    for row in rows[name]:
        for what, unit in (("bandwidth", "bytes_per_s"), ("latency", "s")):
            low, middle, high = (row.get(f"{what}_{end}") for end in ("low", unit, "high"))
            if middle is not None and f"{what}_low" in row:
                assert isinstance(low, float)
                assert isinstance(high, float)
                assert low <= middle <= high


@pytest.mark.parametrize("name", sorted(tables))
def test_insights_are_sentences_with_finite_numbers(
    name: str, run: Run, probed: Run, typed: dict[str, list[Any]]
) -> None:
    found = tables[name].insights(run if tables[name].rows(run) else probed, typed[name])
    assert len({insight.name for insight in found}) == len(found)
    for insight in found:
        assert insight.text
        assert insight.unit in UNITS
        numbers = [value for value in (insight.low, insight.value, insight.high) if value is not None]
        assert all(math.isfinite(value) for value in numbers)
        assert numbers == sorted(numbers)


def test_stream_finds_the_rates_put_in(rows: dict[str, list[Flat]]) -> None:
    assert len(rows["stream"]) == len(KERNELS) * len(SCALING)
    for row in rows["stream"]:
        _, program, bus, store, rate = KERNELS[str(row["kernel"])]
        truth = rate * SCALING[int(row["threads"] or 0)]
        assert near(row["bandwidth_bytes_per_s"], truth)
        assert near(row["bus_bytes_per_s"], truth * bus / program)
        assert near(row["peak_share"], truth * bus / program / 307.2e9)
        assert row["store"] == store
        assert row["conclusive"] is True
        assert row["worst_bytes_per_s"] <= row["average_bytes_per_s"] <= row["best_bytes_per_s"]  # type: ignore[operator]


def test_stream_reports_share_of_peak_scaling_and_the_cost_of_plain_stores(
    run: Run, typed: dict[str, list[Any]]
) -> None:
    found = insights(run, typed, "stream")
    assert "copy_nt" in found["peak_share"].text
    assert near(found["peak_share"].value, 28.1e9 * 1.9 / 307.2e9)
    assert near(found["scaling"].value, 0.95)
    for kernel in ("write", "copy", "triad"):
        assert near(found[f"non_temporal {kernel}"].value, KERNELS[f"{kernel}_nt"][4] / KERNELS[kernel][4])
        assert "faster" in found[f"non_temporal {kernel}"].text
    assert "non_temporal read" not in found


def scaled(folder: Path, most: float) -> Run:
    """Reads of 1 to 8 threads, 10 GB/s each, up to a roof in bytes/s."""
    maker = Maker(folder)
    for threads in (1, 2, 4, 6, 8):
        each = min(10e9, most / threads) / 64
        group, work = one_group("read", tuple(range(threads)), 1 * GiB), Teamwork((each,) * threads, noise=0.002)
        maker.add("stream", {"kernel": "read", "threads": threads}, (group,), (work,), preempted=0.0)
    return maker.save()


def test_stream_reports_where_more_threads_do_not_help(tmp_path: Path) -> None:
    run = scaled(tmp_path / "flat", 35e9)
    (roof,) = [one for one in tables["stream"].insights(run, tables["stream"].rows(run)) if one.name == "roof"]
    assert near(roof.value, 3.5, 0.05)
    assert (roof.low, roof.high) == (2, 4)
    steep = scaled(tmp_path / "steep", 1e12)
    found = tables["stream"].rows(steep)
    assert sum(row.conclusive for row in found) >= 3
    assert "roof" not in {one.name for one in tables["stream"].insights(steep, found)}


def test_a_last_point_below_the_slope_is_not_a_roof(tmp_path: Path) -> None:
    run = scaled(tmp_path / "last", 72e9)  # 8 threads reach 90 % of 8x one thread
    rows = tables["stream"].rows(run)
    assert all(row.conclusive for row in rows)
    assert "roof" not in {one.name for one in tables["stream"].insights(run, rows)}


def streams(folder: Path, ratios: dict[str, float]) -> Insight:
    """Return what is found of kernels whose second thread adds this share of the first one."""
    maker = Maker(folder)
    for kernel, ratio in ratios.items():
        for threads, each in ((1, 1e8), (2, 1e8 * ratio)):
            group, work = one_group(kernel, tuple(range(threads)), 1 * GiB), Teamwork((each,) * threads, noise=0.002)
            maker.add("stream", {"kernel": kernel, "threads": threads}, (group,), (work,))
    run = maker.save()
    return next(one for one in tables["stream"].insights(run, tables["stream"].rows(run)) if one.name == "scaling")


def test_scaling_names_two_kernels_only_where_they_differ(tmp_path: Path) -> None:
    alike = streams(tmp_path / "alike", {"read": 0.8, "copy": 0.8, "triad": 0.8})
    assert (near(alike.value, 0.8), alike.text.count("80 %")) == (True, 1)
    assert not {"read", "copy", "triad"} & set(alike.text.replace(",", " ").split())
    apart = streams(tmp_path / "apart", {"read": 0.5, "copy": 0.8})
    assert (near(apart.value, 0.65), near(apart.low, 0.5), near(apart.high, 0.8)) == (True, True, True)
    assert (apart.text.count("read 50 %"), apart.text.count("copy 80 %")) == (1, 1)
    assert streams(tmp_path / "one", {"read": 0.8}).text.count("80 %") == 1


def test_latency_finds_the_staircase_put_in(rows: dict[str, list[Flat]]) -> None:
    assert {row["footprint_bytes"] for row in rows["latency"]} == set(FOOTPRINTS)
    for row in rows["latency"]:
        truth = made_latency_s(float(row["footprint_bytes"] or 0), str(row["pages"]), str(row["order"]))
        assert near(row["latency_s"], truth)
    assert {row["page_bytes"] for row in rows["latency"]} == {4096, 2 << 20}


def test_latency_names_levels_memory_walks_and_prefetch(run: Run, typed: dict[str, list[Any]]) -> None:
    found = insights(run, typed, "latency")
    for level, capacity in (("level_1", 48 << 10), ("level_2", 2 << 20), ("level_3", 96 << 20)):
        assert abs(math.log2((found[level].value or 0) / capacity)) <= 0.5
    assert found["effective_cache"].value == found["level_3"].value
    assert found["effective_cache"].text.endswith("reported: 480 MiB")
    assert "L2, 2 MiB" in found["level_2"].text
    assert near(found["memory"].value, MEMORY_S)
    assert near(found["tlb_hit"].value, MEMORY_S)
    assert near(found["tlb_miss"].value, MEMORY_S + 48e-9)
    assert near(found["page_walk"].value, 48e-9, 0.05)
    assert "present" in found["adjacent_line_prefetch"].text
    assert near(found["adjacent_line_prefetch"].value, 0.55)


def test_loaded_latency_finds_the_curves_put_in(rows: dict[str, list[Flat]]) -> None:
    saturation = {share: rate for share, _, rate in MIXES}
    loaded = [row for row in rows["loaded_latency"] if row["load_threads"]]
    assert len(loaded) == len(MIXES) * len(DELAYS)
    for row in loaded:
        bandwidth, latency = made_load(saturation[float(row["read_share"] or 0)], float(row["delay_cycles"] or 0))
        assert near(row["bandwidth_bytes_per_s"], bandwidth)
        assert near(row["latency_s"], latency)
        assert near(row["chaser_bytes_per_s"], 64 / latency)
    (idle,) = (row for row in rows["loaded_latency"] if not row["load_threads"])
    assert (idle["bandwidth_bytes_per_s"], idle["bandwidth_high"], idle["kernel"]) == (0.0, 0.0, None)
    assert near(idle["latency_s"], MEMORY_S)


def test_loaded_latency_names_idle_saturation_and_knee_of_every_mix(run: Run, typed: dict[str, list[Any]]) -> None:
    found = insights(run, typed, "loaded_latency")
    assert near(found["idle_latency"].value, MEMORY_S)
    for mix, rate in (("100 % reads", 38e9), ("75 % reads, plain stores", 34e9), ("50 % reads, nt stores", 30e9)):
        assert near(found[f"saturation {mix}"].value, MEMORY_S * 3)
        assert 0.7 * rate < (found[f"knee {mix}"].value or 0) < 0.95 * rate


def test_groups_report_bandwidth_or_latency(rows: dict[str, list[Flat]]) -> None:
    solver, probe = rows["groups"]
    assert (solver["role"], probe["role"]) == ("solver", "probe")
    assert near(solver["bandwidth_bytes_per_s"], 16e9)
    assert solver["latency_s"] is None
    assert near(probe["latency_s"], 260e-9)
    assert solver["left_out_share"] == probe["left_out_share"]


def test_calibration_shows_what_was_tried_and_chosen(rows: dict[str, list[Flat]]) -> None:
    assert len(rows["calibration"]) == 2 * len(KERNELS) * len(SCALING)
    chosen, plainest = (row for row in rows["calibration"] if row["kernel"] == "triad" and row["threads"] == 1)
    assert (chosen["streams"], chosen["chosen"]) == (WALK.streams, True)
    assert (plainest["streams"], plainest["chosen"]) == (1, False)
    assert near(chosen["bandwidth_bytes_per_s"], KERNELS["triad"][4], 1e-9)
    assert near(plainest["bandwidth_bytes_per_s"], KERNELS["triad"][4] * PLAINEST, 1e-9)


@pytest.mark.parametrize("stored", [None, 0.0])  # 0.0: as older runs have it
def test_a_trial_without_a_clean_moment_has_no_bandwidth(run: Run, stored: float | None) -> None:
    record = next(one for one in run.result.records if one.calibration)
    trials = (record.calibration[0], msgspec.structs.replace(record.calibration[1], operations_per_s=stored))
    result = msgspec.structs.replace(run.result, records=(msgspec.structs.replace(record, calibration=trials),))
    again = msgspec.json.decode(msgspec.json.encode(result), type=Result)
    chosen, unknown = tables["calibration"].flat(Run(path=run.path, result=again))
    assert chosen["bandwidth_bytes_per_s"] is not None
    assert unknown["bandwidth_bytes_per_s"] is None


def test_rows_are_judged_once_and_a_rerun_in_the_same_place_again(run: Run) -> None:
    record = run.result.records[0]
    first = measured(run, record)
    assert measured(run, record) is first
    again = msgspec.structs.replace(record, started="2026-02-02T00:00:00Z")
    assert measured(run, again) is not first


def test_blocks_that_the_runner_judged_need_not_be_read_again(run: Run, tmp_path: Path) -> None:
    elsewhere = msgspec.structs.replace(run, path=tmp_path)  # no samples there
    record = run.result.records[0]
    with pytest.raises(ResultError):
        measured(elsewhere, record)
    found = judged(run, record)
    remember(tmp_path, record, found)
    assert measured(elsewhere, record) is found.points[0]


def test_memory_of_points_is_bounded(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "MOST", 3)
    monkeypatch.setattr(measuring, "_known", {})
    record, found = run.result.records[0], judged(run, run.result.records[0])
    for number in range(9):
        remember(tmp_path / str(number), record, found)
    assert len(measuring._known) == 3
    assert judged(msgspec.structs.replace(run, path=tmp_path / "8"), record) is found


def test_a_run_read_back_gives_the_same_rows(run: Run, rows: dict[str, list[Flat]]) -> None:
    assert tables["stream"].flat(results.load(run.path)) == rows["stream"]
