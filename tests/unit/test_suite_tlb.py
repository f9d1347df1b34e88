"""The plan of tlb: two layouts of as many lines, more points where a level ends, and what is refused."""

from dataclasses import dataclass

import msgspec
import pytest

from made import made_facts
from made_machine import made_machine
from made_tlb import COARSE, L1_S, TWO, MadeTlb, time_of
from tierscope.errors import UsageError
from tierscope.plans import Answer, suites
from tierscope.plans.live import describe
from tierscope.record.experiment import Experiment
from tierscope.record.machine import Machine
from tierscope.record.result import Clock, Record
from tierscope.run.expected import expected_seconds, imagine
from tierscope.stats.median import Interval
from tierscope.stats.tlb import APART, BESIDE, PARTS
from tierscope.units import GiB, KiB, MiB

SUITE = suites["tlb"]
CLOCK = Clock(source="tsc", hz=2e9, resolution_s=5e-10, read_cost_s=2e-8)


def machine(free: int = 20 * GiB, cache: int = 32 * MiB) -> Machine:
    made = made_machine(2)
    caches = tuple(msgspec.structs.replace(c, size_bytes=cache) if c.level > 1 else c for c in made.identity.caches)
    identity = msgspec.structs.replace(made.identity, caches=caches)
    return msgspec.structs.replace(made, identity=identity, state={"available_bytes": free})


def planned(on: Machine | None = None, **words: str) -> list[Experiment]:
    experiments = imagine(SUITE.plan(on or machine(), SUITE.read(words)))
    return [experiment for experiment in experiments if experiment.table == "tlb"]


@dataclass(frozen=True)
class _Group:
    interval: Interval


@dataclass(frozen=True)
class _Point:
    groups: tuple[_Group, ...]


def told(
    made: MadeTlb,
    given: dict[str, int] | None = None,
    *,
    split: bool = False,
    parts_on: int = 0,
    on: Machine | None = None,
    **words: str,
) -> list[Experiment]:
    """The plan on a machine with that TLB; given: word -> bytes that the system really gives. split: as `time_of`.

    parts_on: bytes of the pages that a probe of parts gets; 0: those of `given`.
    """
    plan = SUITE.plan(on or machine(), SUITE.read(words))
    found = [next(plan)]
    try:
        while True:
            found.append(plan.send(_answer(found[-1], made, given or {"4k": 4 * KiB, "thp": 2 * MiB}, split, parts_on)))
    except StopIteration:
        return [experiment for experiment in found if experiment.table == "tlb"]


def _answer(experiment: Experiment, made: MadeTlb, pages: dict[str, int], split: bool, parts_on: int) -> Answer:
    group = experiment.groups[0]
    size = parts_on if parts_on and experiment.labels.get("layout") == PARTS else pages[group.target.pages]
    facts = made_facts(group, pages={str(size): 1})
    record = Record(
        number=0, experiment=experiment, groups=(facts,), clock=CLOCK, samples="samples/0000.parquet",
        blocks=1, started="", seconds=0.1, largest_relative_error=0.0,
    )  # fmt: skip
    rate = 1 / (time_of(experiment, made, split=split) if experiment.table == "tlb" else 1e-9)
    point = _Point((_Group(Interval(rate, rate, rate, 100)),))
    return Answer(experiment, record, point)  # type: ignore[arg-type]


def touched(experiments: list[Experiment], layout: str) -> list[int]:
    return [int(e.labels["touched"] or 0) for e in experiments if e.labels["layout"] == layout]


def test_each_number_of_pages_is_measured_apart_and_side_by_side() -> None:
    experiments = planned(pages="4k")
    assert touched(experiments, APART) == touched(experiments, BESIDE) == list(reversed(COARSE))
    apart, beside = experiments[:2]
    assert apart.groups[0].workload.work.element_bytes == 4 * KiB + 64
    assert apart.groups[0].workload.footprint_bytes == 16384 * (4 * KiB + 64)
    assert beside.groups[0].workload.work.element_bytes == 64
    assert beside.groups[0].workload.footprint_bytes == 16384 * 64


