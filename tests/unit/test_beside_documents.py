"""All fourteen tables of the five documents compare with a run, some as ratios where only those mean the same."""

from pathlib import Path

import pytest

from made import Maker
from made_blocks import add_point, operation_s
from made_contention import A_RATE, B_SHARE, RATIO, add_split, add_targets
from made_flush import add_flush, line_s
from made_neighbors import SLOWER, add_neighbors
from tierscope.compare.beside import beside, label, sentence
from tierscope.compare.matched import matched
from tierscope.record.result import Run
from tierscope.reference import load, names, parse

DOCUMENTS = [name for name in names() if name.startswith("document")]


def test_every_table_of_a_document_compares() -> None:
    assert len(DOCUMENTS) == 14
    assert [name for name in DOCUMENTS if not load(name).matches] == []


@pytest.mark.parametrize("mode", ["nvm-nvm", "nvm-dram", "dram-nvm"])
def test_a_split_of_sixteen_threads_is_compared_with_that_of_the_document(tmp_path: Path, mode: str) -> None:
    maker = Maker(tmp_path)
    for a, b in ((15, 1), (8, 8), (8, 4)):
        add_split(maker, mode, a, b)
    published = load(f"document000_contention_{mode.replace('-', '_')}")
    rows = beside(maker.save("contention"), published)
    assert len(rows) == 2 * 3  # 8:4 are not 16 threads
    by = {(row["column"], row["keys"]["b_threads"]): row for row in rows}
    assert by["dram_mb_s", "1"]["ours"] == pytest.approx(15 * A_RATE, rel=0.02)
    assert by["nvdimm_mb_s", "8"]["ours"] == pytest.approx(8 * A_RATE * B_SHARE[mode], rel=0.02)
    for column in ("dram_mb_s", "nvdimm_mb_s", "sum_mb_s"):
        assert by[column, "8"]["published"] == published.where(nvdimm_threads=8).si(column)[0]
    assert by["dram_mb_s", "1"]["keys"]["a_threads"] == "15"


def test_the_share_of_the_second_tier_compares_as_a_share(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_targets(maker)
    rows = beside(maker.save("contention"), load("document000_ratio"))
    assert [row["published"] for row in rows] == pytest.approx([0.431, 0.521, 0.381])
    assert [row["ours"] for row in rows] == pytest.approx([RATIO[n] for n in (1, 2, 4)], rel=0.02)
    assert [row["verdict"] for row in rows] == ["as published", "as published", "higher"]


def blocks_run(folder: Path) -> Run:
    maker = Maker(folder)
    for threads in (1, 2, 4):
        add_point(maker, "copy", 8, threads)
        add_point(maker, "copy", 8_000, threads)
    return maker.save("blocks")


def test_latencies_without_a_unit_compare_as_ratios_to_one_thread(tmp_path: Path) -> None:
    rows = beside(blocks_run(tmp_path), load("document001_latency"))
    assert [row["keys"]["threads"] for row in rows] == ["2", "4"]
    assert [row["published"] for row in rows] == [1.0, 1.0]
    for row, threads in zip(rows, (2, 4), strict=True):
        expected = operation_s("copy", 8, threads) / operation_s("copy", 8, 1)
        assert row["ours_low"] < row["ours"] < row["ours_high"]
        assert row["ours"] == pytest.approx(expected, rel=0.05)
        assert row["unit"] == "1"
        assert label(row).endswith("over that of threads 1")


def test_a_copied_byte_counts_once_in_document_001(tmp_path: Path) -> None:
    rows = beside(blocks_run(tmp_path), load("document001_throughput"))
    assert [row["published"] for row in rows] == pytest.approx([2 * 1536.91059e6, 2 * 2536.017045e6, 2 * 2778.932292e6])


def test_flush_instructions_compare_as_ratios_to_clwb(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_flush(maker, (1024, 2 << 20), ("clflush", "clflushopt", "clwb"))
    rows = beside(maker.save("flush"), load("document002_flush"))
    assert [row["published"] for row in rows] == pytest.approx(
        [33.749936 / 8.986358, 34.999049 / 6.426376, 8.985184 / 8.986358, 6.417146 / 6.426376]
    )
    assert rows[0]["ours"] == pytest.approx(line_s("clflush", 1024) / line_s("clwb", 1024), rel=0.02)


@pytest.mark.parametrize(("target", "medium"), [("fsdax:/mnt/x", "pmem"), ("node:0", "dram")])
def test_slowdowns_compare_within_five_percent_and_by_the_medium_of_the_writers(
    tmp_path: Path, target: str, medium: str
) -> None:
    maker = Maker(tmp_path)
    add_neighbors(maker, aggressor="flush_clflushopt", target=target)
    run, published = maker.save("neighbors"), load("document002_neighbors")
    if medium == "pmem":
        assert list(matched(run, published, published.matches[1])) == []  # it has no run with one writer to the tier
        return
    (row,) = beside(run, published)
    assert row["published"] == pytest.approx(13.690814 / 13.643775)
    assert row["ours"] == pytest.approx(SLOWER[1], rel=0.01)
    assert row["verdict"] == "inconclusive" or row["verdict"] == "higher"
    assert "within 5 %" in sentence([row], published)


TABLE = """\
# title: T
# source: S
# machine: M
# column: threads | 1 | n
# column: rate | MB/s | r
# compare: rate = stream.bandwidth_bytes_per_s | {part} | threads={{threads}}
threads,rate
1,10
"""


@pytest.mark.parametrize("part", ["times x", "times 0", "per none", "room much", "kernel={16-none}"])
def test_a_wrong_part_of_a_line_is_refused(part: str) -> None:
    with pytest.raises(ValueError, match="compare"):
        parse("t", TABLE.format(part=part))


def test_parts_of_a_line_are_read() -> None:
    (match,) = parse("t", TABLE.format(part="times 2 | per threads=1 | over kernel=copy | room 1.1")).matches
    assert (match.times, match.per, match.over, match.room) == (2.0, {"threads": "1"}, {"kernel": "copy"}, 1.1)
    assert match.keys == {"threads": "{threads}"}
