"""Comparisons of takes, and numbers that a table makes itself, over several visits."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from lab import Lab, lab_in, plan_of
from made_neighbors import AGAINST, TAKES, groups_of
from test_runner_takes import BATCH_S, beside
from test_runner_visits import Drifting, points
from tierscope.record.experiment import Experiment, Group, Schedule
from tierscope.record.result import Record, Run, load, save_result
from tierscope.run.batches import one_visit
from tierscope.run.expected import expected_seconds, further_seconds
from tierscope.stats.contrast import ROUNDS, Contrast, least_rounds
from tierscope.stats.median import Interval
from tierscope.stats.visited import BETWEEN, ONCE
from tierscope.stats.visited_contrast import visited_contrast
from tierscope.tables.measured import judged, judged_once, over_visits, visits_of

VISITS = 3


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    return lab_in(tmp_path, monkeypatch)


def compared(visits: int = VISITS, budget_s: float = 5.0) -> Experiment:
    schedule = Schedule(minimum_s=BATCH_S, budget_s=budget_s, visits=visits)
    return Experiment(
        table="neighbors", groups=groups_of("chase", "copy"), schedule=schedule, takes=TAKES, against=AGAINST
    )


def found(lab: Lab) -> tuple[Contrast, ...]:
    (record,) = lab.records
    return judged(load(lab.directory), record).contrasts


def test_the_visits_of_a_comparison_share_its_rounds_and_its_budget() -> None:
    one = compared()
    assert one_visit(one).minimum_s == BATCH_S
    assert one_visit(one).budget_s == pytest.approx(5.0 / VISITS)
    assert least_rounds(one.schedule) * VISITS >= ROUNDS
    assert least_rounds(compared(0).schedule) == ROUNDS
    assert least_rounds(compared(9).schedule) * 9 >= ROUNDS
    assert expected_seconds(one) + further_seconds(one) < 1.5 * expected_seconds(compared(0))


def test_a_steady_machine_is_sure_after_three_visits_of_three_rounds(lab: Lab) -> None:
    lab.core.slow = beside(0.2)
    lab(plan_of(compared()))
    result = load(lab.directory).result
    assert [len(record.takes) for record in (*result.records, *result.visits)] == [3 * len(TAKES)] * VISITS
    alone, one, two, both = found(lab)
    assert alone.ratio == Interval(1.0, 1.0, 1.0, 9)
    for contrast, truth in ((one, 1.2), (two, 1.02), (both, 1.2)):
        assert contrast.conclusive
        assert contrast.ratio.low < truth < contrast.ratio.high
        assert contrast.ratio.count == 9


def test_a_slowdown_that_differs_between_visits_is_inconclusive_and_states_why(lab: Lab) -> None:
    """Within each visit it is as sure as can be."""

    def slow(group: Group, ran: list[Group]) -> float:
        rng = np.random.default_rng(lab.core.log.count("start"))
        busy = sum(one.role == "aggressor" for one in ran)
        return 1 + busy * float(rng.uniform(0.1, 0.9)) if group.role == "victim" else 1.0

    lab.core.slow = slow
    lab(plan_of(compared()))
    one = found(lab)[1]
    assert not one.conclusive
    assert one.reasons[0].endswith(BETWEEN)
    alone = judged_once(load(lab.directory), lab.records[0]).contrasts[1]
    assert alone.conclusive
    assert one.ratio.relative > 5 * alone.ratio.relative


def test_a_drift_of_the_machine_cancels_in_the_ratio_and_shows_in_the_time(lab: Lab) -> None:
    Drifting(lab.core, 0.1)
    lab(plan_of(compared()))
    alone, one, *_ = found(lab)
    assert alone.seconds.relative > 0.05
    assert one.ratio.relative < 0.02


def test_one_visit_of_a_comparison_is_never_sure(lab: Lab) -> None:
    lab(plan_of(compared(1)))
    assert all(ONCE in contrast.reasons for contrast in found(lab))


def made(ratio: float, *reasons: str, half: float = 0.005, rounds: int = 3) -> Contrast:
    seconds = Interval(ratio * (1 - half), ratio, ratio * (1 + half), rounds)
    return Contrast(seconds, seconds, reasons)


def test_a_visit_that_is_doubted_is_left_out_and_its_doubt_forgotten() -> None:
    visits = [made(1.10), made(1.5, "victims were switched out 900 times a second: the machine is busy"), made(1.11)]
    visits += [made(1.105)]
    together = visited_contrast(visits, (None, None), Schedule(visits=4))
    assert together.ratio.middle == pytest.approx(1.105)
    assert together.ratio.high < 1.2
    assert together.conclusive


def test_where_most_visits_are_doubted_all_of_them_count_and_are_doubted() -> None:
    visits = [made(1.1, "busy"), made(1.5, "busy"), made(1.1)]
    together = visited_contrast(visits, (None, None), Schedule(visits=3))
    assert (together.ratio.low < 1.1, together.ratio.high > 1.5) == (True, True)
    assert together.reasons[0] == "busy"


def test_too_few_rounds_in_all_visits_are_too_few() -> None:
    together = visited_contrast([made(1.1), made(1.1)], (None, None), Schedule(visits=3))
    assert together.reasons == (f"only 6 rounds of {ROUNDS}",)


def test_a_number_that_a_table_makes_itself_has_the_width_of_all_visits(lab: Lab) -> None:
    Drifting(lab.core, 0.05)
    lab(plan_of(*points()))
    run = load(lab.directory)

    def blocks_of(visit: Record) -> Interval:
        rate = judged_once(run, visit).points[0].groups[0].interval
        return rate.times(2.0)

    for record in run.result.records:
        own, rate = over_visits(run, record, "double", blocks_of), judged(run, record).points[0].groups[0].interval
        assert own is not None
        assert own.middle == pytest.approx(2 * rate.middle)
        assert own.relative == pytest.approx(rate.relative)
        assert len(visits_of(run, record)) == judged(run, record).points[0].seen.visits  # type: ignore[union-attr]


def test_a_number_that_no_visit_has_is_none_and_changes_no_drift(lab: Lab) -> None:
    lab(plan_of(*points()))
    run = load(lab.directory)
    first, *others = run.result.records
    assert over_visits(run, first, "nothing", lambda visit: None) is None
    only = others[0].number

    def some(visit: Record) -> Interval | None:
        return judged_once(run, visit).points[0].groups[0].interval if visit.number == only else None

    assert over_visits(run, first, "some", some) is None
    assert over_visits(run, others[0], "some", some) is not None


def test_a_record_of_a_version_without_visits_is_the_one_that_is_planned(lab: Lab) -> None:
    """Runs that an older version began are resumed without a point measured again, as it began them."""
    lab(plan_of(*points(0)))
    before = load(lab.directory).result
    stored = msgspec.structs.replace(before, complete=False)
    save_result(lab.directory, stored)
    lab(plan_of(*points(3)))
    assert load(lab.directory).result == before


def test_a_run_without_visits_reads_the_point_alone(lab: Lab) -> None:
    lab(plan_of(*points(0)))
    run: Run = load(lab.directory)
    (record, *_) = run.result.records
    assert visits_of(run, record) == [record]
    assert over_visits(run, record, "one", lambda visit: Interval(1, 2, 3, 4)) == Interval(1, 2, 3, 4)
