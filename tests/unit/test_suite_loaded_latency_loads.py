"""Where the load of `loaded-latency` runs, and how its accesses and those of the chaser follow each other."""

import msgspec
import pytest

from made_machine import made_machine, made_server
from tierscope.errors import TierscopeError
from tierscope.plans import suites
from tierscope.plans.sizes import Memory
from tierscope.record.experiment import Experiment, Target
from tierscope.record.machine import Machine
from tierscope.record.work.block import BlockWork
from tierscope.record.work.hop import HopWork
from tierscope.record.work.line import LineWork
from tierscope.run.expected import imagine
from tierscope.suites.loaded_latency.loads import Steps, chase_of, load_of, spread
from tierscope.units import GiB, MiB


def plans(machine: Machine, **words: str) -> list[Experiment]:
    suite = suites["loaded-latency"]
    asked = {"mixes": "mix_2r1w_nt", "delays": "0", "array": "64MiB"} | words
    return [one for one in imagine(suite.plan(machine, suite.read(asked))) if one.table == "loaded_latency"]


def loads(machine: Machine, **words: str) -> list[Experiment]:
    return [one for one in plans(machine, **words) if len(one.groups) == 2]


def roomy(free: int) -> Machine:
    """Return a guest with this number of free bytes."""
    machine = made_machine(2)
    return msgspec.structs.replace(machine, state=machine.state | {"available_bytes": free})


def test_without_options_all_is_as_before() -> None:
    """Runs of older versions are resumed, so that their plans must stay the same."""
    (one,) = loads(made_server())
    chaser, load = one.groups
    assert chaser.workload.work == HopWork()
    assert isinstance(load.workload.work, LineWork)
    assert one.calibrate
    assert set(one.labels) == {"read_share", "store", "delay_cycles", "load_threads"}


def test_each_stride_and_order_has_an_idle_point_and_its_loads() -> None:
    found = plans(made_server(), strides="64B,256B", order="random,sequential")
    works = [one.groups[0].workload.work for one in found if len(one.groups) == 1]
    assert works == [
        HopWork(),
        HopWork(element_bytes=256),
        HopWork(locality_bytes=64, order="sequential"),
        HopWork(element_bytes=256, locality_bytes=256, order="sequential"),
    ]
    assert [len(one.groups) for one in found] == [1, 2] * 4


def test_the_load_has_the_stride_of_the_chaser_by_default() -> None:
    near, far = loads(made_server(), strides="64B,256B")
    assert near.groups[1].workload.kernel == "mix_2r1w_nt"
    assert far.groups[1].workload.kernel == "mix_blocks_2r1w_nt"
    assert far.groups[1].workload.work == BlockWork(element_bytes=256, access_bytes=64, order="sequential")
    assert not far.calibrate
    (apart,) = loads(made_server(), strides="256B", load_stride="64B")
    assert apart.groups[1].workload.kernel == "mix_2r1w_nt"


@pytest.mark.parametrize(
    ("mix", "kernel", "fence"),
    [
        ("read", "read_blocks", ""), ("write", "flush_none", "never"), ("write_nt", "flush_nt", "never"),
        ("mix_3r1w", "mix_blocks_3r1w", ""), ("mix_1r2w_nt", "mix_blocks_1r2w_nt", ""),
    ],
)  # fmt: skip
def test_a_load_at_random_runs_the_kernel_on_blocks_of_its_mix(mix: str, kernel: str, fence: str) -> None:
    work, _ = load_of(made_machine(2), mix, Memory(64 * MiB, ""), Steps(64, "random"), Target(), (100, 1024))
    assert (work.kernel, work.pace_cycles, work.burst_bytes) == (kernel, 100, 1024)
    assert work.work == BlockWork(element_bytes=64, access_bytes=64, order="random", fence=fence)


def test_an_array_with_gaps_is_larger_by_the_gaps() -> None:
    """So that the caches contain no more of it than of an array without."""
    machine = roomy(64 * GiB)
    work, note = chase_of(machine, 64 * MiB, Steps(256, "random"), Target())
    assert (work.footprint_bytes, note) == (256 * MiB, "")
    load, _ = load_of(machine, "mix_1r1w", Memory(64 * MiB, ""), Steps(256), Target(), (0, 1024))
    assert load.footprint_bytes == 256 * MiB  # 64 MiB of lines, in both arrays together


def test_where_memory_does_not_suffice_for_the_gaps_the_note_states_it() -> None:
    size, note = spread(roomy(400 * MiB), 64 * MiB, 256, Target())
    assert size == 100 * MiB
    assert note == "lines of 25 MiB instead of 64 MiB, 256 bytes apart: limited by free memory"


def test_a_node_loads_the_memory_of_another_and_a_third_chases() -> None:
    machine = made_server()  # four nodes, two CPUs each
    (one,) = loads(machine, target="node:2", cpus="6", load_node="1", load_target="node:0")
    chaser, load = one.groups
    assert (chaser.team.cpus, chaser.target.word) == ((6,), "node:2")
    assert (load.team.cpus, load.target.word) == ((2, 3), "node:0")


def test_cpus_that_load_may_be_named_one_by_one() -> None:
    (one,) = loads(made_server(), load_cpus="3,5")
    assert one.groups[0].team.cpus == (0,)
    assert one.groups[1].team.cpus == (3, 5)
    assert one.groups[1].target.word == "node:0"


def test_on_its_own_node_the_chaser_is_left_out_of_the_load() -> None:
    (one,) = loads(made_server(), load_node="0")
    assert (one.groups[0].team.cpus, one.groups[1].team.cpus) == ((0,), (1,))


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"load_node": "7"}, "load_node=7 has no CPU that may be used; nodes with CPUs: 0-3"),
        ({"load_cpus": "0,1"}, "CPU 0 chases, and cannot load"),
        ({"load_cpus": "99"}, "CPU 99 may not be used here"),
        ({"strides": "100B"}, "whole lines of 64 bytes are skipped"),
        ({"load_stride": "32B"}, "whole lines are skipped; try load_stride=256B"),
        ({"order": "randm"}, "unknown order 'randm'; did you mean random"),
        ({"load_cpus": "2", "load_threads": "2"}, "load_threads=2 does not fit the CPUs other than the chaser's, 2"),
    ],
)
def test_options_that_do_not_fit_are_refused(words: dict[str, str], why: str) -> None:
    with pytest.raises(TierscopeError, match=why):
        plans(made_server(), **words)
