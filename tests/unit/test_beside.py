"""A run compared with a published table: same points, both numbers, and whether that is normal."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from made import KERNELS, Maker, Teamwork, one_group
from made_buffers import add_regions
from made_storage import storage_run
from said import refused, say
from tierscope import reference
from tierscope.compare.beside import axis, beside, label, normal, sentence
from tierscope.compare.beside_text import figure
from tierscope.errors import Exit, UsageError
from tierscope.record.experiment import Label
from tierscope.record.result import Run
from tierscope.reference import load, parse
from tierscope.reference.match import ROOM
from tierscope.tables import tables
from tierscope.units import GiB, MiB

DRAM = "document000_stream_dram"
STREAMS = (DRAM, "document000_stream_nvdimm", "document001_stream")
DATA = Path(__file__).parents[1] / "data/imports"


def stream_run(folder: Path, times: float) -> Run:
    """STREAM's copy and triad with 1, 2 and 4 threads, `times` what was published."""
    published, maker = load(DRAM), Maker(folder)
    for kernel in ("copy", "triad"):
        for threads in (1, 2, 4):
            rate = (
                float(published.where(threads=threads).si(f"{kernel}_mb_s")[0]) * times / threads / KERNELS[kernel][1]
            )
            group = one_group(kernel, tuple(range(threads)), GiB)
            maker.add("stream", {"kernel": kernel, "threads": threads}, (group,), (Teamwork((rate,) * threads),))
    return maker.save("stream")


