"""Where numbers come from: the name of a mixture, the places that show it, and the origins that can be compared."""

import io
import json
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from made import Maker, Teamwork, made_facts, one_group
from reported import changed, small_run
from said import refused, say
from tierscope.compare.comparison import compare_runs
from tierscope.errors import Exit, UsageError
from tierscope.record.experiment import Label, Target
from tierscope.record.origin import ORIGINS, banner, joined, named, strongest
from tierscope.record.result import Run
from tierscope.report.content import gather
from tierscope.report.formats import write
from tierscope.report.formats.json import document
from tierscope.report.provenance import began, experiments
from tierscope.report.terminal import show
from tierscope.report.view import page
from tierscope.tables import tables
from tierscope.units import GiB

BY = "DRAM of node 0, floor 350 ns"


def read_on(directory: Path, origin: str, *words: str, rate: float = 1e8) -> Run:
    """A run of stream that read on each of these targets, with one thread."""
    directory.mkdir()
    maker = Maker(directory)
    for word in words:
        group = msgspec.structs.replace(one_group("read", (0,), 1 * GiB), target=Target.parse(word))
        labels: dict[str, Label] = {"kernel": "read", "threads": 1}
        by = "" if origin == "real" else BY
        facts = made_facts(group, origin=origin, origin_by=by)
        maker.add("stream", labels, (group,), (Teamwork((rate,)),), facts=(facts,))
    return changed(maker.save(), origin=origin, origin_by=by)


def test_a_mixture_is_named_by_its_strongest_part_in_any_order() -> None:
    assert ORIGINS == ("real", "imported", "emulated", "simulated")
    assert strongest(["real", "real"]) == "real"
    assert strongest(["emulated", "simulated", "real"]) == "simulated"
    assert strongest(["real", "emulated"]) == "emulated"
    assert strongest(["simulated", "imagined"]) == "imagined"
    assert strongest([]) == "real"


def test_the_emulator_is_named_once() -> None:
    assert joined([BY, "", "QEMU", BY]) == f"{BY}; QEMU"
    assert named("emulated", "") == "emulated"


def test_results_of_another_tool_have_its_name() -> None:
    assert named("imported", "fio-3.33") == "imported: fio-3.33"
    assert banner("imported", "fio-3.33").startswith("IMPORTED: fio-3.33: measured by another tool")


def test_only_real_numbers_have_no_banner() -> None:
    assert banner("real", "") == ""
    assert banner("emulated", BY) == f"EMULATED by {BY}: these numbers are not measurements of hardware"


def test_the_emulator_is_named_on_the_page_in_the_terminal_in_markdown_and_in_json(tmp_path: Path) -> None:
    run = changed(small_run(tmp_path / "run"), origin="emulated", origin_by=BY)
    said = banner("emulated", BY)
    told = page(gather(run))
    assert told["banner"] == said
    assert ("Origin of the numbers", f"emulated by {BY}") in told["machine"]
    assert said in write("html", run, tmp_path)[0].read_text()
    assert said in write("markdown", run, tmp_path)[0].read_text()
    assert document(run)["origin_by"] == BY
    show(run, console := Console(record=True, width=120, file=io.StringIO()))
    assert said in console.export_text()


def test_a_real_run_shows_nothing_of_its_origin(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    told = page(gather(run))
    assert told["banner"] == ""
    assert "Origin of the numbers" not in dict(told["machine"])


def test_each_experiment_names_its_emulator(tmp_path: Path) -> None:
    run = read_on(tmp_path / "run", "emulated", "emu:latency=350ns")
    assert [row["origin"] for row in experiments(run)] == [f"emulated by {BY}"]


@pytest.mark.parametrize("name", sorted(tables))
def test_every_table_has_a_column_for_the_origin(name: str) -> None:
    assert "origin" in [column.name for column in tables[name].columns]


@pytest.mark.parametrize("name", ["html", "markdown", "json", "csv", "svg", "png"])
def test_no_file_of_emulated_numbers_can_pass_for_a_real_one(name: str, tmp_path: Path) -> None:
    run = changed(small_run(tmp_path / "run"), origin="emulated")
    written = write(name, run, tmp_path / "out")
    assert written
    assert [path.name for path in written if not path.stem.endswith("-emulated")] == []


def test_runs_of_two_origins_compare_only_when_asked(tmp_path: Path) -> None:
    before = read_on(tmp_path / "a", "real", "node:0")
    after = read_on(tmp_path / "b", "emulated", "emu:latency=350ns", rate=5e7)
    with pytest.raises(UsageError, match=r"are not comparable; --across-origins compares"):
        compare_runs(before, after, 0.02)
    (row,) = compare_runs(before, after, 0.02, across=True)
    assert (row["before_origin"], row["after_origin"]) == ("real", "emulated")
    assert row["ratio"] == pytest.approx(0.5, rel=0.05)
    assert row["verdict"] == "slower"
    assert "target" not in row


def test_several_targets_keep_their_names_across_origins(tmp_path: Path) -> None:
    before = read_on(tmp_path / "a", "real", "node:0", "node:1")
    after = read_on(tmp_path / "b", "emulated", "node:1")
    assert [row["target"] for row in compare_runs(before, after, 0.02, across=True)] == ["node:1"]


def test_targets_of_one_origin_must_agree_even_if_others_are_allowed(tmp_path: Path) -> None:
    before, after = read_on(tmp_path / "a", "real", "node:0"), read_on(tmp_path / "b", "real", "node:1")
    with pytest.raises(UsageError, match="no point in common"):
        compare_runs(before, after, 0.02, across=True)


def test_targets_of_one_origin_compare_when_asked(tmp_path: Path) -> None:
    before, after = read_on(tmp_path / "a", "real", "node:0"), read_on(tmp_path / "b", "real", "node:1", rate=5e7)
    with pytest.raises(UsageError, match="--across-targets compares them"):
        compare_runs(before, after, 0.02)
    (row,) = compare_runs(before, after, 0.02, targets=True)
    assert (row["verdict"], "target" in row) == ("slower", False)
    several = read_on(tmp_path / "c", "real", "node:0", "node:1")
    assert [row["target"] for row in compare_runs(several, after, 0.02, targets=True)] == ["node:1"]


def on_disk(run: Run) -> str:
    (run.path / "result.json").write_bytes(msgspec.json.encode(run.result))
    return str(run.path)


def test_both_origins_are_next_to_each_ratio(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    a = on_disk(read_on(tmp_path / "a", "real", "node:0"))
    b = on_disk(read_on(tmp_path / "b", "emulated", "emu:latency=350ns", rate=5e7))
    status, line = refused(capfd, "compare", a, b)
    assert status == Exit.USAGE
    assert "--across-origins" in line
    status, out, _ = say(capfd, "compare", a, b, "--across-origins")
    assert status == Exit.FAILED
    assert "emulated / real" in out
    assert f"Before is real; after is emulated by {BY}" in " ".join(out.split())
    _, out, _ = say(capfd, "compare", a, b, "--across-origins", "--json")
    assert [(row["before_origin"], row["after_origin"]) for row in json.loads(out)] == [("real", "emulated")]


@pytest.mark.parametrize(
    ("started", "shown"),
    [("2026-11-22T22:53:00+00:00", "2026-11-22 22:53 UTC"), ("2026-11-22T22:53:00+02:00", "2026-11-22 20:53 UTC"),
     ("2026-11-22T22:53:00", "2026-11-22T22:53:00"), ("", ""), ("last week", "last week")],
)  # fmt: skip
def test_a_page_shows_the_start_as_people_write_it(started: str, shown: str) -> None:
    assert began(started) == shown