def test_lines_side_by_side_are_on_the_largest_pages_and_are_measured_once() -> None:
    experiments = planned()
    beside = [e for e in experiments if e.labels["layout"] == BESIDE]
    assert {e.groups[0].target.pages for e in beside} == {"thp"}
    counts = touched(experiments, BESIDE)
    assert len(counts) == len(set(counts))
    (probed, *_) = touched(experiments, PARTS)
    assert {*touched(experiments, APART), probed} == set(counts)
    assert sum(expected_seconds(e) for e in experiments) < 60


def test_on_small_pages_a_page_is_finished_before_the_next() -> None:
    windows = {
        e.labels["touched"]: e.groups[0].workload.work.locality_bytes
        for e in planned(pages="4k")
        if e.labels["layout"] == BESIDE
    }
    assert windows[16384] == 4 * KiB
    assert windows[64] == windows[8] == 0
    large = [e for e in planned(pages="thp") if e.labels["layout"] != PARTS]
    assert {e.groups[0].workload.work.locality_bytes for e in large} == {0}


def test_more_points_are_laid_where_a_level_ends() -> None:
    experiments = told(TWO, pages="4k")
    fine = [int(e.labels["touched"] or 0) for e in experiments if not e.labels["coarse"]]
    assert fine
    assert any(91 < n < 108 for n in fine)
    assert any(1448 < n < 2435 for n in fine)
    assert not any(200 < n < 1000 for n in fine)
    assert len(fine) < 60


def test_large_pages_that_are_translated_in_parts_are_measured_in_parts() -> None:
    """A host may map the pages of a guest in pages of 4 KiB: lines on one large page then need many entries."""
    for split in (False, True):
        experiments = told(TWO, split=split, pages="thp")
        first, last = [e.groups[0].workload for e in experiments if e.labels["layout"] == PARTS]
        for one in (first, last):
            element = one.work.element_bytes
            assert (element - 64) % (8 * KiB) == 4 * KiB  # all sets of a TLB
            assert one.work.locality_bytes == one.per_block * element  # a block is a window
            assert 2 * MiB - element < one.work.locality_bytes <= 2 * MiB  # a window is a page
            assert one.work.order == "sequential"
        assert first.footprint_bytes == 96 * first.work.locality_bytes
        curve = max(e.groups[0].workload.footprint_bytes for e in experiments if e.labels["layout"] == APART)
        assert last.footprint_bytes <= curve
        assert last.footprint_bytes / last.work.locality_bytes == (32 if split else 1023)
        apart = [e for e in experiments if e.labels["layout"] == APART]
        assert {e.groups[0].workload.work.element_bytes for e in apart} == {(4 * KiB if split else 2 * MiB) + 64}
        assert {e.labels.get("part_bytes") for e in apart} == {4 * KiB if split else None}
        assert max(int(e.labels["touched"] or 0) for e in apart) == (16384 if split else 1023)
        assert {e.groups[0].target.pages for e in experiments} == {"thp"}
    assert not [e for e in told(TWO, pages="4k") if e.labels["layout"] == PARTS]


@pytest.mark.parametrize("cache", [64 * KiB, 256 * KiB, 2 * MiB])
@pytest.mark.parametrize("memory", ["64MiB", "2GiB"])
def test_a_small_cache_still_shows_parts(cache: int, memory: str) -> None:
    experiments = told(TWO, split=True, on=machine(cache=cache), pages="thp", memory=memory)
    probes = [e.groups[0].workload for e in experiments if e.labels["layout"] == PARTS]
    assert probes
    assert probes[0].footprint_bytes // probes[0].work.element_bytes >= 256
    assert {e.labels.get("part_bytes") for e in experiments if e.labels["layout"] == APART} == {4 * KiB}


