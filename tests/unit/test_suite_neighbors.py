"""The plan of neighbors: which groups run alternately, where, and what is refused."""

import subprocess
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as some

from made import made_latency_s
from made_machine import made_machine
from tierscope.errors import MachineError, UsageError
from tierscope.plans import Answer, suites
from tierscope.record.experiment import Experiment
from tierscope.record.machine import Machine
from tierscope.run.expected import imagine
from tierscope.stats.contrast import VICTIM
from tierscope.suites.neighbors import fio as neighbor_fio
from tierscope.suites.neighbors.options import KERNELS
from tierscope.units import GiB, MiB

SUITE = suites["neighbors"]


def machine(cpus: int = 2, threads: int = 1, cache: int = 96 * MiB, free: int = 20 * GiB) -> Machine:
    """`threads` hardware threads to a core, numbered as servers do: all first threads before all second ones."""
    made = made_machine(cpus)
    own = made.identity
    identity = msgspec.structs.replace(
        own,
        cpus=tuple(msgspec.structs.replace(cpu, core=cpu.number % (cpus // threads)) for cpu in own.cpus),
        caches=tuple(msgspec.structs.replace(c, size_bytes=cache) if c.level == 3 else c for c in own.caches),
    )
    return msgspec.structs.replace(made, identity=identity, state={"available_bytes": free})


def planned(on: Machine | None = None, **words: str) -> list[Experiment]:
    experiments = imagine(SUITE.plan(on or machine(), SUITE.read(words)))
    return [experiment for experiment in experiments if experiment.table == "neighbors"]


def one(on: Machine | None = None, **words: str) -> Experiment:
    (experiment,) = planned(on, **words)
    return experiment


def pairs(experiment: Experiment) -> list[tuple[int, int]]:
    """(victims, aggressors) of each take."""
    roles = [group.role for group in experiment.groups]
    return [(sum(roles[g] == VICTIM for g in take), sum(roles[g] != VICTIM for g in take)) for take in experiment.takes]


def compared(experiment: Experiment) -> dict[tuple[int, int], tuple[int, int]]:
    found = pairs(experiment)
    return {pair: found[base] for pair, base in zip(found, experiment.against, strict=True)}


def test_two_cpus_run_a_flow_alone_and_with_one_copy() -> None:
    experiment = one()
    assert compared(experiment) == {(1, 0): (1, 0), (1, 1): (1, 0)}
    flow, copy = experiment.groups
    assert (flow.workload.kernel, flow.workload.work.size, flow.target.word, flow.team.cpus) == (
        "flow",
        "test",
        "null",
        (0,),
    )
    assert (copy.workload.kernel, copy.target.word, copy.team.cpus) == ("copy", "node:0", (1,))
    assert not any(group.shared for group in experiment.groups)


def test_numbers_of_aggressors_double_up_to_the_free_cpus() -> None:
    assert [k for _, k in pairs(one(machine(8)))] == [0, 1, 2, 4, 7]
    assert [k for _, k in pairs(one(machine(3)))] == [0, 1, 2]


def test_document_002_is_a_line_of_options() -> None:
    """Four and eight victims next to eight writers; each is compared with as many victims without."""
    experiment = one(machine(36), victims="1,4,8", aggressors="8", aggressor="write_nt", size="ref")
    assert compared(experiment) == {
        (1, 0): (1, 0), (1, 8): (1, 0), (4, 0): (1, 0), (4, 8): (4, 0), (8, 0): (1, 0), (8, 8): (8, 0),
    }  # fmt: skip
    assert {group.workload.work.size for group in experiment.groups if group.role == VICTIM} == {"ref"}


def test_without_a_lone_victim_victims_alone_are_compared_with_themselves() -> None:
    assert compared(one(machine(8), victims="2", aggressors="0,1")) == {(2, 0): (2, 0), (2, 1): (2, 0)}


def test_default_pairs_that_do_not_fit_are_left_out() -> None:
    assert compared(one(machine(2), victims="1,2")) == {(1, 0): (1, 0), (1, 1): (1, 0), (2, 0): (1, 0)}


@given(cpus=some.integers(2, 24), threads=some.sampled_from([1, 2]), most=some.integers(1, 24))
def test_no_two_groups_of_a_take_share_a_cpu_and_no_two_takes_are_the_same(cpus: int, threads: int, most: int) -> None:
    on = machine(cpus * threads, threads)
    experiment = one(on, victims=f"1-{min(most, cpus)}")
    for take in experiment.takes:
        used = [experiment.groups[group].team.cpus[0] for group in take]
        assert len(set(used)) == len(used)
    assert len({frozenset(take) for take in experiment.takes}) == len(experiment.takes)
    assert len(experiment.against) == len(experiment.takes)
    assert {group for take in experiment.takes for group in take} <= set(range(len(experiment.groups)))


def test_hardware_threads_of_one_core_are_not_neighbours_unless_there_is_no_other_core() -> None:
    experiment = one(machine(8, threads=2))
    assert sorted(group.team.cpus[0] for group in experiment.groups) == [0, 1, 2, 3]
    assert experiment.note == ""
    alone = one(machine(2, threads=2))
    assert [group.team.cpus for group in alone.groups] == [(0,), (1,)]
    assert "share a core" in alone.note


def test_cpus_are_those_asked_for() -> None:
    on = machine(8)
    experiment = one(on, victims="1,2", victim_cpus="2,5", aggressor_cpus="7,1,0", aggressors="0,3")
    assert [group.team.cpus[0] for group in experiment.groups] == [2, 5, 7, 1, 0]
    own = one(on, victim_cpus="3")
    assert [group.team.cpus[0] for group in own.groups] == [3, 7, 6, 5, 4, 2, 1, 0]
    other = one(on, aggressor_cpus="0,1")
    assert [group.team.cpus[0] for group in other.groups] == [2, 0, 1]


def test_threads_share_a_cpu_only_if_requested() -> None:
    experiment = one(machine(4), victim_cpus="1", aggressor_cpus="1,2", overlap="yes")
    assert [group.shared for group in experiment.groups] == [True, True, False]
    alone = one(machine(1), overlap="yes")
    assert [group.team.cpus for group in alone.groups] == [(0,), (0,)]
    assert all(group.shared for group in alone.groups)


def test_the_sleeping_control_has_no_memory() -> None:
    aggressor = one(aggressor="sleep").groups[1]
    assert (aggressor.workload.kernel, aggressor.workload.footprint_bytes) == ("sleep", 0)
    assert aggressor.target.word == "null"


def test_aggressors_write_to_their_target() -> None:
    aggressor = one(aggressor="write_nt", aggressor_target="file:/mnt/pmem/x", aggressor_array="1GiB").groups[1]
    assert (aggressor.target.word, aggressor.workload.footprint_bytes) == ("file:/mnt/pmem/x", GiB)


def test_aggressors_that_flush_do_so_after_each_page_by_default() -> None:
    """Document 002's writers to persistent memory: clflushopt after 4 KiB, without a fence."""
    experiment = one(aggressor="flush_clflushopt", aggressor_fence="never", aggressor_target="fsdax:/mnt/pmem/x")
    work = experiment.groups[1].workload
    assert (work.kernel, work.work.element_bytes, work.work.fence) == ("flush_clflushopt", 4096, "never")
    assert work.footprint_bytes == 96 * MiB
    assert experiment.groups[1].target.word == "fsdax:/mnt/pmem/x"
    own = one(aggressor="flush_clwb", aggressor_chunk="256B", aggressor_array="128MiB").groups[1].workload
    assert (own.work.element_bytes, own.work.fence, own.footprint_bytes) == (256, "chunk", 128 * MiB)


def test_arrays_of_aggressors_are_as_large_as_the_last_level_cache_and_fit_the_memory() -> None:
    assert one(machine(cache=96 * MiB)).groups[1].workload.footprint_bytes == 2 * 96 * MiB
    assert one(machine(cache=16 * MiB)).groups[1].workload.footprint_bytes == 2 * 64 * MiB
    small = one(machine(8, free=1 * GiB))
    assert sum(group.workload.footprint_bytes for group in small.groups) <= 512 * MiB
    assert "half of the free memory" in small.note


def test_a_command_keeps_its_commas_and_its_limit() -> None:
    experiment = one(victim="cmd ./solve --sizes 1,2 in.txt", timeout="2min")
    work = experiment.groups[0].workload
    assert (work.kernel, work.work.command, work.work.limit_s) == ("command", "./solve --sizes 1,2 in.txt", 120)
    assert (experiment.labels["victim"], experiment.labels["command"]) == ("cmd", "./solve --sizes 1,2 in.txt")
    long = one(victim="cmd ./solve", timeout="60min").schedule
    assert long.block_s <= long.minimum_s  # the core takes no block that is longer than its batch


def test_fio_is_a_program_as_victim_and_as_aggressor() -> None:
    victim = one(victim="fio", fio_path="/mnt/my disk", fio_size="8MiB", fio_engine="psync")
    work = victim.groups[0].workload
    assert (work.kernel, victim.groups[0].target.word, victim.labels["victim"]) == ("command", "null", "fio")
    assert "mktemp -p '/mnt/my disk'" in work.work.command
    assert "--size=8388608" in work.work.command
    assert "--ioengine=psync" in work.work.command
    assert (
        work.work.command.index('rm "$f"')
        < work.work.command.index("fallocate")
        < work.work.command.index("fio --thread")
    )
    beside = one(aggressor="fio")
    assert [group.workload.kernel for group in beside.groups[:2]] == ["flow", "command"]
    assert beside.labels["aggressor_kernel"] == "fio"
    assert "--ioengine=libaio" in beside.groups[1].workload.work.command


def test_fio_that_finds_no_room_leaves_no_file(tmp_path: Path) -> None:
    line = neighbor_fio.line(str(tmp_path), 1 << 60, "psync")
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "fallocate" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_each_kind_of_victim_is_an_experiment_of_its_own() -> None:
    experiments = planned(victim="flow,chase,triad")
    assert [experiment.labels["victim"] for experiment in experiments] == ["flow", *KERNELS]
    assert [experiment.groups[0].workload.kernel for experiment in experiments] == ["flow", *KERNELS]


def test_the_catalogue_of_the_core_decides_which_victims_there_are() -> None:
    made = msgspec.structs.replace(machine(), victims={"flow": "no lemon", "solver": "", "command": ""})
    assert one(made, victim="solver").groups[0].workload.kernel == "solver"
    assert [experiment.labels["victim"] for experiment in planned(made, victim="all")] == ["solver", *KERNELS]
    with pytest.raises(
        MachineError, match="victim flow is not available here: no lemon; try victim=solver,chase,triad"
    ):
        planned(made)
    with pytest.raises(UsageError, match="solvr"):
        planned(made, victim="solvr")
    with pytest.raises(UsageError, match="command"):
        planned(made, victim="command")


class Told(Answer):
    """An answer by the made staircase, whose last level contains 96 MiB."""

    def rate(self, group: int = 0) -> float | None:
        one = self.experiment.groups[group]
        return 1 / made_latency_s(one.workload.footprint_bytes, one.target.pages)


def told(**words: str) -> list[Experiment]:
    plan = SUITE.plan(machine(cache=480 * MiB), SUITE.read(words))
    found = [next(plan)]
    try:
        while True:
            found.append(plan.send(Told(found[-1])))
    except StopIteration:
        return [experiment for experiment in found if experiment.table == "neighbors"]


def test_the_chase_lives_in_half_of_the_cache_that_is_really_there_and_the_triad_beyond_it() -> None:
    chase, triad = told(victim="chase,triad")
    assert 30 * MiB < chase.groups[0].workload.footprint_bytes < 80 * MiB
    assert triad.groups[0].workload.footprint_bytes > 3 * 300 * MiB


def test_a_batch_of_a_chase_contains_several_walks() -> None:
    (chase,) = told(victim="chase")
    (large,) = told(victim="chase", victim_array="256MiB")
    assert 0.1 < chase.schedule.minimum_s < large.schedule.minimum_s <= 2.0


def test_no_cache_is_searched_for_where_nothing_rests_on_it() -> None:
    for words in ({}, {"victim": "chase,triad", "victim_array": "64MiB"}, {"victim": "cmd true"}):
        assert {e.table for e in imagine(SUITE.plan(machine(), SUITE.read(words)))} == {"neighbors"}
    assert "sizing" in {e.table for e in imagine(SUITE.plan(machine(), SUITE.read({"victim": "chase"})))}


def test_one_cpu_has_no_neighbours() -> None:
    with pytest.raises(MachineError, match="needs two CPUs, one for a victim and one for an aggressor"):
        planned(machine(1))


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"victim": "flaw"}, "unknown victim 'flaw'; did you mean flow"),
        ({"victim": "fio", "fio_size": "1000B"}, "whole blocks of 4096 bytes"),
        ({"aggressor": "fio", "fio_engine": "mmap"}, "unknown engine 'mmap'"),
        ({"victim": "cmd"}, "no command line; try victim='cmd"),
        ({"victim": "cmd  "}, "no command line"),
        ({"victim": ""}, "no victim is named"),
        ({"size": "huge"}, "unknown size 'huge'"),
        ({"size": "test,ref"}, "one size at a time"),
        ({"aggressor": "copi"}, "unknown aggressor 'copi'; did you mean copy"),
        ({"aggressor": "copy,read"}, "one aggressor at a time"),
        ({"aggressor_chunk": "4KiB"}, "aggressor_chunk=4096: copy does not flush; try aggressor=flush_clwb"),
        ({"aggressor_fence": "never"}, "aggressor_fence=never: copy does not flush"),
        ({"aggressor": "flush_clwb", "aggressor_chunk": "100B"}, "whole lines of 64 bytes are flushed"),
        ({"aggressor": "flush_clwb", "aggressor_fence": "often"}, "unknown fence 'often'"),
        ({"aggressor": "flush_clwb", "aggressor_fence": "chunk,line"}, "one fence at a time"),
        ({"victims": "0"}, "one victim or more"),
        ({"victims": "3"}, "victims=3 does not fit, one CPU each: both share CPUs 0,1; try fewer"),
        ({"victims": "2"}, "victims=2 leaves no CPU for an aggressor"),
        ({"aggressors": "2"}, "victims=1 aggressors=2 does not fit"),
        ({"victims": "2", "aggressors": "1"}, "victims=2 aggressors=1 does not fit"),
        ({"aggressors": "x"}, "not a list"),
        ({"victim_cpus": "7"}, "CPU 7 may not be used here; usable: 0,1"),
        ({"victim_cpus": "0,0"}, "names a CPU twice"),
        ({"victim_cpus": "1", "aggressor_cpus": "0,1"}, "overlap on CPU 1; overlap=yes"),
        ({"victim_cpus": "0,1"}, "leaves no CPU"),
        ({"overlap": "maybe"}, "unknown answer 'maybe'"),
        ({"aggressor_target": ":0"}, "has no name"),
        ({"pages": "3m"}, "unknown page size"),
    ],
)
def test_it_refuses(words: dict[str, str], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        planned(machine(), **words)