@pytest.fixture(scope="module")
def same(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return stream_run(tmp_path_factory.mktemp("same"), 1.0)


def test_a_run_of_such_hardware_is_normal(same: Run) -> None:
    rows = beside(same, load(DRAM))
    assert len(rows) == 6
    assert {row["verdict"] for row in rows} == {"as published"}
    assert all(row["ratio"] == pytest.approx(1, abs=0.02) for row in rows)
    assert sentence(rows, load(DRAM)).startswith("normal for such hardware: 6 of 6 points")


@pytest.mark.parametrize(("times", "word"), [(0.7, "lower"), (1.4, "higher")])
def test_a_run_further_off_than_machines_differ_is_not_normal(tmp_path: Path, times: float, word: str) -> None:
    rows = beside(stream_run(tmp_path, times), load(DRAM))
    assert {row["verdict"] for row in rows} == {word}
    assert not normal(rows)


def test_just_within_the_room_is_as_published(tmp_path: Path) -> None:
    assert normal(beside(stream_run(tmp_path, 0.98 * ROOM), load(DRAM)))


def spread_over(folder: Path, noise: float) -> Run:
    """Copy with one thread as published, in blocks that differ by `noise`: its interval is as wide."""
    rate = float(load(DRAM).where(threads=1).si("copy_mb_s")[0]) / KERNELS["copy"][1]
    maker = Maker(folder)
    labels: dict[str, Label] = {"kernel": "copy", "threads": 1}
    maker.add("stream", labels, (one_group("copy", (0,), GiB),), (Teamwork((rate,), noise=noise),))
    return maker.save("stream")


def test_a_wide_interval_is_inconclusive_and_not_normal(
    same: Run, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    wide = spread_over(tmp_path, 0.5)
    (row,) = beside(wide, load(DRAM))
    assert row["ours_low"] < row["published"] / ROOM < row["ours_high"]
    assert row["verdict"] == "inconclusive"
    assert normal([row]) is None
    status, out, _ = say(capfd, "compare", str(wide.path), f"reference:{DRAM}")
    assert status == Exit.INCONCLUSIVE
    assert "inconclusive whether normal" in out
    assert "GB/s ?" in out
    rows = [*beside(same, load(DRAM)), row]
    assert normal(rows)
    assert "6 of 7 points are within 25 % of the published number, 1 is inconclusive" in sentence(rows, load(DRAM))


def test_the_axis_is_the_key_with_the_most_numbers(same: Run) -> None:
    rows = beside(same, load(DRAM))
    assert axis(rows) == "threads"
    assert label(rows[0], "threads") == "stream: copy"


def test_both_curves_are_drawn(same: Run) -> None:
    spec = figure(beside(same, load(DRAM)), load(DRAM), "simulated")
    assert spec["title"].endswith("(SIMULATED)")
    assert [point["whose"] for point in spec["data"]["values"]].count("published") == 6


def test_one_point_alone_is_reported_and_drawn_as_dots(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run, picture = spread_over(tmp_path / "run", 0.01), tmp_path / "one.svg"
    status, out, _ = say(capfd, "compare", str(run.path), f"reference:{DRAM}", "--figure", str(picture))
    assert status == Exit.GOOD
    assert "1 of 1 point is within" in out
    assert picture.read_text().count('aria-roledescription="point"') == 2
    status, out, _ = say(capfd, "compare", str(run.path), f"reference:{DRAM}", "--figure", str(tmp_path / "no/x.svg"))
    assert status == Exit.CANNOT
    assert "1 of 1 point is within" in out


def test_sizes_are_shown_in_binary_units(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    maker = Maker(tmp_path)
    add_regions(maker, largest=1 * MiB)
    run = maker.save("buffers")
    _, out, _ = say(capfd, "compare", str(run.path), "reference:optane100_read_latency")
    assert "regions: read, region 1 KiB, block 64 B" in out
    ticks, title = next(pair for pair in pairwise(out.splitlines()) if pair[0].split()[:1] == ["64B"])
    assert ticks.split()[-1] == "1MiB"
    assert title.strip() == "region"
    x = figure(beside(run, load("optane100_read_latency")), load("optane100_read_latency"), "real")["spec"]["encoding"][
        "x"
    ]
    assert (x["title"], "KiB" in x["axis"]["labelExpr"]) == ("region", True)


@pytest.mark.parametrize("name", [name for name in reference.names() if load(name).matches])
def test_every_match_names_keys_of_our_tables(name: str) -> None:
    for match in load(name).matches:
        columns = {column.name for column in tables[match.table].columns}
        assert {match.key, *match.keys} <= columns
        assert load(name).units[match.column] != "word"


@pytest.mark.parametrize("line", ["a = b", "a = stream.x | kernel={c}", "z = stream.x | kernel=a", "a = stream.x"])
def test_a_wrong_match_is_refused(line: str) -> None:
    head = "# title: T\n# source: S\n# machine: M\n# column: a | MB/s | rate\n"
    with pytest.raises(ValueError, match="compare"):
        parse("t", f"{head}# compare: {line}\na\n1\n")


def test_a_table_that_no_run_measures_and_a_run_without_its_points_are_refused(same: Run) -> None:
    with pytest.raises(UsageError, match="in the same way: it counts bytes at"):
        beside(same, load("optane100_write_amplification"))
    with pytest.raises(UsageError, match="no point of optane100_read_latency; it compares regions"):
        beside(same, load("optane100_read_latency"))


COMPARED = [name for name in reference.names() if load(name).matches]


def test_the_how_to_names_the_tables_that_compare(root: Path) -> None:
    page = (root / "docs/how-to/compare.md").read_text().partition("## A published machine")[2].partition("\n## ")[0]
    listed = {line.split("`")[1] for line in page.splitlines() if line.startswith("| `")}
    assert listed == set(COMPARED)


@pytest.mark.parametrize("name", reference.names())
def test_a_table_compares_or_states_why_not(name: str, same: Run, capfd: pytest.CaptureFixture[str]) -> None:
    status, why = refused(capfd, "compare", str(same.path), f"reference:{name}") if name not in STREAMS else (2, "")
    assert status == Exit.USAGE
    assert name in STREAMS or load(name).alone in why
    assert name in STREAMS or ("it compares" in why) == (name in COMPARED)


@pytest.mark.parametrize("words", [("--least", "0.1"), ("--across-origins",)])
def test_options_without_effect_on_a_table_are_refused(
    words: tuple[str, ...], same: Run, capfd: pytest.CaptureFixture[str]
) -> None:
    status, why = refused(capfd, "compare", str(same.path), f"reference:{DRAM}", *words)
    assert (status, f"{words[0]} compares two runs" in why) == (Exit.USAGE, True)


def test_storage_is_compared_with_a_published_disk(tmp_path: Path) -> None:
    rows = beside(storage_run(tmp_path, "preset=paper"), load("document003_storage"))
    assert len(rows) == 2 * 9  # in order and at random
    assert rows[0]["published"] == pytest.approx(452.27e-6)
    assert {row["unit"] for row in rows} == {"s"}


def test_the_command(same: Run, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "b.svg"
    status, out, _ = say(capfd, "compare", str(same.path), f"reference:{DRAM}", "--figure", str(picture))
    assert status == Exit.GOOD
    assert "about the published table: a single run" in out
    assert "published" in picture.read_text()
    status, out, _ = say(capfd, "compare", str(same.path), f"reference:{DRAM}", "--json")
    assert (status, len(json.loads(out)["rows"])) == (Exit.GOOD, 6)
    assert "reference" in refused(capfd, "compare", str(same.path), "reference:nothing")[1]


def test_an_imported_stream_is_compared(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tierscope.report.formats.html.bundle", lambda: "")
    say(capfd, "import", str(DATA / "stream.txt"), "--out", str(tmp_path / "r"))
    status, out, _ = say(capfd, "compare", str(tmp_path / "r"), f"reference:{DRAM}")
    assert status == Exit.FAILED
    assert "IMPORTED: STREAM" in out
    assert "stream: triad, threads 2" in out
