"""The published tables parse, obey physics, and contain the numbers that the papers are known for."""

import numpy as np
import pytest

from tierscope.errors import UnknownNameError
from tierscope.reference import Reference, load, names, parse

KiB, MiB = 1 << 10, 1 << 20

GOOD = """\
# title: T
# source: S
# machine: M
# protocol: P
# fault: F
# alone: W
# column: kind | word | what
# column: region_bytes | bytes | size
# column: read_ns | ns | time
kind,region_bytes,read_ns
a,64,1.5
b,128,2
"""


def _at(reference: Reference, column: str, region_bytes: int) -> float:
    return float(reference.where(region_bytes=region_bytes).columns[column].astype(float).mean())


@pytest.mark.parametrize("name", names())
def test_a_table_states_where_it_is_from(name: str) -> None:
    reference = load(name)
    assert reference.title
    assert "data: " in reference.source
    assert any(str(year) in reference.source for year in range(2000, 2100))
    assert reference.machine
    assert reference.protocol
    assert reference.faults
    assert len(reference) > 1


@pytest.mark.parametrize("name", names())
def test_numbers_of_a_table_are_finite_and_none_is_negative(name: str) -> None:
    reference = load(name)
    for column, unit in reference.units.items():
        if unit != "word":
            assert np.isfinite(reference.si(column)).all()
            assert (reference.si(column) >= 0).all()


@pytest.mark.parametrize("name", names())
def test_no_point_is_in_a_table_twice(name: str) -> None:
    reference = load(name)
    measured = {"ns", "GB/s"}
    last = next(
        i for i, unit in enumerate(reference.units.values()) if unit in measured or i == len(reference.units) - 1
    )
    keys = [column for i, column in enumerate(reference.units) if i < last and not column.endswith("_ratio")]
    points = list(zip(*(reference.columns[key].tolist() for key in keys), strict=True))
    assert len(set(points)) == len(points)


def test_one_dimm_reads_in_three_steps() -> None:
    read = load("optane100_read_latency")
    assert _at(read, "read_ns", 16 * KiB) == pytest.approx(180, rel=0.03)
    assert _at(read, "read_ns", 64 * KiB) == pytest.approx(276, rel=0.01)
    assert _at(read, "read_ns", 16 * MiB) == pytest.approx(312, rel=0.01)
    assert _at(read, "read_ns", 128 * MiB) == pytest.approx(375, rel=0.01)


def test_reads_never_get_faster_with_the_region_beyond_noise() -> None:
    for name in ("optane100_read_latency", "optane100_read_latency_interleaved"):
        read = load(name)
        order = np.argsort(read.columns["region_bytes"], kind="stable")
        times = read.si("read_ns")[order][read.si("region_bytes")[order] >= 512]  # smaller ones time the fence
        assert (times >= 0.95 * np.maximum.accumulate(times)).all()


def test_six_interleaved_dimms_reach_their_knee_at_a_larger_region() -> None:
    one, six = load("optane100_read_latency"), load("optane100_read_latency_interleaved")
    assert _at(six, "read_ns", 64 * KiB) < 0.7 * _at(one, "read_ns", 64 * KiB)


def test_a_scattered_line_takes_one_dimm_4x_the_time_of_a_combined_one() -> None:
    write = load("optane100_write_latency")
    assert _at(write, "write_ns", 1 * KiB) == pytest.approx(27.5, rel=0.02)
    assert _at(write, "write_ns", 1 * MiB) / _at(write, "write_ns", 1 * KiB) == pytest.approx(4, rel=0.03)


def test_six_dimms_write_faster_than_one() -> None:
    one, six = load("optane100_write_latency"), load("optane100_write_latency_interleaved")
    assert _at(six, "write_ns", 1 * MiB) < _at(one, "write_ns", 1 * MiB) / 5


def test_blocks_of_the_media_line_and_more_take_less_per_line_than_single_lines() -> None:
    blocks, lines = load("optane100_block_latency"), load("optane100_write_latency")
    wide = blocks.where(block_bytes=256)
    assert _at(wide, "write_ns", 1 * MiB) == pytest.approx(_at(lines, "write_ns", 1 * KiB), rel=0.1)


@pytest.mark.parametrize(
    ("kind", "threads", "gib_s"),
    [("read", 4, 6.52), ("nt_write", 1, 2.22), ("nt_write", 24, 0.80), ("store_clwb", 2, 1.79)],
)
def test_bandwidth_of_one_dimm_is_the_published_one(kind: str, threads: int, gib_s: float) -> None:
    table = load("optane100_bandwidth_threads").where(dimms=1, kind=kind, threads=threads)
    assert table.si("bandwidth_gb_s") == pytest.approx(gib_s * 2**30, rel=1e-3)


@pytest.mark.parametrize("dimms", [1, 6])
def test_non_temporal_stores_beat_flushed_ones_with_one_thread(dimms: int) -> None:
    """The source swaps the two in one of its files."""
    one = load("optane100_bandwidth_threads").where(dimms=dimms, threads=1)
    assert one.where(kind="nt_write").si("bandwidth_gb_s") > one.where(kind="store_clwb").si("bandwidth_gb_s")


