"""The plan of buffers and of fresh regions: which regions, on how much memory, for how long, and what is refused."""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from made_buffers import FOOTPRINT, OPTANE, model_s
from made_machine import made_machine
from tierscope.errors import UsageError
from tierscope.plans import Answer, fresh, suites
from tierscope.plans.live import describe
from tierscope.plans.simulation import SHORTER
from tierscope.record.experiment import Experiment
from tierscope.run.expected import imagine
from tierscope.stats.buffers_levels import Pass
from tierscope.stats.buffers_rivals import LARGEST_UNIT
from tierscope.stats.buffers_search import Place
from tierscope.suites.buffers import experiments as buffers
from tierscope.units import GiB, KiB, MiB

MACHINE = made_machine(2)


def planned(suite: str = "buffers", **words: str) -> list[Experiment]:
    return imagine(suites[suite].plan(MACHINE, suites[suite].read({"footprint": "1GiB", **words})))


def regions(experiments: list[Experiment], operation: str) -> list[int]:
    return [int(e.labels["region_bytes"] or 0) for e in experiments if e.labels["operation"] == operation]


def test_reads_begin_at_random_and_then_follow_by_address_to_the_largest_region() -> None:
    experiments = planned(to="16MiB", op="read")
    at_random = [one for one in experiments if one.labels["scattered"]]
    pairs = [one for one in at_random if "stride_bytes" in one.labels]
    assert regions(at_random, "read") == [*buffers.SCATTERED, *[128] * len(pairs)]
    assert buffers.SCATTERED[-1] == 2 * LARGEST_UNIT
    assert regions(experiments[len(at_random) :], "read") == [2 * KiB << step for step in range(14)]
    for one in experiments:
        (group,) = one.groups
        assert group.workload.work.order == ("random" if one in at_random else "sequential")
        assert (group.workload.kernel, group.workload.work.element_bytes) == ("chase", 64)
        assert group.workload.work.locality_bytes == one.labels["region_bytes"]
        assert group.workload.work.spacing_bytes == (one.labels["stride_bytes"] if one in pairs else 0)
        assert GiB - 16 * MiB < group.workload.footprint_bytes <= GiB


def test_pairs_have_each_distance_up_to_twice_the_largest_unit() -> None:
    pairs = [one for one in planned(op="read") if "stride_bytes" in one.labels]
    assert [one.labels["stride_bytes"] for one in pairs] == list(buffers.DISTANCES)
    assert buffers.DISTANCES[-1] == 2 * LARGEST_UNIT
    for one in pairs:
        assert one.groups[0].workload.footprint_bytes % (2 * int(one.labels["stride_bytes"] or 0)) == 0


def test_passes_come_around_a_capacity_and_then_close_in_on_the_largest_step() -> None:
    known, unit, capacity = buffers.Known(FOOTPRINT), 512, 100 * KiB
    asked: list[int] = []

    def read(region: int, *, stride: int) -> list[Experiment]:
        assert stride == unit
        asked.append(region)
        known.passes.append(Pass(region, stride, 80e-9 if region <= capacity else 110e-9, 0.002))
        return []

    list(buffers.outgrowing(known, unit, 0.93 * capacity, 16 * MiB, read))
    first, closer = asked[: len(buffers.PASSES)], asked[len(buffers.PASSES) :]
    assert first == sorted(first)
    assert first[0] < capacity < first[-1]
    assert all(region % unit == 0 for region in asked)
    assert 1 <= len(closer) <= buffers.HALVED
    below = max(region for region in asked if region <= capacity)
    above = min(region for region in asked if region > capacity)
    assert above <= max(buffers.NEAR * below, below + unit)


def test_passes_do_not_close_in_on_what_rises_slowly() -> None:
    known = buffers.Known(FOOTPRINT)

    def read(region: int, *, stride: int) -> list[Experiment]:
        known.passes.append(Pass(region, stride, 80e-9 * region**0.1, 0.002))
        return []

    list(buffers.outgrowing(known, 512, 100.0 * KiB, 16 * MiB, read))
    assert len(known.passes) <= len(buffers.PASSES) + 1


