"""The plan of stride: which accesses, by whom, over how much memory, and what is refused."""

import msgspec
import pytest

from made_machine import made_machine
from tierscope.errors import MachineError, UsageError
from tierscope.plans import Answer, suites
from tierscope.plans.live import describe
from tierscope.record.experiment import Experiment
from tierscope.record.machine import Machine
from tierscope.run.expected import expected_seconds, imagine
from tierscope.units import GiB, KiB, MiB

SUITE = suites["stride"]


def machine(free: int = 20 * GiB, cpus: int = 8, features: tuple[str, ...] = ("clwb", "clflush")) -> Machine:
    made = made_machine(cpus)
    caches = tuple(msgspec.structs.replace(c, size_bytes=min(c.size_bytes, 32 * MiB)) for c in made.identity.caches)
    identity = msgspec.structs.replace(made.identity, caches=caches, features=features)
    return msgspec.structs.replace(made, identity=identity, state={"available_bytes": free})


def planned(on: Machine | None = None, **words: str) -> list[Experiment]:
    experiments = imagine(SUITE.plan(on or machine(), SUITE.read(words)))
    return [experiment for experiment in experiments if experiment.table == "stride"]


def test_every_access_is_measured_at_every_stride_that_is_wide_enough() -> None:
    experiments = planned(op="read", strides="64B,256B,1KiB", access="64B,256B")
    pairs = [(e.labels["access_bytes"], e.labels["stride_bytes"]) for e in experiments]
    assert pairs == [(64, 64), (64, 256), (64, 1024), (256, 256), (256, 1024)]
    works = [e.groups[0].workload for e in experiments]
    assert [(work.work.access_bytes, work.work.element_bytes) for work in works] == pairs
    assert {(work.kernel, work.work.order, work.work.fence) for work in works} == {("read_blocks", "sequential", "")}


def test_writes_leave_the_core_as_asked_and_without_a_fence() -> None:
    experiments = planned(op="write", stores="nt,clwb", strides="256B", access="64B")
    works = [e.groups[0].workload for e in experiments]
    assert [(work.kernel, work.work.fence) for work in works] == [("flush_nt", "never"), ("flush_clwb", "never")]
    assert [e.labels["store"] for e in experiments] == ["nt", "clwb"]


def test_orders_and_threads_are_crossed() -> None:
    experiments = planned(op="both", strides="256B", access="64B", order="sequential,random", threads="1,2")
    kinds = [(e.labels["order"], e.labels["threads"], e.labels["op"]) for e in experiments]
    assert len(set(kinds)) == len(kinds) == 8
    assert [len(e.groups[0].team.cpus) for e in experiments] == [e.labels["threads"] for e in experiments]


def test_the_default_is_four_threads_or_all_and_ends_within_90_seconds() -> None:
    assert {e.labels["threads"] for e in planned()} == {4}
    assert {e.labels["threads"] for e in planned(machine(cpus=2))} == {2}
    assert sum(expected_seconds(e) for e in planned()) < 90


def test_reads_whose_lines_may_stay_in_the_caches_are_marked_and_nt_stores_never() -> None:
    cached = {e.labels["stride_bytes"] for e in planned(op="read", access="64B") if e.labels["cached"]}
    assert cached == {4 * KiB, 8 * KiB, 16 * KiB, 32 * KiB, 64 * KiB}  # 2 GiB / 4 KiB * 64 B are 32 MiB
    assert not any(e.labels["cached"] for e in planned(op="write"))
    assert any(e.labels["cached"] for e in planned(op="write", stores="clwb"))


class Told(Answer):
    """Latencies of a cache of 8 MiB."""

    def rate(self, group: int = 0) -> float | None:
        return 1 / (20e-9 if self.experiment.groups[group].workload.footprint_bytes < 8 * MiB else 200e-9)


def test_the_cache_is_what_is_found_and_not_what_is_reported() -> None:
    plan = SUITE.plan(machine(), SUITE.read({"op": "read", "access": "64B"}))
    found = [next(plan)]
    try:
        while True:
            found.append(plan.send(Told(found[-1])))
    except StopIteration:
        pass
    cached = [e.labels["stride_bytes"] for e in found if e.labels.get("cached")]
    assert min(int(stride or 0) for stride in cached) == 16 * KiB
    assert {e.table for e in found} == {"sizing", "stride"}


def test_the_footprint_is_2_gib_or_half_of_what_is_free() -> None:
    assert {e.groups[0].workload.footprint_bytes for e in planned()} == {2 * GiB}
    (experiment, *_) = planned(machine(free=1 * GiB))
    assert experiment.groups[0].workload.footprint_bytes == 512 * MiB
    assert "limited by half of the free memory" in experiment.note
    assert planned(footprint="256MiB")[0].groups[0].workload.footprint_bytes == 256 * MiB


def test_a_simulated_memory_is_visited_beyond_its_caches() -> None:
    (experiment, *_) = planned(machine(free=200 * GiB), target="sim:made", op="read")
    assert experiment.groups[0].workload.footprint_bytes >= 2 * 32 * MiB * 1024
    assert not any(e.labels["cached"] for e in planned(machine(free=200 * GiB), target="sim:made"))


def test_progress_names_access_and_stride() -> None:
    assert describe(planned(op="read", strides="1KiB", access="64B")[0]) == "read_blocks, 64 B every 1 KiB"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"op": "copy"}, "unknown operation 'copy'"),
        ({"strides": "100B"}, "strides=100B: whole lines of 64 bytes are touched"),
        ({"access": "0B"}, "access=0B: whole lines"),
        ({"strides": ""}, "no size is named"),
        ({"strides": "64B", "access": "1KiB"}, "access=1 KiB is wider than every stride"),
        ({"stores": "msync"}, "unknown store 'msync'"),
        ({"order": "up"}, "unknown order 'up'"),
        ({"threads": "9"}, "threads=9: from 1 to 8 threads have a CPU each"),
        ({"threads": "0"}, "threads=0"),
        ({"footprint": "1MiB"}, "contains fewer than 64 strides of 64 KiB; try footprint=4MiB"),
        ({"cpus": "99"}, "CPU 99 may not be used here"),
    ],
)
def test_it_refuses(words: dict[str, str], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        planned(machine(), **words)


def test_a_store_that_the_cpu_lacks_is_the_machines_fault() -> None:
    with pytest.raises(MachineError, match="stores=clwb: this CPU has no clwb; try stores=nt"):
        planned(machine(features=()), op="write", stores="clwb")
