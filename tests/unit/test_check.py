"""Thresholds: a file is read, points are judged, a file is made of a run; bad input names what is possible."""

import math
import tomllib
from pathlib import Path

import msgspec
import pytest

from made import Maker, add_latency, add_stream
from stored import stored
from tierscope.check import text
from tierscope.check.file import read_text
from tierscope.check.judge import FAILED, NOT_KNOWN, PASSED, _harmless, judge
from tierscope.check.threshold import Threshold
from tierscope.check.write import thresholds_of
from tierscope.compare.measures import measures
from tierscope.errors import Exit, ResultError, UnknownNameError, UsageError
from tierscope.plans import suites
from tierscope.record.result import Run, load, save_result

HERE = Path("memory.toml")
READ = '[[threshold]]\ntable = "stream"\nwhere = { kernel = "read", threads = 2 }\n'


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    maker = Maker(tmp_path_factory.mktemp("check") / "run")
    add_stream(maker, ("read", "triad"))
    add_latency(maker, (1 << 29,))
    return maker.save("quick")


def file_of(*lines: str) -> str:
    return "\n".join(lines) + "\n"


def bounds_of(run: Run, name: str, conclusive: bool) -> tuple[dict[str, object], float, float]:
    """Keys and bounds of the first point of a measure that is so."""
    measure = measures()[name]
    row = next(row for row in measure.rows(run) if row["conclusive"] is conclusive and measure.interval(row))
    found = measure.interval(row)
    assert found is not None
    return {key: row[key] for key in measure.table.keys if row[key] is not None}, found.low, found.high


def verdict(run: Run, name: str, conclusive: bool, low: float, high: float) -> str:
    """The threshold of a point, by factors: below 1 of its low bound, above 1 of its high bound."""
    where, least, most = bounds_of(run, name, conclusive)
    middle = (least + most) / 2
    at = {-math.inf: -math.inf, math.inf: math.inf, 0.9: least * 0.9, 1.0: middle, 1.1: most * 1.1}
    (found,) = judge(run, [Threshold(1, "", measures()[name], where, at[low], at[high])]).points  # type: ignore[arg-type]
    assert bool(found.reasons) == (found.verdict == NOT_KNOWN)
    return found.verdict


NONE, ALL = -math.inf, math.inf


@pytest.mark.parametrize(
    ("low", "high", "sure", "unsure"),
    [
        (0.9, ALL, PASSED, PASSED),
        (1.1, ALL, FAILED, NOT_KNOWN),
        (1.0, ALL, NOT_KNOWN, NOT_KNOWN),
        (NONE, 1.1, PASSED, PASSED),
        (NONE, 0.9, FAILED, NOT_KNOWN),
        (0.9, 1.1, PASSED, PASSED),
        (1.0, 1.1, NOT_KNOWN, NOT_KNOWN),
    ],
)
def test_a_verdict_asks_for_the_whole_interval(run: Run, low: float, high: float, sure: str, unsure: str) -> None:
    assert verdict(run, "stream", True, low, high) == sure
    assert verdict(stored("storage"), "storage", False, low, high) == unsure


def test_less_is_better_turns_the_slow_side(run: Run) -> None:
    assert verdict(run, "latency", True, NONE, 1.1) == PASSED
    assert verdict(run, "latency", True, NONE, 0.9) == FAILED


@pytest.mark.parametrize(
    ("doubts", "slow_side", "other_side"),
    [
        (("interval ±12 % over 2 %",), True, True),  # it is within the threshold as a whole
        (("only 16 clean blocks of 513: the machine is busy",), True, False),
        (("others use the memory: one CPU got 13% less than in quiet times",), True, False),
        (("not steady: still falling",), False, False),
        (("interval ±12 % over 2 %", "not steady: still falling"), False, False),
        ((), False, False),
    ],
)
def test_a_doubt_that_may_hide_a_slow_number_lets_no_point_pass(
    doubts: tuple[str, ...], slow_side: bool, other_side: bool
) -> None:
    """Time that others take makes memory look slower; a number that still falls will be slower than it looks."""
    bandwidth = measures()["stream"]
    assert _harmless(Threshold(1, "", bandwidth, {}, 1.0, math.inf), doubts) == slow_side
    assert _harmless(Threshold(1, "", bandwidth, {}, -math.inf, 1.0), doubts) == other_side


