"""The loop from Experiment to Record, without hardware and without a clock."""

import math
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest

from fake_core import HZ, made_catalogue
from lab import EMPTY, Lab, Watch, group, lab_in, plan_of, point
from tierscope.errors import CoreError, MachineError, WrongAnswerError
from tierscope.plans import Plan
from tierscope.record.experiment import Experiment, Workload
from tierscope.record.result import Blocks, Record, load, read_blocks, write_blocks
from tierscope.record.work.line import LineWork
from tierscope.run import runner
from tierscope.run.batches import BATCH_S, GROWTH
from tierscope.run.calibrate import GUESSES, workload_of
from tierscope.run.candidates import candidates
from tierscope.run.expected import expected_seconds, imagine
from tierscope.stats.judged import Judged, judge_record
from tierscope.units import GiB, MiB

CACHES = EMPTY.machine.identity.caches


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    return lab_in(tmp_path, monkeypatch)


def test_a_quiet_point_takes_its_shortest_time(lab: Lab) -> None:
    lab(plan_of(point(minimum_s=0.3, budget_s=5)))
    assert lab.core.log == ["start", "prepare triad", "measure 0.300", "check", "close"]


def test_a_noisy_point_is_measured_until_it_is_conclusive_and_no_longer(lab: Lab) -> None:
    lab.core.noise = lambda group: 0.15
    watch = Watch()
    lab(plan_of(point(minimum_s=0.1, budget_s=60)), watch)
    assert len(watch.looks) > 2
    assert [look.conclusive for look in watch.looks] == [False] * (len(watch.looks) - 1) + [True]


def test_a_hopeless_point_ends_with_its_budget_and_is_inconclusive(lab: Lab) -> None:
    lab.core.noise = lambda group: 0.8
    watch = Watch()
    lab(plan_of(point(budget_s=1.5)), watch)
    assert not watch.looks[-1].conclusive
    times = [float(step.split()[1]) for step in lab.core.log if step.startswith("measure")]
    assert 1.5 - BATCH_S < sum(times) <= 1.5 + 1e-9


def test_a_point_is_judged_at_durations_that_grow_with_the_result_of_all_its_blocks(lab: Lab) -> None:
    """Each judgement costs as much as all blocks so far: one after each batch would cost the square of the budget."""
    lab.core.noise = lambda group: 0.8
    watch = Watch()
    lab(plan_of(point(group(cpus=(0, 1)), budget_s=60, block_s=5e-3, precision=1e-4)), watch)
    (record,) = lab.records
    blocks, batches = read_blocks(lab.directory / record.samples), 60 / BATCH_S - 1
    assert len(watch.looks) < 3 + math.log(batches) / math.log(GROWTH)
    durations = [look.points[0].together.windows[-1][1] for look in watch.looks]  # batches start a second after another
    for batch, look in zip(map(math.floor, durations), watch.looks, strict=True):
        same(look, judge_record(blocks[blocks["batch"] <= batch], HZ, record.experiment, record.groups, (), CACHES))


def same(one: Judged, other: Judged) -> None:
    """All points of two judgements, to the last bit."""
    for mine, its in zip(one.points, other.points, strict=True):
        assert (mine.groups, mine.seen, one.contrasts) == (its.groups, its.seen, other.contrasts)
        for name in ("instants_s", "ages_s", "rates"):
            np.testing.assert_array_equal(getattr(mine.together, name), getattr(its.together, name))


def test_every_batch_is_kept(lab: Lab) -> None:
    lab.core.noise = lambda group: 0.8
    lab(plan_of(point(group(cpus=(0, 1)), budget_s=1.0)))
    (record,) = lab.records
    blocks = read_blocks(lab.directory / record.samples)
    assert len(blocks) == record.blocks
    assert set(blocks["batch"].tolist()) == set(range(lab.core.measured))
    assert set(blocks["thread"].tolist()) == {0, 1}


