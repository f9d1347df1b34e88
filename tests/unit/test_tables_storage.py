"""Rows and sentences about storage, from a law that was put in; the figures and the lines in a terminal."""

import io
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.console import Console

from made_storage import MOST, REPEATS, SERVICE_S, law, storage_run
from tierscope.compare.comparison import compare_runs
from tierscope.draw import figures
from tierscope.errors import UsageError
from tierscope.record.result import Run
from tierscope.report.content import gather
from tierscope.report.terminal import show
from tierscope.tables import Flat, Insight, tables

TABLE = tables["storage"]


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return storage_run(tmp_path_factory.mktemp("paper"), "size=64MiB")


@pytest.fixture(scope="module")
def depths(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return storage_run(tmp_path_factory.mktemp("depths"), "size=64MiB", "preset=depths", "mixes=read")


def rows_of(run: Run) -> list[Flat]:
    return TABLE.flat(run)


def said(run: Run) -> dict[str, Insight]:
    return {one.name: one for one in TABLE.insights(run, TABLE.rows(run))}


def number(row: Flat, key: str) -> float:
    value = row[key]
    assert isinstance(value, int | float)
    return float(value)


def test_a_job_has_the_rate_latency_and_bandwidth_that_were_put_in(paper: Run) -> None:
    rows = rows_of(paper)
    assert len(rows) == 18 + 2 * 6
    for row in (row for row in rows if row["part"] in ("both", row["operation"])):
        rate = law(int(row["depth"] or 0), int(row["block_bytes"] or 0))
        assert number(row, "iops") == pytest.approx(rate, rel=0.02)
        assert number(row, "iops_low") <= number(row, "iops") <= number(row, "iops_high")
        assert number(row, "bandwidth_bytes_per_s") == pytest.approx(number(row, "iops") * number(row, "block_bytes"))
        assert number(row, "latency_s") == pytest.approx(16 / rate, rel=0.02)
        assert number(row, "in_flight") == pytest.approx(16, rel=0.01)  # Little's law
        assert row["conclusive"]
        assert (row["engine"], row["access"], row["file_system"], row["repeats"]) == ("io_uring", "direct", "ext4", 8)
        assert number(row, "cpu_system") == pytest.approx(0.2)


def test_a_mix_is_read_whole_and_by_its_halves(paper: Run) -> None:
    both, reads, writes = [row for row in rows_of(paper) if row["operation"] == "mix"][:3]
    assert [row["part"] for row in (both, reads, writes)] == ["both", "read", "write"]
    assert number(reads, "iops") == pytest.approx(0.7 * number(both, "iops"), rel=1e-3)
    assert number(writes, "latency_s") == pytest.approx(2 * number(reads, "latency_s"), rel=0.02)
    mean = 0.7 * number(reads, "latency_s") + 0.3 * number(writes, "latency_s")
    assert number(both, "latency_s") == pytest.approx(mean, rel=0.01)


def test_percentiles_are_those_of_all_bins_together(depths: Run) -> None:
    (row,) = [row for row in rows_of(depths) if row["depth"] == 4]
    assert number(row, "latency_p50_s") == pytest.approx(SERVICE_S * 1.06, rel=0.05)
    assert number(row, "latency_p99_s") < 2 * SERVICE_S
    assert number(row, "latency_p999_s") == pytest.approx(10 * SERVICE_S * 1.06, rel=0.05)


def test_sentences_name_the_most_the_quickest_and_the_knee(depths: Run) -> None:
    found = said(depths)
    assert number({"v": found["most_operations"].value}, "v") == pytest.approx(MOST / (1 + 1 / 16), rel=0.02)
    assert found["quickest"].value == pytest.approx(SERVICE_S * (1 + 1 / 16), rel=0.02)
    knee = found["enough_depth random_read"]
    assert knee.value == 16  # ten would do, and 16 is the first that was asked for
    assert "depth 16 gives 90 % of the highest rate; from there to depth 128" in knee.text
    assert not {"cpu_bound", "queue_not_full"} & found.keys()


def test_a_cpu_that_is_full_and_a_queue_that_is_not_are_reported(tmp_path: Path) -> None:
    run = storage_run(tmp_path, "size=64MiB", "blocks=4KiB", "orders=random", threads=1)
    busy = [replace(row, cpu_system=0.95) for row in TABLE.rows(run)]
    slack = [replace(row, in_flight=3.0) for row in TABLE.rows(run)]
    assert [one.name for one in TABLE.insights(run, busy)][-1] == "cpu_bound"
    last = TABLE.insights(run, slack)[-1]
    assert last.name == "queue_not_full"
    assert "had 3 (operations/s x mean latency)" in last.text


def test_noise_is_inconclusive_and_few_repeats_are_too(tmp_path: Path) -> None:
    noisy = rows_of(storage_run(tmp_path / "a", "size=64MiB", "preset=latency", noise=0.3))
    assert not any(row["conclusive"] for row in noisy)
    few = rows_of(storage_run(tmp_path / "b", "size=64MiB", "preset=latency", repeats=3))
    assert {row["reasons"] for row in few} == {"only 3 repeats: 6 are needed, give a longer budget"}


def test_a_repeat_without_one_operation_of_a_side_counts_not_for_that_side(tmp_path: Path) -> None:
    run = storage_run(tmp_path, "preset=depths", "mixes=mix", "depths=4")
    whole = rows_of(run)
    (record,) = run.result.records
    assert record.program is not None
    few = [replace(one, moved=one.moved[1:]) if n % 2 else one for n, one in enumerate(record.program.repeats)]
    program = replace(record.program, repeats=tuple(few))
    cut = Run(path=run.path, result=replace(run.result, records=(replace(record, program=program),)))
    both, read, write = rows_of(cut)
    assert (both["repeats"], read["repeats"], write["repeats"]) == (REPEATS, REPEATS // 2, REPEATS)
    assert read["latency_s"] == pytest.approx(whole[1]["latency_s"], rel=0.05)
    assert read["iops"] == pytest.approx(whole[1]["iops"], rel=0.05)
    none = replace(program, repeats=tuple(replace(one, moved=one.moved[1:]) for one in record.program.repeats))
    gone = Run(path=run.path, result=replace(run.result, records=(replace(record, program=none),)))
    assert [row["part"] for row in rows_of(gone)] == ["both", "write"]


@pytest.mark.parametrize(("name", "kind"), [("storage", "paper"), ("storage_depth", "depths")])
def test_a_figure_draws_what_it_is_for_and_nothing_else(name: str, kind: str, paper: Run, depths: Run) -> None:
    runs = {"paper": paper, "depths": depths}
    drawn = figures[name].draw(runs[kind], TABLE.rows(runs[kind]), [])
    assert drawn is not None
    points = drawn["data"]["values"]
    assert len(points) == {"paper": 18, "depths": 8}[kind]
    assert {point["verdict"] for point in points} == {"conclusive"}
    other = runs["depths" if kind == "paper" else "paper"]
    assert figures[name].draw(other, TABLE.rows(other), []) is None
    assert figures[name].draw(other, [], []) is None


def shown(run: Run) -> str:
    out = io.StringIO()
    show(run, Console(width=80, file=out))
    return out.getvalue()


@pytest.mark.parametrize(
    ("kind", "words"),
    [("paper", ("random 70/30", "  its reads", "depth 16; 95")), ("depths", ("4 KiB; 95", "random read"))],
)
def test_the_terminal_has_one_line_for_each_row_within_80_columns(
    kind: str, words: tuple[str, ...], paper: Run, depths: Run
) -> None:
    run = {"paper": paper, "depths": depths}[kind]
    text = shown(run)
    assert all(word in text for word in words), text
    assert max(map(len, text.splitlines())) <= 80
    lines = text[text.index("Storage (") :].splitlines()
    assert len([line for line in lines if "±" in line]) == len(rows_of(run))


def test_buffered_numbers_are_marked(tmp_path: Path) -> None:
    assert "BUFFERED" in shown(storage_run(tmp_path, "size=64MiB", "preset=latency", direct=False))


def test_two_runs_are_compared_job_by_job(paper: Run, tmp_path: Path) -> None:
    again = storage_run(tmp_path, "size=64MiB")
    rows = compare_runs(paper, again, 0.05)
    assert len(rows) == 30
    assert all(str(row["verdict"]).startswith("no difference") for row in rows)


def test_files_of_another_size_and_other_engines_are_not_compared(tmp_path: Path) -> None:
    words = ("blocks=4KiB", "orders=random", "mixes=read")
    one = storage_run(tmp_path / "one", "size=64MiB", *words)
    assert len(compare_runs(one, one, 0.05)) == 1
    others = {
        "file": storage_run(tmp_path / "size", "size=128MiB", *words),
        "engine": storage_run(tmp_path / "engine", "size=64MiB", *words, engine="psync"),
    }
    for title, other in others.items():
        with pytest.raises(UsageError, match=f"no point in common: rows of storage differ in {title}"):
            compare_runs(one, other, 0.05)


def test_the_report_gathers_it(paper: Run) -> None:
    content = gather(paper)
    assert list(content.sections) == ["storage"]
