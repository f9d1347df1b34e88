"""The suite `check`: one latency and one bandwidth, in about ten seconds."""

from made_machine import made_machine
from tierscope.plans import suites
from tierscope.record.experiment import Experiment
from tierscope.run.expected import expected_seconds, further_seconds, imagine


def planned(cpus: int, **words: str) -> list[Experiment]:
    return imagine(suites["check"].plan(made_machine(cpus), suites["check"].read(words)))


def test_it_is_one_latency_and_all_cpus_for_each_kernel() -> None:
    for cpus in (1, 4):
        chase, *kernels = planned(cpus, kernels="read,triad")
        assert chase.table == "latency"
        assert [one.labels["kernel"] for one in kernels] == ["read", "triad"]
        assert {len(one.groups[0].team.cpus) for one in kernels} == {cpus}
        assert {one.schedule.visits for one in (chase, *kernels)} == {3}


def test_footprints_are_beyond_the_caches_that_the_system_reports() -> None:
    cache = made_machine(4).last_level_cache_bytes()
    assert all(one.groups[0].workload.footprint_bytes >= 4 * cache for one in planned(4))


def test_it_is_planned_for_half_of_its_ten_seconds() -> None:
    options = suites["check"].read({})
    seconds = sum(expected_seconds(one) + further_seconds(one) for one in planned(4))
    assert seconds < options.limit / 2  # the rest is set-up, calibration and points that are slow to become precise