def test_a_run_that_is_not_complete_is_not_judged(run: Run) -> None:
    half = Run(path=run.path, result=msgspec.structs.replace(run.result, complete=False))
    with pytest.raises(ResultError, match="is not complete; finish it with `tierscope resume"):
        judge(half, [])


def test_a_point_without_an_interval_is_not_known() -> None:
    asked = read_text('[[threshold]]\ntable = "contention"\nat_least = "1 B/s"\n', HERE)
    points = judge(stored("contention"), asked.thresholds).points
    assert {(one.verdict, one.reasons[0]) for one in points} == {(NOT_KNOWN, "it has no interval")}


def test_the_worst_verdict_is_that_of_the_whole(run: Run) -> None:
    low = file_of(READ, 'at_least = "1 GB/s"')
    high = file_of(READ, 'at_least = "900 GB/s"')
    assert judge(run, read_text(low, HERE).thresholds).status == Exit.GOOD
    found = judge(run, read_text(low + high, HERE).thresholds)
    assert found.status == Exit.FAILED
    assert text.sentence(found) == f"check: failed: 1 of 2 points; {run.path}"
    (line,) = text.details(found)
    assert "stream bandwidth: read, threads 2" in line
    assert "must be at least 900 GB/s" in line


def test_a_threshold_judges_every_point_that_it_matches(run: Run) -> None:
    wide = read_text('[[threshold]]\ntable = "stream"\nat_least = "1 GB/s"\n', HERE)
    assert len(judge(run, wide.thresholds).points) == 4


def test_keys_take_units_and_their_short_names(run: Run) -> None:
    for where in ('footprint = "512 MiB", page = "4 KiB"', f"footprint_bytes = {1 << 29}, page_bytes = 4096"):
        keys = f"where = {{ {where}, order = 'global' }}"
        asked = file_of('[[threshold]]\ntable = "latency"', keys, 'at_most = "1 ms"')
        found = judge(run, read_text(asked, HERE).thresholds)
        assert [one.verdict for one in found.points] == [PASSED]


@pytest.mark.parametrize("name", ["stream", "latency", "maps", "flush"])
def test_a_run_keeps_the_thresholds_that_are_made_of_it(name: str) -> None:
    run = stored(name)
    for margin in (0.0, 0.1):
        made = read_text(thresholds_of(run, margin), HERE)
        found = judge(run, made.thresholds)
        assert found.verdict == PASSED
        assert made.suite == run.result.suite
        options, kept = suites[made.suite].read(made.options).labels(), run.result.options
        assert {key: options[key] for key in kept} == kept


def test_a_made_file_fails_a_run_that_is_slower_than_the_margin(tmp_path: Path, run: Run) -> None:
    text_of = thresholds_of(run, 0.1)
    clock = [msgspec.structs.replace(one, clock=msgspec.structs.replace(one.clock, hz=one.clock.hz * 0.8))
             for one in run.result.records]  # fmt: skip
    path = tmp_path / "slower"
    (path / "samples").mkdir(parents=True)
    for sample in (run.path / "samples").iterdir():
        (path / "samples" / sample.name).write_bytes(sample.read_bytes())
    (path / "manifest.json").write_bytes((run.path / "manifest.json").read_bytes())
    save_result(path, msgspec.structs.replace(run.result, records=tuple(clock)))
    found = judge(load(path), read_text(text_of, HERE).thresholds)
    assert {one.verdict for one in found.points} == {FAILED}


def test_a_made_file_leaves_out_what_is_inconclusive_and_sizes_that_are_all_alike(run: Run) -> None:
    made = tomllib.loads(thresholds_of(stored("stream"), 0.05))
    assert {tuple(one["where"]) for one in made["threshold"]} == {("kernel", "threads", "target")}
    flush = measures()["flush"].rows(stored("flush"))
    sure = [row for row in flush if row["conclusive"]]
    assert len(tomllib.loads(thresholds_of(stored("flush"), 0.05))["threshold"]) == len(sure) < len(flush)
    with pytest.raises(UsageError, match="no conclusive main number"):
        thresholds_of(stored("numa"), 0.1)


def test_words_of_a_foreign_run_stay_words_in_a_made_file(run: Run) -> None:
    result = msgspec.structs.replace(
        run.result, started='soon\n[options]\nlimit = "1h"', options={"x\ny": 1, "limit": 5}
    )
    made = tomllib.loads(thresholds_of(Run(path=run.path, result=result), 0.1))
    assert made["options"] == {"limit": 5}