def test_regions_in_passes_read_one_line_of_each_unit_before_the_next() -> None:
    walk = buffers.field_of(MACHINE, suites["buffers"].read({"footprint": "1GiB"}))
    one = walk.read_passes(96 * KiB, 4 * KiB)
    work = one.groups[0].workload.work
    assert (work.locality_bytes, work.spacing_bytes, work.order) == (24 * 64, 4 * KiB, "sequential")
    assert one.groups[0].workload.footprint_bytes % (96 * KiB) == 0
    assert (one.labels["region_bytes"], one.labels["stride_bytes"]) == (96 * KiB, 4 * KiB)


def test_a_block_contains_whole_regions_or_a_part_of_a_large_one() -> None:
    for one in planned(to="16MiB"):
        region, work = int(one.labels["region_bytes"] or 0), one.groups[0].workload
        block = work.per_block * work.work.element_bytes
        assert block % region == 0 or region % block == 0
        assert fresh.BLOCK_BYTES <= block <= fresh.WHOLE_BYTES


FAR = 128 * MiB


@pytest.mark.parametrize("capacity", [3 * KiB, 24 * KiB, 163_840, 327_680, 3.4 * MiB, 29_360_128, 57 * MiB])
def test_regions_about_a_capacity_are_timed_in_equal_parts(capacity: float) -> None:
    walk = buffers.field_of(MACHINE, suites["buffers"].read({"footprint": "1GiB"}))
    more = buffers.finer(buffers.Known(FOOTPRINT), [Place(512, capacity)], buffers.ROUNDS[0], FAR)
    assert len(more) > 5
    for region in more:
        work = walk.read(region).groups[0].workload
        block = work.per_block * work.work.element_bytes
        assert block % region == 0 or region % block == 0
        assert block <= fresh.WHOLE_BYTES


def test_writes_end_each_region_with_a_fence() -> None:
    experiments = planned(op="write")
    assert regions(experiments, "write") == list(buffers.WRITTEN)
    assert {one.groups[0].workload.kernel for one in experiments} == {"flush_nt"}
    assert {(one.groups[0].workload.work.order, one.groups[0].workload.work.fence) for one in experiments} == {
        ("once", "region")
    }


@pytest.mark.parametrize(("target", "times"), [("node:0", 1.0), ("sim:optane100", SHORTER)])
def test_large_regions_are_walked_as_a_whole(target: str, times: float) -> None:
    (largest,) = (one for one in planned(target=target) if one.labels["region_bytes"] == 128 * MiB)
    lines = 128 * MiB / 64
    assert largest.schedule.minimum_s >= lines * fresh.LINE_S * times


def test_regions_come_closer_where_a_buffer_was_found() -> None:
    known = buffers.Known(FOOTPRINT)
    for region in buffers.SCATTERED:
        known.points[region, True, 0] = (model_s(OPTANE, region, True), 0.001)
    for region in buffers.coarse(128 * MiB):
        known.points[region, False, 0] = (model_s(OPTANE, region, False), 0.001)
    places = known.places()
    assert [place.capacity_bytes for place in places] == pytest.approx([16 * KiB, 16 * MiB], rel=0.06)
    more = buffers.finer(known, places, buffers.ROUNDS[0], FAR)
    assert len(more) > 8
    assert all(region % 256 == 0 and 2 * KiB <= region <= FAR for region in more)
    assert any(14 * MiB < region <= 18 * MiB for region in more)
    assert any(14 * KiB < region < 16 * KiB for region in more)
    known.points |= {(region, False, 0): (1e-7, 0.001) for region in more}
    assert not set(more) & set(buffers.finer(known, places, buffers.ROUNDS[0], FAR))


def test_regions_are_whole_in_units_where_these_are_large() -> None:
    more = buffers.finer(buffers.Known(FOOTPRINT), [Place(4 * KiB, 24.0 * KiB)], buffers.ROUNDS[0], FAR)
    assert more == [step * 4 * KiB for step in (5, 6, 7, 8, 11, 13, 17)]