@pytest.mark.parametrize("kind", ["read", "nt_write", "store_clwb"])
@pytest.mark.parametrize("threads", [1, 4])
def test_the_curve_over_threads_agrees_with_the_sweep(kind: str, threads: int) -> None:
    curve = load("optane100_bandwidth_threads").where(dimms=1, kind=kind, threads=threads)
    sweep = load("optane100_bandwidth").where(pattern="sequential", kind=kind, access_bytes=256, threads=threads)
    scatter = 0.35 if (kind, threads) == ("store_clwb", 1) else 0.07  # 1.44 against 1.1 GiB/s, unexplained
    assert sweep.si("bandwidth_gb_s") == pytest.approx(curve.si("bandwidth_gb_s"), rel=scatter)


@pytest.mark.parametrize(("kind", "floor"), [("read", 0.23), ("nt_write", 0.23)])
def test_random_lines_waste_three_quarters_of_a_media_line(kind: str, floor: float) -> None:
    table = load("optane100_bandwidth").where(pattern="random", kind=kind, threads=4)
    small, large = (table.where(access_bytes=size).si("bandwidth_gb_s")[0] for size in (64, 256))
    assert floor < small / large < 0.28


def test_bandwidth_over_threads_is_the_media_rate_times_the_effective_ratio() -> None:
    """Writes lose bandwidth beyond four threads because lines reach the media in parts."""
    bandwidth = load("optane100_bandwidth").where(pattern="sequential", kind="read", access_bytes=1024)
    ratio = load("optane100_amplification").where(pattern="sequential", kind="read", access_bytes=1024)
    rate = [
        bandwidth.where(threads=threads).si("bandwidth_gb_s")[0] / ratio.where(threads=threads).si("high_ratio")[0]
        for threads in (4, 6, 8)
    ]
    assert rate == pytest.approx([rate[0]] * 3, rel=0.03)


def test_write_amplification_begins_past_the_buffer_of_16_kib() -> None:
    table = load("optane100_write_amplification")
    assert _at(table, "amplification", 18 * KiB) < 1.05
    assert _at(table, "amplification", 20 * KiB) > 1.3


def test_stalls_are_some_50_us_long_and_come_every_13_to_19_thousand_writes() -> None:
    table = load("optane100_overwrite_stalls")
    long = table.si("latency_ns") > 40e-6
    assert 50e-6 < np.median(table.si("latency_ns")[long]) < 54e-6
    gaps = np.diff(table.columns["write_index"][long])
    assert 13000 < gaps.min() < np.median(gaps) < 17000
    assert gaps.max() < 19000


def test_the_tail_vanishes_where_the_region_is_larger_than_what_migrates() -> None:
    table = load("optane100_tail_latency")
    assert _at(table, "p99_999_ns", 32 * KiB) > 40e3
    assert _at(table, "p99_999_ns", 128 * KiB) < 500


def test_idle_reads_take_3x_those_of_dram() -> None:
    table = load("optane100_idle_latency").where(kind="random_read")
    dram, optane = (table.where(memory=memory).si("latency_ns")[0] for memory in ("dram", "optane"))
    assert optane == pytest.approx(305e-9)
    assert optane / dram == pytest.approx(3, rel=0.02)


def test_a_persist_of_more_bytes_takes_longer() -> None:
    table = load("optane100_persist_latency")
    assert (np.diff(table.si("nt_write_ns")) > 0).all()
    assert (np.diff(table.si("store_clwb_ns")) > 0).all()
    assert table.si("nt_write_ns")[0] == pytest.approx(125e-9, rel=0.01)


def test_a_fence_after_each_line_costs_a_writer_its_bandwidth() -> None:
    table = load("optane100_fence_interval")
    rate = table.si("nt_write_gb_s")
    assert rate[0] < 0.2 * rate.max()


def test_columns_keep_their_kind_and_cannot_be_written() -> None:
    reference = parse("made", GOOD)
    assert reference.columns["kind"].tolist() == ["a", "b"]
    assert reference.columns["region_bytes"].dtype == np.int64
    assert reference.si("read_ns") == pytest.approx([1.5e-9, 2e-9])
    assert len(reference.where(kind="b")) == 1
    with pytest.raises(ValueError, match="read-only"):
        reference.columns["read_ns"][0] = 0


@pytest.mark.parametrize(
    ("was", "becomes", "says"),
    [
        ("# title: T\n", "", "one line `# title:`"),
        ("# fault: F", "# sorrow: F", "no head line"),
        ("| ns |", "| parsec |", "units: "),
        ("read_ns\na", "time\na", "its head describes"),
        ("a,64,1.5", "a,64", "every row needs 3 values"),
        ("a,64,1.5\nb,128,2\n", "", "there must be one"),
        ("# alone: W\n", "", "# compare:"),
        ("# alone: W\n", "# alone: W\n# compare: read_ns = latency.latency_s | order=global\n", "not both"),
    ],
)
def test_a_broken_table_is_refused_by_name(was: str, becomes: str, says: str) -> None:
    assert was in GOOD
    with pytest.raises(ValueError, match="made: ") as refused:
        parse("made", GOOD.replace(was, becomes))
    assert says in str(refused.value)


def test_a_table_that_is_not_here_is_named_with_those_that_are() -> None:
    with pytest.raises(UnknownNameError, match="did you mean optane100_read_latency"):
        load("optane100_read_latenzy")