# --- bad input ---

LONG = "1" + "0" * 400  # a whole number of TOML that is not a number of a machine
WRONG = [
    ("[[threshold]", "is not TOML"),
    ("", r"no \[\[threshold\]\]"),
    ("threshold = 3", r"no \[\[threshold\]\]"),
    ("threshold = [3]", "threshold 1: it is not a table"),
    ("thresholds = []", "did you mean threshold"),
    (f"suite = 3\n{READ}at_least = 1", "suite=3 is not text"),
    (f"options = 3\n{READ}at_least = 1", "options=3 is not a table"),
    (f"options = {{ limit = 2026-01-02 }}\n{READ}at_least = 1", "is not a value of an option"),
    ("[[threshold]]\nat_least = 1", "has no table; known: .*stream"),
    ('[[threshold]]\ntable = "strea"\nat_least = 1', "did you mean stream"),
    ('[[threshold]]\ntable = "calibration"\nat_least = 1', "no main value; tables that have one: .*stream"),
    ('[[threshold]]\ntable = "sharing"\nat_most = 1', "several main values"),
    (f'{READ}value = "bandwidt"\nat_least = "1 GB/s"', "did you mean bandwidth"),
    (f'{READ}at_leas = "1 GB/s"', "did you mean at_least"),
    (READ, "it has no bound"),
    (f"{READ}at_least = 20", 'has no unit; try at_least = "20 GB/s"'),
    (f'{READ}at_least = "20"', "has no unit"),
    (f'{READ}at_least = "20 Gb/s"', "unknown unit 'Gb/s'"),
    (f'{READ}at_least = "20 ns"', "unknown unit 'ns'"),
    (f'{READ}at_least = "fast"', "is not a number"),
    (f"{READ}at_least = true", "is not a number"),
    (f'[[threshold]]\ntable = "sharing"\nvalue = "gain"\nat_least = {LONG}', "not a number that a value can have"),
    (f'[[threshold]]\ntable = "stream"\nwhere = {{ threads = {LONG} }}\nat_least = "1 GB/s"', "where.threads: this is"),
    ('[[threshold]]\ntable = "sharing"\nvalue = "gain"\nat_least = nan', "not a number that a value can have"),
    (f'{READ}at_least = "3 GB/s"\nat_most = "2 GB/s"', "is impossible"),
    ('[[threshold]]\ntable = "stream"\nwhere = 3\nat_least = "1 GB/s"', "where=3 is not a table"),
    ('[[threshold]]\ntable = "stream"\nwhere = { kernels = "read" }\nat_least = "1 GB/s"', "did you mean kernel"),
    ('[[threshold]]\ntable = "stream"\nwhere = { page = "4 KX" }\nat_least = "1 GB/s"', "where.page: unknown unit"),
    ('[[threshold]]\ntable = "stream"\nwhere = { threads = [1] }\nat_least = "1 GB/s"', "neither text nor a number"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "why"), WRONG)
def test_a_mistake_in_a_file_is_named_with_its_place(content: str, why: str) -> None:
    with pytest.raises(UsageError, match=why) as error:
        read_text(content, HERE)
    assert str(error.value).startswith("memory.toml")


@pytest.mark.parametrize(
    ("where", "why"),
    [
        ('kernel = "reat"', "unknown kernel of stream 'reat'; did you mean read? (known: read, triad)"),
        ('kernel = "read", threads = 4', "unknown threads of stream with kernel read '4' (known: 1, 2)"),
        ('page = "1 GiB"', "unknown page of stream '1 GiB'; did you mean 2 MiB? (known: 2 MiB)"),
    ],
)
def test_a_point_that_a_run_does_not_have_names_what_it_has(run: Run, where: str, why: str) -> None:
    asked = file_of('[[threshold]]\ntable = "stream"', f"where = {{ {where} }}", 'at_least = "1 GB/s"')
    with pytest.raises(UnknownNameError) as error:
        judge(run, read_text(asked, HERE).thresholds)
    assert why in str(error.value)
    assert "threshold 1 (stream bandwidth)" in str(error.value)


def test_a_table_that_a_run_does_not_have_names_those_that_it_has(run: Run) -> None:
    asked = read_text('[[threshold]]\ntable = "tlb"\nat_most = "1 us"\n', HERE)
    with pytest.raises(UsageError, match="no points of tlb; it has latency, stream"):
        judge(run, asked.thresholds)