def test_what_is_in_one_memory_is_looked_for_where_a_block_exceeds_it() -> None:
    """Each of 12 memories contains 4 KiB, and a region of less than a block of 64 KiB is in one of them."""
    known = buffers.Known(FOOTPRINT, ways=12, grain_bytes=64 * KiB)
    more = buffers.finer(known, [Place(512, 48.0 * KiB)], buffers.ROUNDS[0], FAR)
    assert any(4 * KiB <= region < 5 * KiB for region in more)


def test_nothing_is_looked_for_where_nothing_is_known() -> None:
    known = buffers.Known(FOOTPRINT)
    assert known.places() == []
    assert buffers.finer(known, [], buffers.ROUNDS[0], FAR) == []


def test_fresh_regions_of_latency_are_those_of_whole_blocks() -> None:
    words = {"regions": "fresh", "op": "both", "block": "256B", "to": "1MiB", "per_octave": "1"}
    experiments = imagine(suites["latency"].plan(MACHINE, suites["latency"].read(words)))
    assert {one.table for one in experiments} == {"regions"}
    assert regions(experiments, "read") == regions(experiments, "write") == [256 << step for step in range(13)]
    assert {one.groups[0].workload.kernel for one in experiments} == {"chase_blocks", "flush_nt"}
    assert {one.groups[0].workload.work.element_bytes for one in experiments} == {256}


@dataclass(frozen=True)
class Timed(Answer):
    """A line takes this time."""

    line_s: float = 0.0

    def rate(self, group: int = 0) -> float:
        return 64 / self.experiment.groups[group].workload.work.element_bytes / self.line_s


@pytest.mark.parametrize("block", ["64B", "256B"])
def test_fresh_regions_of_a_slow_memory_last_as_long_as_its_lines_take(block: str) -> None:
    words = {"regions": "fresh", "block": block, "per_octave": "1", "target": "sim:optane100"}
    slow = 2 * fresh.LINE_S
    plan = suites["latency"].plan(MACHINE, suites["latency"].read(words))
    asked = [next(plan)]
    with contextlib.suppress(StopIteration):
        while True:
            asked.append(plan.send(Timed(asked[-1], line_s=slow)))
    assert asked[-1].labels["region_bytes"] == 128 * MiB
    assert asked[-1].schedule.minimum_s >= 128 * MiB / 64 * slow * SHORTER


def test_latency_without_fresh_regions_is_the_staircase() -> None:
    assert {one.table for one in planned_latency()} == {"latency"}


def planned_latency() -> list[Experiment]:
    return imagine(suites["latency"].plan(MACHINE, suites["latency"].read({})))


def test_a_region_in_flight_is_named() -> None:
    assert describe(planned(op="read")[0]) == "read, fresh regions of 64 B"


def refuse(suite: str, words: dict[str, str]) -> Callable[[], list[Experiment]]:
    return lambda: imagine(suites[suite].plan(MACHINE, suites[suite].read(words)))


@pytest.mark.parametrize(
    ("suite", "words", "message"),
    [
        ("buffers", {"to": "64KiB"}, "try to=128MiB"),
        ("buffers", {"footprint": "64MiB"}, "no space for two regions"),
        ("buffers", {"cpu": "99"}, "usable: 0,1"),
        ("buffers", {"op": "erase"}, "erase"),
        ("latency", {"regions": "fresh", "block": "100B"}, "try block=64B"),
        ("latency", {"regions": "fresh", "block": "1MiB", "to": "64KiB"}, "block=1MiB"),
        ("latency", {"regions": "stale"}, "stale"),
    ],
)
def test_impossible_values_are_refused(suite: str, words: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        refuse(suite, words)()


def test_small_pages_are_noted() -> None:
    chosen = suites["buffers"].read({"pages": "4k"})
    assert "TLB" in suites["buffers"].left_out(MACHINE, chosen)[0]
    assert suites["buffers"].left_out(MACHINE, suites["buffers"].read({})) == ()
