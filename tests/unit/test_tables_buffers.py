"""Rows and sentences about buffers, from devices that were put in; their figure and their lines in a terminal."""

import io
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from rich.console import Console

from made import Maker
from made_buffers import OPTANE, Buffer, Device, add_regions, model_s
from made_machine import made_machine, with_lines
from tiers import first
from tierscope.draw.forms import form
from tierscope.record.result import BLOCK, PREEMPTED, SIZING, Run, read_blocks, write_blocks
from tierscope.report.content import Content, gather
from tierscope.stats.buffers_levels import Estimate, Level, Levels
from tierscope.stats.fresh import mean_of_regions
from tierscope.stats.median import Interval
from tierscope.suites.buffers.findings import sentences
from tierscope.suites.buffers.row import BuffersRow
from tierscope.suites.buffers.table import _read, _round_as
from tierscope.suites.buffers.terminal import buffers
from tierscope.tables import Flat, tables
from tierscope.units import KiB, MiB


def run_of(directory: Path, device: Device, noise: float = 0.002) -> Run:
    maker = Maker(directory)
    add_regions(maker, device, noise=noise)
    return maker.save("buffers", made_machine(2))


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Content:
    return gather(run_of(tmp_path_factory.mktemp("run"), OPTANE))


@pytest.fixture(scope="module")
def flat(tmp_path_factory: pytest.TempPathFactory) -> Content:
    return gather(run_of(tmp_path_factory.mktemp("flat"), Device((), 100e-9)))


def parts(content: Content) -> dict[str, Flat]:
    return {str(row["part"]): row for row in content.rows("buffers")}


def test_each_part_is_a_row(content: Content) -> None:
    found = parts(content)
    assert list(found) == ["buffer 1", "buffer 2", "medium", "writes"]
    assert [found[f"buffer {n}"]["round_bytes"] for n in (1, 2)] == [16 * KiB, 16 * MiB]
    assert [found[f"buffer {n}"]["unit_bytes"] for n in (1, 2)] == [256, 4 * KiB]
    assert found["buffer 1"]["latency_s"] == pytest.approx(132.3e-9, rel=0.03)
    assert found["medium"]["latency_s"] == pytest.approx(377.4e-9, rel=0.03)
    assert found["writes"]["amplification"] == 4
    assert [found[f"buffer {n}"]["amplification_most"] for n in (1, 2)] == [4, 64]
    assert [found[f"buffer {n}"]["amplification"] for n in (1, 2)] == [None, None]  # data or addresses?
    assert all(row["conclusive"] for row in found.values())


@pytest.mark.parametrize("line", first(1, [128, 256]))
def test_lines_of_the_machine_are_those_of_the_reads(tmp_path: Path, line: int) -> None:
    maker = Maker(tmp_path)
    add_regions(maker, Device((Buffer(24 * KiB, 512, 60e-9), Buffer(2 * MiB, 4 * KiB, 200e-9)), 300e-9), line=line)
    content = gather(maker.save("buffers", with_lines(made_machine(2), line)))
    found = parts(content)
    assert [found[f"buffer {n}"]["round_bytes"] for n in (1, 2)] == [24 * KiB, 2 * MiB]
    assert [found[f"buffer {n}"]["amplification_most"] for n in (1, 2)] == [512 / line, 4 * KiB / line]
    assert found["buffer 1"]["latency_s"] == pytest.approx(60e-9, rel=0.03)
    assert (found["writes"]["unit_bytes"], found["writes"]["amplification"]) == (256, 4)  # a store has 64 bytes
    for row in content.rows("regions"):
        assert row["fit_s"] == pytest.approx(row["latency_s"], rel=0.05), row


def test_a_doubt_makes_each_part_of_the_reads_inconclusive(content: Content) -> None:
    regions = [row for row in tables["regions"].rows(content.run) if row.operation == "read"]
    near = Estimate(1e-7, 1e-7, 1e-7)
    levels = Levels((), near, near, 0.1, len(regions), np.empty(0), ("two may be one",))
    (medium,) = _read(levels, "node:0", regions, ())
    assert not medium.conclusive
    assert medium.reasons == ("two may be one",)


def test_regions_that_share_a_cache_of_the_processor_show_no_memory(content: Content) -> None:
    """The latency would be that of the cache, and each of its lines is a hit from the second round on."""
    run, cache = content.run, content.run.result.machine.last_level_cache_bytes()
    facts = [replace(record.groups[0], footprint_bytes=cache) for record in run.result.records]
    records = tuple(replace(record, groups=(own,)) for record, own in zip(run.result.records, facts, strict=True))
    small = Run(path=run.path / "small", result=replace(run.result, records=records))
    small.path.symlink_to(run.path, target_is_directory=True)
    rows = {row.part: row for row in tables["buffers"].rows(small)}
    assert [part for part, row in rows.items() if row.conclusive] == ["writes"]  # these pass the caches
    assert "fit in the last-level cache" in rows["medium"].reasons[-1]
    assert "give a larger one, footprint=" in rows["medium"].reasons[-1]


