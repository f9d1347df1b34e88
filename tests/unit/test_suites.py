"""The plans of the suites, on machines that are made up; nothing is measured."""

from dataclasses import dataclass

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as some

from made import made_latency_s
from made_machine import WALKS, made_machine, two_packages
from tierscope.errors import MachineError, UnknownNameError, UsageError
from tierscope.plans import Answer, suites
from tierscope.plans.kernels import LOADS
from tierscope.plans.sizes import LARGEST, SMALLEST_ARRAY, array, staircase
from tierscope.record.experiment import Experiment
from tierscope.record.machine import Machine
from tierscope.run.expected import imagine
from tierscope.suites.loaded_latency.loads import apart
from tierscope.suites.stream.large import LARGE
from tierscope.units import GiB, KiB, MiB


def machine(cpus: int = 2, nodes: int = 1, free: int = 20 * GiB, cache: int | None = None) -> Machine:
    """CPUs dealt out to nodes in blocks; `cache` replaces the last level, 0 leaves no cache at all."""
    made = made_machine(cpus)
    each = cpus // nodes
    own = made.identity
    identity = msgspec.structs.replace(
        own,
        cpus=tuple(msgspec.structs.replace(cpu, node=cpu.number // each, core=cpu.number) for cpu in own.cpus),
        nodes=tuple(
            msgspec.structs.replace(own.nodes[0], number=n, cpus=tuple(range(n * each, (n + 1) * each)))
            for n in range(nodes)
        ),
        caches=() if cache == 0 else tuple(
            msgspec.structs.replace(c, size_bytes=cache or c.size_bytes) if c.level == 3 else c for c in own.caches
        ),
    )  # fmt: skip
    return msgspec.structs.replace(
        made, identity=identity, state={"available_bytes": free}, structures={"unordered_map": "node"}
    )


def planned(suite: str, on: Machine, **words: str) -> list[Experiment]:
    return imagine(suites[suite].plan(on, suites[suite].read({key.rstrip("_"): word for key, word in words.items()})))


def tables(experiments: list[Experiment]) -> set[str]:
    return {experiment.table for experiment in experiments}


def footprints(experiments: list[Experiment], table: str) -> list[int]:
    return [e.groups[0].workload.footprint_bytes for e in experiments if e.table == table]


@given(some.integers(128, GiB), some.floats(1, 1e5), some.integers(1, 8))
def test_a_staircase_rises_within_its_bounds_in_whole_lines(low: int, ratio: float, per_octave: int) -> None:
    low = low // 64 * 64
    high = int(low * ratio)
    steps = staircase(low, high, per_octave)
    assert steps[0] == low
    assert steps[-1] == high
    assert steps == sorted(set(steps))
    assert all(size % (4 * KiB if size >= 32 * KiB else 64) == 0 for size in steps[1:-1])


def test_a_staircase_has_the_requested_steps_to_a_doubling() -> None:
    assert staircase(64 * KiB, 256 * KiB, 1) == [64 * KiB, 128 * KiB, 256 * KiB]
    assert len(staircase(64 * KiB, 64 * MiB, 4)) == 41


def test_arrays_are_4x_the_cache_that_was_found() -> None:
    assert array(machine(cache=32 * MiB), 200 * MiB, (0,)).array_bytes == 800 * MiB
    assert array(machine(cache=32 * MiB), 32 * MiB, (0,)).array_bytes == 128 * MiB


def test_a_team_on_several_last_level_caches_gets_arrays_for_all_of_them() -> None:
    one = machine(4, cache=32 * MiB)
    own = one.identity
    parts = [msgspec.structs.replace(c, cpus=cpus) for c in own.caches if c.level == 3 for cpus in ((0, 1), (2, 3))][:2]
    split = msgspec.structs.replace(one, identity=msgspec.structs.replace(own, caches=tuple(parts)))
    assert array(split, 200 * MiB, (0, 1)).array_bytes == 800 * MiB
    assert array(split, 200 * MiB, (0, 2)).array_bytes == 1600 * MiB


def test_the_load_leaves_the_core_of_the_chaser_alone() -> None:
    one = machine(4)
    cpus = tuple(msgspec.structs.replace(cpu, core=cpu.number // 2) for cpu in one.identity.cpus)
    paired = msgspec.structs.replace(one, identity=msgspec.structs.replace(one.identity, cpus=cpus))
    assert paired.cpus() == (0, 2, 1, 3)
    assert apart(paired, paired.cpus()) == ((0, 2, 3), "")
    kept, note = apart(paired, (0, 1))
    assert kept == (0, 1)
    assert "shares the chaser's core" in note


def test_a_cache_that_looks_smaller_than_reported_is_half_believed() -> None:
    assert array(machine(cache=480 * MiB), 64 * MiB, (0,)).array_bytes == 512 * MiB


def test_without_any_known_cache_arrays_have_their_least_size() -> None:
    assert array(machine(cache=0), None, (0,)).array_bytes == SMALLEST_ARRAY


@pytest.mark.parametrize(
    ("free", "cache", "size", "why"),
    [
        (600 * MiB, 96 * MiB, 100 * MiB, "half of the free memory"),
        (99 * GiB, GiB, LARGEST, "the time that filling takes"),
    ],
)
def test_smaller_arrays_than_the_rule_asks_come_with_the_reason(free: int, cache: int, size: int, why: str) -> None:
    memory = array(machine(free=free, cache=cache), None, (0,))
    assert memory.array_bytes == size
    assert memory.note.endswith(f"limited by {why}")


def test_quick_measures_staircase_bandwidth_and_latency_under_load_in_that_order() -> None:
    first, *order, last = (experiment.table for experiment in planned("quick", machine()))
    assert list(dict.fromkeys(order)) == ["latency", "stream", "loaded_latency"]
    assert order == sorted(order, key=["latency", "stream", "loaded_latency"].index)
    assert first == last == "sharing"


def test_quick_has_three_mixes_at_eight_delays_and_every_stream_kernel_at_one_and_all_threads() -> None:
    experiments = planned("quick", machine())
    loads = [e.labels for e in experiments if e.table == "loaded_latency" and e.labels["load_threads"]]
    assert len({(label["read_share"], label["store"]) for label in loads}) >= 3
    assert len({label["delay_cycles"] for label in loads}) >= 8
    threads = {(e.labels["kernel"], e.labels["threads"]) for e in experiments if e.table == "stream"}
    assert {("triad", 1), ("triad", 2), ("copy_nt", 1), ("memset", 2)} <= threads


def test_quick_starts_at_the_smallest_cache_and_ends_beyond_the_largest() -> None:
    sizes = footprints(planned("quick", machine(cache=105 * MiB)), "latency")
    assert min(sizes) == 4 * KiB
    assert max(sizes) >= 4 * 105 * MiB


def test_one_cpu_leaves_out_latency_under_load_with_a_note() -> None:
    alone = machine(1)
    assert tables(planned("quick", alone)) == {"latency", "stream"}
    (words,) = suites["quick"].left_out(alone, suites["quick"].read({}))
    assert "needs two CPUs" in words
    assert suites["quick"].left_out(machine(2), suites["quick"].read({})) == ()


def test_one_cpu_on_the_node_is_one_cpu() -> None:
    assert tables(planned("quick", machine(2, nodes=2))) == {"latency", "stream"}
    with pytest.raises(MachineError, match="needs two CPUs"):
        planned("loaded-latency", machine(2, nodes=2))


def test_a_large_machine_is_measured_on_the_cpus_of_the_node() -> None:
    experiments = planned("quick", machine(64, nodes=2))
    used = {cpu for e in experiments for group in e.groups for cpu in group.team.cpus}
    assert used == set(range(32))
    assert {e.labels["threads"] for e in experiments if e.table == "stream"} == {1, 4, 16, 32}
    far = planned("stream", machine(64, nodes=2), target="node:1")
    assert {cpu for e in far for cpu in e.groups[0].team.cpus} == set(range(32, 64))


def test_little_memory_makes_everything_smaller_and_every_note_states_why() -> None:
    experiments = planned("quick", machine(free=300 * MiB, cache=96 * MiB))
    assert all(sum(g.workload.footprint_bytes for g in e.groups) <= 150 * MiB for e in experiments)
    assert all("half of the free memory" in e.note for e in experiments if e.table != "sharing")  # which fits


def test_a_machine_that_reports_no_cache_is_measured_anyway() -> None:
    sizes = footprints(planned("quick", machine(cache=0)), "latency")
    assert max(sizes) >= 512 * MiB


def test_footprints_of_the_first_staircase_are_measured_from_the_largest_down() -> None:
    sizes = footprints(planned("latency", machine(), pages="thp"), "latency")
    first = sizes[: sizes.index(4 * KiB) + 1]
    assert first == sorted(first, reverse=True)


def test_latency_has_a_series_for_each_question() -> None:
    experiments = planned("latency", machine(), probe="cycle,random", order="global,page")
    series = {(e.labels["probe"], e.labels["order"], e.labels["pages"]) for e in experiments}
    assert series == {
        ("cycle", "global", "thp"), ("cycle", "page", "thp"), ("random", "global", "thp"),
        ("cycle", "pair", "thp"), ("cycle", "global", "4k"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"from_": "1MiB", "to": "4KiB"}, "from=1MiB to=4KiB"),
        ({"from_": "0"}, "from=0: 4KiB or more is needed"),
        ({"to": "0"}, "to=0: 4KiB or more is needed"),
        ({"element": "1GiB", "to": "64KiB"}, "two elements or more"),
        ({"element": "0"}, "element=0: a line of 64 bytes or more is needed"),
        ({"pages": "thp,3m"}, "unknown page size '3m'"),
        ({"pages": ","}, "no page size is named"),
        ({"probe": "lion"}, "unknown probe 'lion'"),
        ({"order": "alphabetical"}, "unknown order"),
        ({"cpu": "9"}, "CPU 9 may not be used here; usable: 0,1"),
        ({"target": ":0"}, "has no name"),
    ],
)
def test_latency_refuses(words: dict[str, str], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        planned("latency", machine(), **words)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"kernels": "triat"}, "unknown kernel 'triat'; did you mean triad"),
        ({"kernels": ""}, "no kernel is named"),
        ({"threads": "3"}, "threads=3 does not fit the CPUs that may be used, 0,1; try threads=2"),
        ({"threads": "0"}, "threads=0"),
        ({"cpus": "0,9"}, "CPU 9 may not be used here"),
        ({"pages": "3m"}, "unknown page size"),
    ],
)
def test_stream_refuses(words: dict[str, str], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        planned("stream", machine(), array="64MiB", **words)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"mixes": "readx"}, "unknown mix 'readx'; did you mean read"),
        ({"load_threads": "2"}, "load_threads=2 does not fit the CPUs other than the chaser's, 1"),
        ({"delays": ""}, "delays=: this names no number"),
        ({"delays": "1-x"}, "not a list"),
    ],
)
def test_loaded_latency_refuses(words: dict[str, str], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        planned("loaded-latency", machine(), array="64MiB", **words)


def test_an_unknown_suite_is_reported_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown suite 'quickx'; did you mean quick"):
        suites["quickx"]


def test_all_kernels_touch_as_many_arrays_as_they_walk() -> None:
    experiments = planned("stream", machine(), kernels="all", threads="2", array="64MiB")
    sizes = {e.groups[0].workload.kernel: e.groups[0].workload.footprint_bytes for e in experiments}
    assert sizes == {kernel: walk.arrays * 64 * MiB for kernel, walk in WALKS.items()}
    assert all(e.calibrate for e in experiments if e.labels["kernel"] not in LARGE)


def test_the_chaser_is_alone_on_its_cpu_and_the_idle_machine_comes_first() -> None:
    experiments = planned("loaded-latency", machine(4), array="64MiB", load_threads="1,3")
    assert len(experiments[0].groups) == 1
    for experiment in experiments[1:]:
        chaser, load = experiment.groups
        assert chaser.team.cpus == (0,)
        assert load.team.cpus == tuple(range(1, 1 + int(experiment.labels["load_threads"] or 0)))
    assert {e.labels["read_share"] for e in experiments[1:]} == {WALKS[name].read_share for name in LOADS}


@dataclass(frozen=True)
class Told(Answer):
    """An answer by the made staircase, whose last level contains 96 MiB."""

    def rate(self, group: int = 0) -> float | None:
        one = self.experiment.groups[group]
        return 1 / made_latency_s(one.workload.footprint_bytes, one.target.pages)


def told(suite: str, on: Machine) -> list[Experiment]:
    plan = suites[suite].plan(on, suites[suite].read({}))
    found = [next(plan)]
    try:
        while True:
            found.append(plan.send(Told(found[-1])))
    except StopIteration:
        return found


@pytest.mark.parametrize("suite", list(suites))
def test_a_plan_is_the_same_when_it_gets_the_same_answers(suite: str) -> None:
    """The property that `resume` needs."""
    on = two_packages() if suite == "cxl" else machine()  # it needs a node without CPUs
    assert told(suite, on) == told(suite, on)


@pytest.mark.parametrize("suite", ["quick", "stream", "loaded-latency"])
def test_the_cache_that_the_staircase_finds_sets_the_arrays(suite: str) -> None:
    others = ("latency", "sizing", "sharing")  # whose footprints rest on no array

    def arrays(experiments: list[Experiment]) -> set[int]:
        last = (group.workload for e in experiments if e.table not in others for group in e.groups)
        return {work.footprint_bytes // (WALKS[work.kernel].arrays if work.kernel in WALKS else 1) for work in last}

    small = machine(cache=16 * MiB)
    assert arrays(planned(suite, small)) == {64 * MiB}
    (found,) = arrays(told(suite, small))
    assert 300 * MiB < found < 1200 * MiB
