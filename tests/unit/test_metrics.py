"""Formulas over counts, and the files that name a processor's events."""

from pathlib import Path

import pytest

from tierscope.errors import UsageError
from tierscope.metrics import FOLDER, Formula, metrics_for, read_metrics


def test_a_formula_is_arithmetic_over_counts() -> None:
    formula = Formula.parse("(a + 2) * line / b - 1")
    assert formula.names == {"a", "b", "line"}
    assert formula.value({"a": 4.0, "line": 64.0, "b": 2.0}) == 191.0
    assert formula.value({"a": 4.0, "line": 64.0, "b": 0.0}) is None


@pytest.mark.parametrize(
    "text", ["", "a +", "a ** 2", "f(a)", "a.b", "a if b else c", "'a'", "a; b", "a < b", "-a", "True"]
)
def test_a_formula_that_is_more_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="formula"):
        Formula.parse(text)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_every_file_of_metrics_names_its_events_and_its_source(path: Path) -> None:
    found = read_metrics(path.stem, path.read_text())
    assert found.source
    assert found.summary
    known = {word for words in found.events for word in words.strip("{}").split(",")}
    simulated = {"memory_reads", "memory_writes", "L1d_load_lines", "L1d_load_line_misses"}
    names = {word.replace("-", "_") for word in known} | {"operations", "seconds", "line"} | simulated
    for metric in found.metrics:
        assert metric.formula.names <= names, metric.name
        assert metric.summary
    assert set(found.names) <= known, "an encoding that nobody counts"
    assert len({metric.name for metric in found.metrics}) == len(found.metrics)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_cycles_and_the_clock_count_over_the_same_time_inside_of_all_other_groups(path: Path) -> None:
    last = read_metrics(path.stem, path.read_text()).events[-1].strip("{}").split(",")
    assert {"cycles", "instructions", "task-clock"} <= set(last)


def test_zen_3_sets_fills_from_memory_against_those_from_everywhere_behind_the_l2() -> None:
    zen = {metric.name: metric.formula for metric in metrics_for("AuthenticAMD:25:1:1").metrics}
    counts = {"fills_near": 20.0, "fills_far": 10.0, "fills_l3": 50.0, "fills_caches": 20.0, "demand_memory": 6.0}
    assert zen["llc_miss_ratio"].value(counts) == pytest.approx(0.3)
    assert zen["prefetched_share"].value(counts) == pytest.approx(0.8)
    assert zen["l1_fill_bytes_from_memory"].value({**counts, "line": 64.0, "operations": 30.0}) == 64


def test_a_file_is_chosen_by_the_processor_and_leaves_the_rest_to_the_generic_one() -> None:
    lake = metrics_for("GenuineIntel:6:106:6")
    assert lake.name == "icelake_sp"
    assert "{cycles,instructions,cpu/event=0xa3,umask=0x04,cmask=0x04/," in lake.words()
    assert lake.words().endswith(",cpu/event=0xa6,umask=0x40,cmask=0x02/,task-clock}")
    assert lake.called("cpu/event=0xd1,umask=0x20/") == "retired_l3_misses"
    assert {"ipc", "memory_stall_share"} <= {metric.name for metric in lake.metrics}
    stall = next(metric for metric in lake.metrics if metric.name == "stall_share")
    assert stall.formula.text == "stalls_total / cycles"
    assert metrics_for("GenuineIntel:6:1").name == "generic"


def test_named_encodings_may_be_asked_for_in_groups() -> None:
    lake = metrics_for("GenuineIntel:6:106:6")
    assert lake.words("{cycles,stalls_l3_miss},cpu/event=1,umask=2/") == (
        "{cycles,cpu/event=0xa3,umask=0x06,cmask=0x06/},cpu/event=1,umask=2/"
    )


@pytest.mark.parametrize(
    "text",
    ["summary = 1", "x", "x = " + 2000 * "[", "summary='a'\nsource='b'\nprocessors=[]\nevents=[]\nmore=1",
     "summary='a'\nsource='b'\nprocessors=[]\nevents=[]\n[[metric]]\nname='a'\nsummary='b'\nformula='a'\nunit='x'"],
)  # fmt: skip
def test_a_damaged_file_is_named(text: str) -> None:
    with pytest.raises(UsageError, match=r"metrics mine\.toml"):
        read_metrics("mine", text)


@pytest.mark.parametrize(
    ("family", "name", "stalls"),
    [
        ("0x41:15:0xd0c:r3p1", "neoverse_n1", False),
        ("0x41:15:0xd40:r1p1", "neoverse_v1", True),
        ("0x41:15:0xd4f:r0p0", "neoverse_v2", True),
        ("0x41:15:0xd49:r0p3", "neoverse_v2", True),
    ],
)
def test_neoverse_is_found_by_its_midr_and_states_what_it_cannot_count(family: str, name: str, *, stalls: bool) -> None:
    found = metrics_for(family)
    assert found.name == name
    own = {metric.name: metric.formula for metric in found.metrics}
    absent = {one.name: one.reason for one in found.absent}
    assert ("memory_stall_share" in own) is stalls
    assert ("memory_stall_share" in absent) is not stalls
    assert not own.keys() & absent.keys()
    assert all(absent.values())
    counts = {
        "l2_refills": 30.0,
        "l2_reads_refilled": 27.0,
        "l2_writes_refilled": 3.0,
        "operations": 15.0,
        "line": 64.0,
    }
    assert own["core_bytes_in"].value(counts) == 128
    assert own["reads_for_stores_share"].value(counts) == pytest.approx(0.1)
    assert "cpu/event=0x37/" in found.words()


def test_no_group_of_neoverse_needs_more_than_six_counters_and_that_of_cycles() -> None:
    free = {"cycles", "task-clock", "page-faults", "context-switches", "cpu-migrations"}
    for name in ("neoverse_n1", "neoverse_v1", "neoverse_v2"):
        for group in read_metrics(name, (FOLDER / f"{name}.toml").read_text()).events:
            assert len(set(group.strip("{}").split(",")) - free) <= 6
