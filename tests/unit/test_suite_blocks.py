"""The plan of `run blocks`, on machines that are made up; nothing is measured."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as some

from made_machine import made_machine
from tierscope.errors import UnknownNameError, UsageError
from tierscope.plans import suites
from tierscope.record.experiment import Experiment
from tierscope.record.machine import Machine
from tierscope.run.expected import expected_seconds, further_seconds, imagine
from tierscope.suites.blocks.experiments import BATCHED, MEMORY_BYTES, OPERATIONS
from tierscope.units import GiB, MiB, parse_bytes, show_size, word_size

SUITE = suites["blocks"]


def machine(cpus: int = 2, free: int = 20 * GiB) -> Machine:
    return msgspec.structs.replace(made_machine(cpus), state={"available_bytes": free})


def planned(on: Machine | None = None, **words: str) -> list[Experiment]:
    return imagine(SUITE.plan(on or machine(), SUITE.read(words)))


def pairs(experiments: list[Experiment]) -> set[tuple[object, object]]:
    return {(e.labels["block_bytes"], e.labels["threads"]) for e in experiments}


def test_by_default_every_operation_runs_at_every_size_with_one_to_eight_threads() -> None:
    experiments = planned()
    assert {e.labels["operation"] for e in experiments} == {"copy", "write", "random_write"}
    assert pairs(experiments) == {(size, n) for size in (8, 8000, 8_000_000, 80_000_000) for n in (1, 2, 4, 8)}


def test_a_larger_machine_adds_powers_of_two_and_all_its_cpus() -> None:
    experiments = planned(machine(24), blocks="8KB")
    assert {e.labels["threads"] for e in experiments} == {1, 2, 4, 8, 16, 24}


def test_the_default_run_of_two_cpus_is_planned_within_its_limit() -> None:
    visits = sum(map(expected_seconds, planned())) + sum(map(further_seconds, planned()))
    assert visits < SUITE.read({}).limit <= 120


def test_memory_is_the_same_for_all_threads_and_counted_for_each_array() -> None:
    for experiment in planned():
        (group,) = experiment.groups
        kernel, arrays = OPERATIONS[str(experiment.labels["operation"])]
        assert group.workload.kernel == kernel
        assert group.workload.footprint_bytes == arrays * MEMORY_BYTES
        assert group.workload.work.element_bytes == experiment.labels["block_bytes"]


def test_more_threads_than_cpus_share_the_cpus() -> None:
    teams = {e.labels["threads"]: e.groups[0] for e in planned(cpus="1,0", blocks="8KB")}
    assert teams[2].team.cpus == (1, 0)
    assert not teams[2].shared
    assert teams[4].team.cpus == (1, 0, 1, 0)
    assert teams[4].shared


def test_short_operations_have_a_second_experiment_for_their_latency() -> None:
    parts: dict[object, set[tuple[object, int]]] = {}
    for e in planned(threads="1"):
        parts.setdefault(e.labels["block_bytes"], set()).add((e.labels["part"], e.groups[0].workload.per_block))
    assert parts[8] == {("throughput", 0), ("latency", BATCHED)}
    assert parts[8000] == {("throughput", 0), ("latency", 1)}
    assert parts[80_000_000] == {("both", 1)}


def test_threads_that_share_a_cpu_use_all_time_of_a_point_in_one_batch() -> None:
    for e in planned(threads="4", budget="900ms"):
        if e.labels["part"] != "latency":
            assert e.schedule.minimum_s == e.schedule.budget_s >= 0.9


def test_little_memory_makes_the_arrays_smaller_with_a_note() -> None:
    experiments = planned(machine(free=1 * GiB), threads="1", blocks="8KB")
    assert {e.groups[0].workload.footprint_bytes for e in experiments} == {512 * MiB, 256 * MiB}
    assert all("256 MiB instead of 1.3 GB: limited by half of the free memory" in e.note for e in experiments)


def test_one_array_may_take_what_two_would_share() -> None:
    (work, *_) = [e.groups[0].workload for e in planned(machine(free=1 * GiB), operations="write", blocks="8KB")]
    assert work.footprint_bytes == 512 * MiB


def test_sizes_with_fewer_blocks_than_threads_are_left_out_with_a_next_step() -> None:
    large = machine(32)
    assert (80_000_000, 32) not in pairs(planned(large))
    assert (80_000_000, 16) in pairs(planned(large))
    (words,) = SUITE.left_out(large, SUITE.read({}))
    assert words == "blocks of 80 MB are left out with 32 threads: 1.3 GB contain 16 of them; try memory=2.56GB"
    assert SUITE.left_out(machine(), SUITE.read({})) == ()


def test_a_list_of_one_kind_leaves_out_what_the_other_default_list_cannot_do() -> None:
    assert pairs(planned(blocks="800MB")) == {(800_000_000, 1)}
    assert (80_000_000, 20) not in pairs(planned(threads="20"))


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"blocks": "12B"}, "blocks=12B: a block is a multiple of 8 bytes"),
        ({"blocks": "0"}, "multiple of 8"),
        ({"blocks": ","}, "no block size is named"),
        ({"blocks": "8KX"}, "unknown unit"),
        ({"blocks": "80MB", "threads": "17"}, "1.3 GB contain 16 such blocks.*try memory=1.36GB"),
        ({"blocks": "2GB"}, "1.3 GB contain 0 such blocks"),
        ({"memory": "4B"}, "4KiB or more is needed"),
        ({"threads": "0"}, "threads=0: from 1 to 128 threads"),
        ({"threads": "129"}, "threads=129: from 1 to 128 threads may share 2 CPUs"),
        ({"threads": "x"}, "not a list"),
        ({"operations": ""}, "no operation is named"),
        ({"cpus": "0,9"}, "CPU 9 may not be used here"),
        ({"pages": "3m"}, "unknown page size"),
        ({"target": ":1"}, "has no name"),
    ],
)
def test_bad_words_are_refused(words: dict[str, str], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        planned(**words)


def test_an_unknown_operation_is_reported_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown operation 'copi'; did you mean copy"):
        planned(operations="copi")


@given(some.integers(1, 1 << 40))
def test_a_word_for_a_size_parses_back_to_the_same_bytes(size: int) -> None:
    assert parse_bytes(word_size(size)) == size


@pytest.mark.parametrize(
    ("size", "shown"),
    [(8, "8 B"), (8000, "8 KB"), (8192, "8 KiB"), (80_000_000, "80 MB"), (1_300_000_000, "1.3 GB"), (1 << 30, "1 GiB")],
)
def test_a_size_is_shown_in_the_kind_of_unit_in_which_it_is_round(size: int, shown: str) -> None:
    assert show_size(size) == shown


def test_a_size_that_is_round_in_no_unit_is_shown_with_three_digits() -> None:
    assert show_size(1_234_567_891) == "1.15 GiB"