def test_a_unit_without_upper_bound_is_shown_as_that_or_more(content: Content) -> None:
    rows = [row for row in tables["buffers"].rows(content.run) if row.part != "writes"]
    unit = Interval(8 * KiB, 16 * KiB, 64 * KiB, 0)
    open_ended = [replace(row, unit=unit, amplification_most=None) if row.part == "buffer 2" else row for row in rows]
    assert any("in units that are not known (8 KiB or more)" in said.text for said in sentences(open_ended))


def test_each_region_has_the_value_of_the_fit(content: Content) -> None:
    rows = content.rows("regions")
    for row in rows:
        assert row["fit_s"] == pytest.approx(row["latency_s"], rel=0.1)
    reads = {(row["region_bytes"], row["scattered"]): row for row in rows if row["operation"] == "read"}
    assert reads[64 * KiB, False]["latency_s"] == pytest.approx(model_s(OPTANE, 64 * KiB, False), rel=0.01)


def test_a_memory_without_buffers_is_reported_as_such(flat: Content) -> None:
    assert "buffer 1" not in parts(flat)
    assert parts(flat)["medium"]["latency_s"] == pytest.approx(100e-9, rel=0.02)
    (count,) = (insight for insight in flat.insights if insight.name == "buffers")
    assert (count.value, count.conclusive) == (0, True)
    assert "node:0" in count.text


def test_sentences_name_sizes_and_times(content: Content) -> None:
    said = {insight.text.split(":")[0]: insight.text for insight in content.insights}
    assert "16 KiB (" in said["Buffer 1"]
    assert "in units of 256 B" in said["Buffer 1"]
    assert "at most 4x its bytes" in said["Buffer 1"]
    assert any(text.startswith("Writes are ") and "units of 256 B" in text for text in said.values())


def test_a_curve_that_no_buffers_explain_is_inconclusive(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_regions(maker, Device((Buffer(16 * KiB, 256, 100e-9),), 300e-9))
    for number, record in enumerate(maker.records):
        if record.experiment.labels["operation"] == "read" and number % 2:
            slow = read_blocks(tmp_path / record.samples).copy()
            slow["operations"] = slow["operations"] * 7 // 10
            write_blocks(tmp_path / record.samples, slow)
    rows = [row for row in tables["buffers"].rows(maker.save("buffers")) if row.part != "writes"]
    assert all(not row.conclusive and any("explain" in reason for reason in row.reasons) for row in rows)


def test_the_figure_has_points_fit_and_a_rule_for_each_capacity(content: Content) -> None:
    (spec,) = (drawing.spec for drawing in content.drawings if drawing.figure.name == "regions")
    assert {point["series"] for point in spec["data"]["values"]} == {"read", "read, scattered", "write"}
    bands = [layer for layer in spec["layer"] if layer["mark"]["type"] == "rect"]
    assert len(bands) == 2
    for band in bands:
        (interval,) = band["data"]["values"]
        assert interval["from"] < interval["to"]


def test_a_terminal_shows_a_line_for_each_part_within_eighty_columns(content: Content) -> None:
    console = Console(file=io.StringIO(), width=80)
    for part in form("buffers")(content.sections["buffers"], console):
        console.print(part)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert all(len(line) <= 80 for line in text.splitlines())
    assert "16 KiB" in text
    assert "≤ x 64" in text
    assert "132 ns" in text
    assert "4 KiB" in text


def test_fresh_regions_alone_have_no_buffers(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_regions(maker, of="latency", largest=1 * MiB)
    run = maker.save("latency")
    assert tables["buffers"].rows(run) == []
    assert len(tables["regions"].rows(run)) == len(maker.records)


def level(capacity: float, round_bytes: int | None) -> Level:
    size = Estimate(capacity * 0.97, capacity, capacity * 1.03)
    return Level(size, Estimate(256, 256, 256), Estimate(1e-7, 1e-7, 1e-7), round_bytes)


@pytest.mark.parametrize(
    ("capacity", "round_bytes", "told"),
    [(64 * KiB, 64 * KiB, "holding"), (88 * KiB, None, "beside"), (16 * MiB, 16 * MiB, "cannot be told")],
)
def test_a_size_is_round_with_or_without_the_nearer_ones(capacity: int, round_bytes: int | None, told: str) -> None:
    assert _round_as((level(24 * KiB, 24 * KiB),), level(capacity, round_bytes)) == told
    assert _round_as((), level(capacity, round_bytes)) is None


@pytest.mark.parametrize(
    ("told", "words"),
    [("holding", "as measured"), ("beside", "only without"), ("cannot be told", "at most")],
)
def test_round_sizes_are_reported_as_round_only(content: Content, told: str, words: str) -> None:
    made = content.sections["buffers"].typed
    rows = [replace(row, round_as=told if row.part == "buffer 2" else None) for row in made]
    (text,) = (one.text for one in sentences(rows) if one.name == "buffer_capacity 2")
    assert words in text
    assert ("round" in text) == (told != "cannot be told")


def test_a_capacity_that_is_not_known_to_a_value_is_a_range(content: Content) -> None:
    first, *others = content.sections["buffers"].typed
    size = Interval(14 * KiB, 16 * KiB, 20 * KiB, 0)
    rows = [replace(first, capacity=size, round_bytes=None, ranged=True), *others]
    (text,) = (one.text for one in sentences(rows) if one.name == "buffer_capacity 1")
    assert text.startswith("Buffer 1: 14 KiB to 20 KiB in units of 256 B")
    assert "14 KiB-20 KiB" in shown(rows)


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (128, 512, "in units of 256 B (128 B to 512 B)"),
        (128, 4096, "in units that are not known (128 B to 4 KiB)"),
        (704, 64 * KiB, "in units that are not known (704 B or more)"),
    ],
)
def test_units_that_may_be_too_many_are_not_known(content: Content, low: int, high: int, said: str) -> None:
    first, *others = content.sections["buffers"].typed
    rows = [replace(first, unit=Interval(low, 256, high, 0)), *others]
    (text,) = (one.text for one in sentences(rows) if one.name == "buffer_capacity 1")
    assert said in text
    assert ("moves at most" in text) == (high <= 4 * low)
    assert (" ?" in shown(rows)) == (high > 4 * low)


