"""Points are visited again, spread over the run, each time on new memory, and what is stored resumes within visits."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
import pytest

from fake_core import FakeCore
from lab import Lab, Watch, group, lab_in, plan_of, point
from tierscope.record.experiment import Experiment, Group
from tierscope.record.result import Record, Run, blocks_of, load, save_result
from tierscope.report.content import gather
from tierscope.report.doubtful import next_step, why
from tierscope.run import visits
from tierscope.run.batches import one_visit
from tierscope.run.durations import Durations
from tierscope.run.visits import MOST, Visits, spread_out
from tierscope.stats.summary import ENOUGH
from tierscope.stats.visited import BETWEEN, ONCE, SLOWED
from tierscope.tables.measured import judged, judged_once, measured
from tierscope.units import MiB

KERNELS = ("copy", "scale", "add", "triad", "update")


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    return lab_in(tmp_path, monkeypatch)


def points(visits: int = 3, *, calibrate: bool = False) -> list[Experiment]:
    """One of each kernel, which are of one kind."""
    return [point(group(kernel), calibrate=calibrate, minimum_s=0.2, budget_s=1.0, visits=visits) for kernel in KERNELS]


def run_of(lab: Lab) -> Run:
    return load(lab.directory)


def timed_s(run: Run, record: Record) -> float:
    """Return the seconds of all blocks of a visit."""
    blocks = blocks_of(run.path, record)
    return float((blocks["stop_ticks"] - blocks["start_ticks"]).sum()) / record.clock.hz


def order(records: tuple[Record, ...]) -> list[tuple[int, int]]:
    return [(record.number, record.visit) for record in records]


class Drifting:
    """Each process of the core has its own speed, for each kernel another one."""

    def __init__(self, core: FakeCore, share: float, only: str = "") -> None:
        self._core, self._share, self._only, self._alone = core, share, only, core.speed
        core.speed = self

    def __call__(self, group: Group) -> float:
        kernel = group.workload.kernel
        if self._only and kernel != self._only:
            return self._alone(group)
        rng = np.random.default_rng([self._core.log.count("start"), *kernel.encode()])
        return float(self._alone(group) * np.exp(rng.normal(0, self._share)))


def test_each_point_is_visited_three_times_a_tour_after_the_other(lab: Lab) -> None:
    lab(plan_of(*points()))
    every = run_of(lab).result
    assert order(every.records) == [(number, 0) for number in range(5)]
    assert order(every.visits) == [(number, visit) for visit in (1, 2) for number in range(5)]
    assert [visit.samples for visit in every.visits[:2]] == ["samples/0000-1.parquet", "samples/0001-1.parquet"]
    assert all(visit.experiment == every.records[visit.number].experiment for visit in every.visits)


def test_each_tour_has_a_core_and_mappings_of_its_own(lab: Lab) -> None:
    lab(plan_of(*points()))
    starts = [number for number, step in enumerate(lab.core.log) if step == "start"]
    assert len(starts) == lab.core.log.count("close") == 3
    assert lab.core.open == 0
    for start, end in zip(starts, [*starts[1:], len(lab.core.log)], strict=True):
        prepared = [step for step in lab.core.log[start:end] if step.startswith("prepare")]
        assert prepared == [f"prepare {kernel}" for kernel in KERNELS]


def test_the_visits_of_a_point_share_the_time_that_it_had(lab: Lab) -> None:
    lab.core.noise = lambda group: 2.0  # hopeless: each takes all it may
    (one,) = points()[:1]
    lab(plan_of(one), limit=math.inf)
    times = [float(step.split()[1]) for step in lab.core.log if step.startswith("measure")]
    assert sum(times) <= one.schedule.budget_s + 1e-9
    assert one_visit(one).minimum_s == 0.1


@pytest.mark.parametrize("disturbed", [0.0, 0.75])
def test_a_disturbed_visit_lasts_longer_if_the_limit_leaves_the_time(lab: Lab, disturbed: float) -> None:
    lab.core.disturbed = lambda group: disturbed
    asked = [point(group(kernel), minimum_s=0.1, budget_s=0.6, visits=3) for kernel in KERNELS]
    lab(plan_of(*asked), limit=60.0)
    run = run_of(lab)
    for record in run.result.records:
        times = timed_s(run, record)
        assert times <= 0.11 if not disturbed else 0.2 < times < 0.7
        assert judged_once(run, record).points[0].groups[0].interval.count >= (ENOUGH if disturbed else 0)
        assert measured(run, record).conclusive


def test_disturbed_visits_share_what_the_limit_leaves(lab: Lab) -> None:
    """The first ones do not take the time of the last ones, nor all that further visits need."""
    lab.core.disturbed = lambda group: 0.95
    asked = [point(group(kernel), minimum_s=0.1, budget_s=3.0, visits=3) for kernel in KERNELS]
    lab(plan_of(*asked), limit=6.0)
    run = run_of(lab)
    times = [timed_s(run, record) for record in run.result.records]
    assert min(times) > 0.3
    assert sum(times) < 6.0
    assert run.result.visits


def test_a_visit_that_will_not_have_enough_blocks_does_not_last_longer(lab: Lab) -> None:
    lab.core.disturbed = lambda group: 0.99
    lab(plan_of(point(minimum_s=0.1, budget_s=0.6, visits=3)), limit=60.0)
    run = run_of(lab)
    assert timed_s(run, run.result.records[0]) < 0.25


def test_a_later_visit_lasts_as_long_as_the_first_one_at_most(lab: Lab) -> None:
    lab.core.disturbed = lambda group: 0.9
    lab(plan_of(*(point(group(kernel), minimum_s=0.1, budget_s=2.0, visits=3) for kernel in KERNELS)), limit=20.0)
    run = run_of(lab)
    assert run.result.visits
    for visit in run.result.visits:
        assert timed_s(run, visit) < timed_s(run, run.result.records[visit.number]) + 0.2


def test_calibration_is_done_once_and_all_visits_take_its_walk(lab: Lab) -> None:
    lab(plan_of(*points(calibrate=True)))
    every = run_of(lab).result
    assert all(record.calibration for record in every.records)
    assert not any(visit.calibration for visit in every.visits)
    for visit in every.visits:
        assert visit.groups == every.records[visit.number].groups


def test_differences_between_visits_are_in_the_interval_and_in_its_verdict(lab: Lab) -> None:
    Drifting(lab.core, 0.05)
    lab.core.noise = lambda group: 0.001
    lab(plan_of(*points()))
    run = run_of(lab)
    for record in run.result.records:
        alone, found = judged_once(run, record).points[0], measured(run, record)
        assert alone.conclusive
        assert found.groups[0].interval.relative > 10 * alone.groups[0].interval.relative
        assert found.seen
        assert found.seen.between_share is not None
        assert found.seen.between_share > 0.9
        assert found.seen.visits >= 3
        assert found.reasons[-1].endswith(BETWEEN)
    content = gather(run)
    assert " like the first: " in why(content)
    assert why(content).endswith(BETWEEN)
    assert next_step(content).startswith("repeat it")
    assert "with more time" not in next_step(content)  # which no visit lacks


def test_a_steady_machine_has_conclusive_points_with_all_blocks_of_all_visits(lab: Lab) -> None:
    lab(plan_of(*points()))
    run = run_of(lab)
    for record in run.result.records:
        found = measured(run, record)
        own = [visit for visit in run.result.visits if visit.number == record.number]
        assert found.conclusive
        assert found.seen
        assert (found.seen.visits, found.seen.more_blocks) == (3, sum(visit.blocks for visit in own))


def test_a_doubtful_point_is_visited_again_while_its_time_lasts_and_the_others_are_not(lab: Lab) -> None:
    Drifting(lab.core, 0.03, only="triad")
    lab.core.noise = lambda group: 0.001
    lab(plan_of(*points()), limit=math.inf)
    more = run_of(lab).result.visits[10:]
    assert {visit.experiment.groups[0].workload.kernel for visit in more} == {"triad"}
    assert 0 < len(more) <= MOST - 3
    assert sum(v.seconds for v in (run_of(lab).result.records[3], *more)) < points()[0].schedule.budget_s


def test_the_rest_of_a_limit_goes_to_the_widest_points_in_the_order_of_the_plan(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    Drifting(lab.core, 0.3)
    lab(plan_of(*points()), limit=4.0)
    assert lab.core.now <= 4.0
    every = run_of(lab).result
    assert len(every.visits) > 15
    before = Run(path=lab.directory, result=msgspec.structs.replace(every, visits=every.visits[:10]))
    known, widths = Visits(before), {r.number: judged(before, r).relative for r in every.records}
    widest = sorted(widths, key=lambda number: -widths[number])
    all_s = Durations(before.result.records, before.result.visits, {}, {}).tour_s(every.records)
    assert [record.number for record in known.second_look(math.inf)] == sorted(widths)
    assert [record.number for record in known.second_look(all_s * 1.01)] == sorted(widths)
    assert [record.number for record in known.second_look(all_s * 0.61)] == sorted(widest[:3])
    assert known.second_look(0.0) == []
    monkeypatch.setattr(Durations, "point_s", lambda _, record: 6.0 if record.number == widest[0] else 0.5)
    assert [record.number for record in known.second_look(1.1)] == sorted(
        widest[1:3]
    )  # what does not fit stops no other


def test_a_limit_too_short_for_a_tour_leaves_points_out_and_reports_them(lab: Lab) -> None:
    lab(plan_of(*points()), limit=0.8)
    run = run_of(lab)
    assert lab.core.now <= 0.8
    assert 0 < len(run.result.visits) < 4
    once = [r for r in run.result.records if r.number not in {v.number for v in run.result.visits}]
    assert all(measured(run, record).reasons == (ONCE,) for record in once)


def test_visits_of_a_tour_that_leaves_points_out_name_their_tour(lab: Lab) -> None:
    lab(plan_of(*points()), limit=0.8)
    run = run_of(lab)
    tours: dict[int, set[int]] = {}
    for visit in run.result.visits:
        tours.setdefault(visit.moment, set()).add(visit.number)
    assert sorted(tours) == list(range(1, len(tours) + 1))
    assert any(len(numbers) < len(KERNELS) for numbers in tours.values()), "each tour was whole: nothing was tested"
    assert lab.core.log.count("start") >= 1 + len(tours)
    assert all(record.moment == 0 for record in run.result.records)


def test_a_record_that_states_no_tour_is_of_that_of_its_visit(lab: Lab) -> None:
    lab(plan_of(*points()))
    visits = run_of(lab).result.visits
    assert [visit.moment for visit in visits] == [visit.visit for visit in visits]
    assert all(msgspec.structs.replace(visit, tour=None).moment == visit.visit for visit in visits)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 8, 13, 60])
def test_the_first_of_an_order_that_is_spread_out_are_far_apart(count: int) -> None:
    order = spread_out(count)
    assert sorted(order) == list(range(count))
    for first in (4, 8, 16):
        if count > 2 * first:
            gaps = np.diff([*sorted(order[:first]), count])
            assert gaps.max() <= 2 * count / first + 1


def test_a_tour_that_leaves_points_out_does_not_take_the_shortest(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where long points drift more, as those of many threads do, the shortest would state too little drift."""
    kind = [point(group("copy"), minimum_s=0.2, budget_s=1.0, visits=3) for _ in range(16)]
    lab(plan_of(*kind), limit=4.0)
    run = run_of(lab)
    known = Visits(Run(path=lab.directory, result=msgspec.structs.replace(run.result, visits=())))
    monkeypatch.setattr(Durations, "point_s", lambda _, record: 1.0 + record.number)
    chosen = [1.0 + record.number for record in known.next_tour(40.0)]
    assert len(chosen) >= 4
    assert 5.0 < np.mean(chosen) < 12.0
    assert max(chosen) > 12