def test_memory_is_prepared_calibrated_measured_checked_written_and_only_then_recorded(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    def logged(name: str) -> Callable[..., None]:
        act = getattr(runner, name)

        def both(*words: object) -> None:
            lab.core.log.append(name)
            act(*words)

        return both

    for name in ("write_blocks", "save_result"):
        monkeypatch.setattr(runner, name, logged(name))
    lab(plan_of(point(calibrate=True), point()))
    log = lab.core.log
    assert log[:2] == ["start", "prepare triad"]
    assert set(log[2 : log.index("check") - 2]) <= {"set", "measure 0.003", "measure 0.006"}
    assert log[log.index("check") - 2 : log.index("check")] == ["set", "measure 0.200"]
    end = ["check", "write_blocks", "save_result"]
    assert log[log.index("check") :] == [*end, "prepare triad", "measure 0.200", *end, "close", "save_result"]


def guessed(kernel: str = "triad") -> list[Workload]:
    """The loop variants that a search begins with."""
    return [workload_of(group(kernel), one) for one in candidates(made_catalogue().variants(kernel))[:GUESSES]]


def test_calibration_picks_the_fastest_walk(lab: Lab) -> None:
    best = guessed()[GUESSES // 2]
    lab.core.speed = lambda group: 1.2e8 if group.workload == best else 1e8
    lab(plan_of(point(calibrate=True)))
    (record,) = lab.records
    ran, asked = record.groups[0], record.experiment.groups[0].workload
    assert (ran.isa, ran.streams, ran.prefetch_bytes) == (
        best.isa,
        best.of(LineWork).streams,
        best.of(LineWork).prefetch_bytes,
    )
    assert asked == group().workload
    assert record.calibration[0].workload == best
    assert record.calibration[0].operations_per_s == pytest.approx(1.2e8, rel=0.01)
    assert {trial.workload for trial in record.calibration} > set(guessed())
    assert record.variant_from.startswith("searched: ")


def test_a_trial_without_a_clean_moment_is_not_known_and_never_the_choice(lab: Lab) -> None:
    walks = guessed()
    lab.core.disturbed = lambda group: float(group.workload == walks[0])
    lab(plan_of(point(calibrate=True)))
    (record,) = lab.records
    rates = {trial.workload: trial.operations_per_s for trial in record.calibration}
    assert rates[walks[0]] is None
    assert all(rate for walk, rate in rates.items() if walk != walks[0])
    assert record.calibration[0].workload != walks[0]
    assert [trial.workload for trial in record.calibration if trial.rate is None] == [walks[0]]


def test_a_calibration_without_any_clean_moment_keeps_the_best_guess(lab: Lab) -> None:
    lab.core.preempted = 1.0
    lab(plan_of(point(calibrate=True, budget_s=0.3)))
    (record,) = lab.records
    assert [trial.operations_per_s for trial in record.calibration] == [None] * GUESSES
    assert record.calibration[0].workload == guessed()[0]
    assert record.variant_from == "not searched: no trial had a clean moment"


def test_a_walk_is_remembered_for_equal_groups_whatever_their_size_and_pace(lab: Lab) -> None:
    def load_at(pace: int, size: int = GiB) -> Experiment:
        chaser = group("chase", (3,), role="chaser")
        return point(chaser, group("mix_2r1w", (0, 1), size, "load", pace), calibrate=True)

    lab(plan_of(load_at(0), load_at(1000), load_at(0, 512 * MiB), point(group(cpus=(0, 1)), calibrate=True)))
    first, paced, small, other = lab.records
    assert first.calibration
    assert paced.calibration == small.calibration == ()
    assert other.calibration
    assert paced.groups[1].streams == small.groups[1].streams == first.groups[1].streams
    assert small.groups[1].footprint_bytes == 512 * MiB
    rates = [np.median(_rates(lab, record, 1)) for record in (first, paced)]
    assert rates[0] / rates[1] == pytest.approx(1 + 1000 / 300, rel=0.02)


def _rates(lab: Lab, record: Record, number: int) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    blocks = read_blocks(lab.directory / record.samples)
    mine = blocks[(blocks["group"] == number) & (blocks["flags"] == 0)]
    seconds = (mine["stop_ticks"] - mine["start_ticks"]) / record.clock.hz
    return np.asarray(mine["operations"] / seconds)


def test_one_core_serves_a_whole_run_and_is_always_ended(lab: Lab) -> None:
    lab(plan_of(point(), point(group("copy")), point(group("read"))))
    assert lab.core.log.count("start") == lab.core.log.count("close") == 1


def test_a_plan_that_needs_no_core_starts_none(lab: Lab) -> None:
    plan = plan_of(point())
    lab(plan)
    lab.core.log.clear()
    lab(plan)
    assert lab.core.log == []


def test_a_wrong_answer_has_no_bandwidth(lab: Lab) -> None:
    lab.core.error = lambda group: float("inf") if group.workload.kernel == "copy" else 1e-16
    with pytest.raises(WrongAnswerError, match=r"copy: .* inf .* void"):
        lab(plan_of(point(), point(group("copy")), point(group("read"))))
    assert [record.groups[0].kernel for record in lab.records] == ["triad"]
    assert not load(lab.directory).result.complete
    assert lab.core.open == 0


def test_a_core_that_dies_loses_only_what_it_was_at(lab: Lab) -> None:
    plan = plan_of(point(), point(group("copy")), point(group("read")))
    lab.core.dies_at = 1
    with pytest.raises(CoreError, match="Segmentation fault"):
        lab(plan)
    assert len(lab.records) == 1
    assert lab.core.open == 0
    lab.core.dies_at = -1
    assert len(lab(plan).records) == 3


def test_a_full_disk_loses_only_what_it_was_at(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of(point(), point(group("copy")))

    def full(path: Path, blocks: Blocks) -> None:
        if path.name == "0001.parquet":
            raise MachineError(f"{path} cannot be written: No space left on device; free space there")
        write_blocks(path, blocks)

    monkeypatch.setattr(runner, "write_blocks", full)
    with pytest.raises(MachineError, match="No space left"):
        lab(plan)
    assert len(lab.records) == 1
    monkeypatch.setattr(runner, "write_blocks", write_blocks)
    assert len(lab(plan).records) == 2


def test_ctrl_c_ends_the_core_and_leaves_a_run_that_continues(lab: Lab) -> None:
    plan = plan_of(point(), point(group("copy")))
    with pytest.raises(KeyboardInterrupt):
        lab(plan, Watch(stop_after=0))
    assert lab.core.open == 0
    assert not load(lab.directory).result.complete
    watch = Watch()
    assert lab(plan, watch).complete
    assert watch.resumed == [True, False]


def test_the_budget_shrinks_so_that_the_rest_of_the_plan_fits_under_the_limit(lab: Lab) -> None:
    lab.core.noise = lambda group: 0.8
    lab(plan_of(*[point(budget_s=2.0)] * 6), limit=4.0)
    times = [0.0] * 6
    number = -1
    for step in lab.core.log:
        number += step.startswith("prepare")
        times[number] += float(step.split()[1]) if step.startswith("measure") else 0
    assert all(0.2 - 1e-9 <= seconds <= 2.0 + 1e-9 for seconds in times)
    assert times[-1] < 1.0
    assert sum(times) < 6.0


def test_a_run_reports_how_many_points_it_plans(lab: Lab) -> None:
    watch = Watch()
    experiments = [point(), point(group("chase", size=4 * GiB)), point(calibrate=True)]
    lab(plan_of(*experiments), watch)
    count, seconds = watch.plan
    assert count == 3
    assert seconds == pytest.approx(sum(map(expected_seconds, experiments)))
    plain, large, calibrated = map(expected_seconds, experiments)
    assert plain < calibrated < large


def test_imagining_a_plan_measures_nothing_and_answers_with_nothing() -> None:
    answers = []

    def plan() -> Plan:
        answers.append((yield point()))
        answers.append((yield point(group("copy"))))

    assert [e.groups[0].workload.kernel for e in imagine(plan())] == ["triad", "copy"]
    assert all(answer.record is None and answer.rate() is None for answer in answers)


def test_the_strongest_origin_of_any_group_is_that_of_the_run(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    lab(plan_of(point()))
    assert load(lab.directory).result.origin == "real"
    facts = msgspec.structs.replace(lab.records[0].groups[0], origin="simulated")
    monkeypatch.setattr("fake_core.made_facts", lambda group, **_: facts)
    lab(plan_of(point(), point(group("copy"))))
    assert load(lab.directory).result.origin == "simulated"