def shown(rows: list[BuffersRow]) -> str:
    """The rows in a terminal."""
    _, _, lines = buffers(rows)
    return "\n".join("  ".join(line) for line in lines)


@pytest.mark.parametrize(("low", "high", "conclusive"), [(0.85, 1.2, True), (0.7, 1.2, False)])
def test_a_range_is_conclusive_up_to_half_more_than_its_low_end(low: float, high: float, conclusive: bool) -> None:
    size = Estimate(low * 1e5, 1e5, high * 1e5)
    one = Level(size, Estimate(256, 256, 256), Estimate(9e-8, 9e-8, 9e-8), None, ranged=True)
    levels = Levels((one,), Estimate(1e-7, 1e-7, 1e-7), Estimate(0, 0, 0), 0.5, 40, np.zeros(40))
    rows = _read(levels, "node:0", [], ())
    assert all(row.conclusive == conclusive for row in rows)
    assert rows[0].ranged
    assert conclusive or "capacity of buffer 1 is not known: 68.4 KiB to 117 KiB" in rows[0].reasons


def blocks_of(seconds: list[float], operations: int = 100) -> np.ndarray:
    blocks = np.zeros(len(seconds), dtype=BLOCK)
    stops = np.cumsum(np.array(seconds) * operations * 1e9).astype(np.int64)
    blocks["stop_ticks"], blocks["start_ticks"][1:] = stops, stops[:-1]
    blocks["operations"] = operations
    return blocks


def test_the_mean_is_that_of_whole_regions() -> None:
    region = [2e-7, 1e-7, 1e-7, 1e-7]
    for regions in (4, 6):
        mean = mean_of_regions(blocks_of(region * regions + [2e-7, 1e-7]), 1e9, 400)
        assert mean is not None
        assert mean.middle == pytest.approx(1.25e-7, rel=0.01)
        assert mean.count == 4 * regions


def test_a_block_that_took_far_longer_hardly_counts() -> None:
    region = [2e-7, 1e-7, 1e-7, 1e-7]
    mean = mean_of_regions(blocks_of([*region * 6, 20e-7, 1e-7, 1e-7, 50e-7]), 1e9, 400)
    assert mean is not None
    assert mean.middle == pytest.approx(1.25e-7, rel=0.01)


@pytest.mark.parametrize("regions", [2, 4, 20])
def test_parts_that_do_not_divide_a_region_do_not_shift_it(regions: int) -> None:
    two = [3e-7, 1e-7, 2e-7, 2e-7, 1e-7]  # regions of two blocks and a half
    mean = mean_of_regions(blocks_of(two * regions), 1e9, 250)
    assert mean is not None
    assert mean.middle == pytest.approx(1.8e-7, rel=0.01)


@pytest.mark.parametrize("operations", [100, 100_000])
def test_skewed_noise_does_not_shift_it(operations: int) -> None:
    noise = np.exp(np.random.default_rng(3).normal(0, 0.15, 4000))
    mean = mean_of_regions(blocks_of(list(1e-7 * noise)), 1e9, operations)
    assert mean is not None
    assert mean.low < 1e-7 < mean.high
    assert mean.relative < 0.01


def test_disturbed_and_sizing_blocks_do_not_count() -> None:
    blocks = blocks_of([1e-7] * 20)
    blocks["flags"][3], blocks["flags"][0] = PREEMPTED, SIZING
    blocks["stop_ticks"][3] += 1_000_000
    mean = mean_of_regions(blocks, 1e9, 100)
    assert mean is not None
    assert mean.middle == pytest.approx(1e-7, rel=0.01)
    assert mean.count == 18


def test_less_than_a_region_has_no_mean() -> None:
    assert mean_of_regions(blocks_of([1e-7] * 20), 1e9, 4000) is None