def first_tour(lab: Lab) -> Visits:
    """Return 16 points of one kind that were visited once; three visits are asked for."""
    kind = [point(group("copy"), minimum_s=0.2, budget_s=1.0, visits=3) for _ in range(16)]
    lab(plan_of(*kind), limit=4.0)
    return Visits(Run(path=lab.directory, result=msgspec.structs.replace(run_of(lab).result, visits=())))


def numbers(records: Iterable[Record]) -> list[int]:
    return [record.number for record in records]


def visited_again(known: Visits, every: Sequence[int]) -> Visits:
    """Return the same run after one more tour through these points."""
    result = known._run.result
    made = (msgspec.structs.replace(result.records[number], visit=known.tour, tour=known.tour) for number in every)
    return Visits(Run(path=known._run.path, result=msgspec.structs.replace(result, visits=(*result.visits, *made))))


def test_where_not_all_tours_fit_most_points_get_two_visits_and_a_sample_three(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Points of one visit rest on the drift of a few: one odd one among these would widen all."""
    known = first_tour(lab)
    monkeypatch.setattr(Durations, "point_s", lambda _, record: 1.0)
    assert len(known.next_tour(32.0)) == 16
    assert numbers(known.next_tour(31.9)) == list(range(16))
    assert len(known.next_tour(16.0)) == 12
    assert len(known.next_tour(15.9)) == 15
    assert len(known.next_tour(12.0)) == 12
    known = visited_again(known, range(16))
    assert numbers(known.next_tour(15.9)) == [0, 4, 8, 12]
    assert numbers(known.next_tour(2.0)) == [0, 8]  # far apart, not the first ones
    assert known.next_tour(0.5) == []
    assert visited_again(known, [0, 4, 8, 12]).next_tour(11.9) == []


def test_where_most_points_do_not_fit_a_sample_gets_all_its_visits(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    known = first_tour(lab)
    monkeypatch.setattr(Durations, "point_s", lambda _, record: 1.0)
    assert numbers(known.next_tour(11.9)) == [0, 4, 8, 12]
    assert numbers(visited_again(known, [0, 4, 8, 12]).next_tour(7.9)) == [0, 4, 8, 12]
    assert numbers(known.next_tour(2.0)) == [0, 8]


def test_the_longest_points_are_left_out_of_a_tour_before_the_others(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    known = first_tour(lab)
    monkeypatch.setattr(Durations, "point_s", lambda _, record: 20.0 if record.number in (0, 8) else 1.0)
    assert numbers(known.next_tour(58.0)) == [n for n in range(16) if n != 8]
    assert numbers(known.next_tour(20.0)) == [n for n in range(16) if n not in (0, 8)]


def test_a_kind_that_is_slow_to_map_does_not_keep_the_others_from_two_visits(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = [point(group(kernel), minimum_s=0.2, budget_s=1.0, visits=3) for kernel in ["copy"] * 9 + ["chase"] * 3]
    lab(plan_of(*every), limit=4.0)
    known = Visits(Run(path=lab.directory, result=msgspec.structs.replace(run_of(lab).result, visits=())))
    slow = [record.number for record in known._run.result.records if "chase" in str(record.experiment.groups)]
    monkeypatch.setattr(Durations, "point_s", lambda _, record: 10.0 if record.number in slow else 1.0)
    assert numbers(known.next_tour(73.0)) == list(range(12))
    assert numbers(known.next_tour(13.0)) == [number for number in range(12) if number not in slow]


def test_a_second_look_begins_with_points_seen_once_and_ends_with_hopeless_ones(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = visited_again(first_tour(lab), range(1, 16))
    widths = dict.fromkeys(range(16), 0.001) | {0: 0.011, 3: 0.04, 5: 0.03, 9: 0.5, 11: 0.045}

    @dataclass
    class Found:
        relative: float
        conclusive: bool
        reasons: tuple[str, ...] = ()

    def found(_: Run, record: Record) -> Found:
        width = widths[record.number]
        return Found(width, conclusive=width < 0.01, reasons=(f"too wide{SLOWED}",) if record.number == 11 else ())

    monkeypatch.setattr(visits, "judged", found)
    monkeypatch.setattr(Durations, "point_s", lambda _, record: 1.0)
    assert [numbers(known.second_look(left_s)) for left_s in (1.0, 2.0, 3.0, 4.0, 5.0)] == [
        [0],
        [0, 3],
        [0, 3, 5],
        [0, 3, 5, 9],
        [0, 3, 5, 9, 11],
    ]


def test_a_first_visit_counts_without_its_search(lab: Lab) -> None:
    lab(plan_of(*points(calibrate=True)), limit=2.0)
    result = msgspec.structs.replace(run_of(lab).result, visits=())
    records = result.records
    alone = {record.number: 0.25 for record in records}
    assert Durations(records, (), alone, {}).point_s(records[0]) == 0.25
    assert Durations(records, (), {}, {}).point_s(records[0]) == records[0].seconds > 0.25


def test_a_point_with_one_visit_is_sure_if_the_others_show_no_drift(lab: Lab) -> None:
    lab(plan_of(*points()))
    every = run_of(lab)
    without = tuple(visit for visit in every.result.visits if visit.number != 0)
    run = Run(path=lab.directory, result=msgspec.structs.replace(every.result, visits=without))
    found, alone = measured(run, run.result.records[0]), judged_once(run, run.result.records[0]).points[0]
    assert found.conclusive
    assert found.groups[0].interval.relative > alone.groups[0].interval.relative


def test_a_plan_that_asks_for_one_visit_is_never_sure_of_it(lab: Lab) -> None:
    lab(plan_of(*points(1)))
    run = run_of(lab)
    assert run.result.visits == ()
    assert all(measured(run, record).reasons == (ONCE,) for record in run.result.records)


def test_a_plan_of_a_version_without_visits_keeps_its_verdict(lab: Lab) -> None:
    lab(plan_of(*points(0)))
    run = run_of(lab)
    assert run.result.visits == ()
    for record in run.result.records:
        assert measured(run, record) == judged_once(run, record).points[0]
        assert measured(run, record).conclusive


def test_a_disturbed_visit_is_left_out_of_the_number(lab: Lab) -> None:
    lab.core.disturbed = lambda group: float(lab.core.log.count("start") == 2)
    lab(plan_of(*points()))
    run = run_of(lab)
    for record in run.result.records:
        found = measured(run, record)
        assert found.seen
        assert found.seen.visits == 2
        assert found.conclusive


def test_a_run_of_two_kinds_has_the_drift_of_each(lab: Lab) -> None:
    """Chases next to bandwidths: the drift of these does not widen those."""
    Drifting(lab.core, 0.05, only="chase")
    chases = [
        point(group("chase", size=size * MiB, cpus=(0,)), minimum_s=0.2, budget_s=1.0, visits=3)
        for size in (256, 260, 264, 268, 272)
    ]
    lab(plan_of(*points(), *chases))
    run = run_of(lab)
    verdicts = [judged(run, record).conclusive for record in run.result.records]
    assert verdicts == [True] * 5 + [False] * 5


PLANNED = 15


def timeless(lab: Lab) -> list[dict[str, object]]:
    """Return all but the times: the rest of a tour after a stop is a tour of its own."""
    result = run_of(lab).result
    every = msgspec.to_builtins((*result.records, *result.visits))
    return [{key: value for key, value in one.items() if key not in ("started", "seconds", "tour")} for one in every]


class Stop(Watch):
    """Interrupts after these numbers of records and visits."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.after = after

    def finished(self, record: Record, point: object, resumed: bool) -> None:
        self.resumed.append(resumed)
        if len(self.resumed) == self.after:
            raise KeyboardInterrupt


@pytest.mark.parametrize("stop", [3, 5, 6, 9, 10, 12, 14])
def test_a_run_that_is_stopped_within_visits_ends_as_one_that_was_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: int
) -> None:
    whole, lab = (lab_in(tmp_path / name, monkeypatch) for name in ("whole", "stopped"))
    whole(plan_of(*points()))
    with pytest.raises(KeyboardInterrupt):
        lab(plan_of(*points()), Stop(stop))
    watch = Stop(0)
    lab(plan_of(*points()), watch)
    assert watch.resumed == [True] * stop + [False] * (PLANNED - stop)
    assert timeless(lab) == timeless(whole)


def test_visits_of_another_plan_are_dropped(lab: Lab) -> None:
    lab(plan_of(*points()))
    lab(plan_of(*points()[:2]))
    assert order(run_of(lab).result.visits) == [(0, 1), (1, 1), (0, 2), (1, 2)]


@pytest.mark.parametrize("change", [{"number": 9}, {"visit": 2}, {"experiment": point(group("read"))}])
def test_visits_of_points_that_are_others_are_refused(lab: Lab, change: dict[str, object]) -> None:
    lab(plan_of(*points()))
    result = run_of(lab).result
    first = msgspec.structs.replace(result.visits[0], **change)
    save_result(lab.directory, msgspec.structs.replace(result, visits=(first, *result.visits[1:])))
    with pytest.raises(Exception, match="visit"):
        load(lab.directory)


def test_a_plan_states_how_many_visits_there_will_be(lab: Lab) -> None:
    watch = Watch()
    lab(plan_of(*points()), watch)
    assert watch.plan[0] == PLANNED