@pytest.mark.parametrize("size", [16 * KiB, 64 * KiB])
def test_base_pages_have_no_parts(size: int) -> None:
    """Parts of 4 KiB are not much smaller than these pages."""
    experiments = told(TWO, {"4k": size}, split=True, pages="4k")
    assert not [e for e in experiments if e.labels["layout"] == PARTS]


def test_a_probe_on_other_pages_shows_no_parts() -> None:
    """A probe of its own memory may get small pages, where the whole curve gets large ones."""
    experiments = told(TWO, {"thp": 2 * MiB}, split=True, parts_on=4 * KiB, pages="thp")
    assert {e.labels.get("part_bytes") for e in experiments if e.labels["layout"] == APART} == {None}


def test_a_little_more_time_shows_no_parts() -> None:
    little = MadeTlb(((96, 6),), (0.2 * L1_S,))
    experiments = told(little, split=True, pages="thp")
    assert {e.labels.get("part_bytes") for e in experiments if e.labels["layout"] == APART} == {None}


@pytest.mark.parametrize(("split", "most", "grain"), [(False, 1023, 0), (True, 16384, 4 * KiB)])
def test_the_control_of_split_pages_finishes_a_part_before_the_next(most: int, grain: int, *, split: bool) -> None:
    experiments = told(TWO, split=split, pages="thp")
    (last,) = [e for e in experiments if e.labels["layout"] == BESIDE and e.labels["touched"] == most]
    assert last.groups[0].workload.work.locality_bytes == grain


def test_pages_of_a_gibibyte_may_be_in_parts_of_either_size() -> None:
    given = {"1g": GiB}
    parts = [e for e in told(TWO, given, pages="1g", memory="32GiB") if e.labels["layout"] == PARTS]
    assert [e.labels["part_bytes"] for e in parts] == [4 * KiB, 2 * MiB, 4 * KiB]  # the last one: over the curve
    split = told(TWO, given, split=True, pages="1g", memory="32GiB")
    assert {e.labels["part_bytes"] for e in split if e.labels["layout"] == PARTS} == {4 * KiB}


def test_a_page_size_that_the_system_does_not_give_is_measured_as_what_it_is_and_once() -> None:
    experiments = told(TWO, {"4k": 4 * KiB, "thp": 4 * KiB})
    assert {e.labels["found_page_bytes"] for e in experiments} == {4 * KiB}
    counts = touched(experiments, APART)
    assert len(counts) == len(set(counts))


def test_large_pages_are_as_many_as_fit_in_memory() -> None:
    experiments = planned(pages="thp")
    assert max(touched(experiments, APART)) == 1023
    assert "1023 pages of 2 MiB instead of 16384" in experiments[0].note
    assert max(touched(planned(pages="thp", memory="1GiB"), APART)) == 511
    assert max(touched(planned(machine(free=1 * GiB), pages="thp"), APART)) == 255


def test_lines_fill_no_more_than_half_of_the_last_cache() -> None:
    assert max(touched(planned(machine(cache=1 * MiB), pages="4k"), APART)) == 8192
    assert max(touched(planned(machine(cache=1 * MiB), pages="4k", to="12000"), APART)) == 12000


def test_progress_names_the_layout() -> None:
    apart, beside = planned(pages="4k")[:2]
    assert describe(apart) == "16384 lines a page apart, 4k"
    assert describe(beside) == "16384 lines side by side, 4k"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"pages": "3m"}, "unknown page size"),
        ({"pages": ""}, "no page size is named"),
        ({"cpu": "7"}, "CPU 7 may not be used here; usable: 0,1"),
        ({"to": "3"}, "a number from 64"),
        ({"target": ":x"}, "has no name"),
        ({"memory": "16MiB", "pages": "thp"}, "contain 7 pages of 2 MiB: too few for a TLB; try memory=33MiB"),
    ],
)
def test_it_refuses(words: dict[str, str], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        planned(machine(), **words)
