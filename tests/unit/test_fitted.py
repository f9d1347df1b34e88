"""Experiments in the lines and pages of the machine, and teams of equal cores."""

from contextlib import suppress

import msgspec
import pytest

from made_machine import made_machine
from tierscope.errors import TierscopeError
from tierscope.plans import suites
from tierscope.plans.answer import Answer
from tierscope.plans.cpus import near_cpus
from tierscope.plans.fitted import fit, fitted
from tierscope.record.experiment import Experiment, Target
from tierscope.record.machine import Cpu, Machine
from tierscope.record.work.hop import HopWork
from tierscope.run.doubts import next_step
from tierscope.units import KiB, MiB


def machine(line: int = 64, base: int = 4 * KiB, capacities: tuple[int | None, ...] = (None,) * 4) -> Machine:
    made = made_machine(len(capacities), peak=None)
    caches = tuple(msgspec.structs.replace(cache, line_bytes=line) for cache in made.identity.caches)
    cpus = tuple(
        Cpu(number=n, core=n, package=0, node=0, allowed=True, capacity=size) for n, size in enumerate(capacities)
    )
    identity = msgspec.structs.replace(made.identity, caches=caches, cpus=cpus)
    return msgspec.structs.replace(
        made, identity=identity, state={"page_bytes": base, "large_page_bytes": base * base // 8}
    )


def planned(suite: str, here: Machine, **words: str) -> list[Experiment]:
    """The experiments of a suite if nothing is answered, as the machine can run them."""
    plan = fitted(here, suites[suite].plan(here, suites[suite].read(words)))
    found = [next(plan)]
    try:
        while True:
            found.append(plan.send(Answer(found[-1])))
    except StopIteration:
        return found


def hops(experiment: Experiment) -> list[HopWork]:
    return [group.workload.work for group in experiment.groups if isinstance(group.workload.work, HopWork)]


def test_lines_of_64_bytes_and_pages_of_4_kib_change_no_experiment() -> None:
    here, seen = machine(), 0
    for suite in suites:
        with suppress(TierscopeError):  # this machine cannot run some suites
            first = next(suites[suite].plan(here, suites[suite].read({})))
            assert fit(here, first) is first
            seen += 1
    assert seen >= 20


@pytest.mark.parametrize("line", [64, 128, 256])
def test_no_hop_is_shorter_than_a_line(line: int) -> None:
    """In the plan of every suite that this machine can run."""
    seen = 0
    for suite in suites:
        works: list[HopWork] = []
        with suppress(TierscopeError):
            works = [work for one in planned(suite, machine(line)) for work in hops(one)]
        assert min((work.element_bytes for work in works), default=line) >= line, suite
        assert all(work.element_bytes % line == 0 or work.element_bytes > 4 * KiB for work in works), suite
        assert all(work.locality_bytes % work.element_bytes == 0 for work in works), suite
        seen += bool(works)
    assert seen >= 12


def test_a_pair_of_neighbours_is_two_lines() -> None:
    pairs = [one for one in planned("latency", machine(128)) if one.labels.get("order") == "pair"]
    assert [work.locality_bytes for one in pairs for work in hops(one)] == [256]


@pytest.mark.parametrize("line", [64, 128])
def test_a_hand_over_has_a_line_for_each_of_its_lines(line: int) -> None:
    first = planned("core-to-core", machine(line), state="handover,clean")
    sizes = {group.workload.footprint_bytes for one in first for group in one.groups}
    assert sizes == {16 * line, 257 * 2 * line}


def test_small_pages_are_the_smallest_of_the_kernel_with_a_warning() -> None:
    with_64k = planned("latency", machine(base=64 * KiB))
    asked = [one for one in with_64k if one.labels["pages"] != "thp"]
    assert asked
    for one in asked:
        assert (one.labels["pages"], one.groups[0].target.pages) == ("64k", "64k")
        note = "pages of 64 KiB instead of 4 KiB, which this machine does not have"
        assert next_step(one.note, "") == (note, "name pages=64k to ask for them")
    assert all(not one.note for one in with_64k if one.labels["pages"] == "thp")


def test_a_team_is_of_the_largest_cores_alone() -> None:
    here = machine(capacities=(446, 446, 1024, 1024))
    assert here.cpus() == (0, 1, 2, 3)
    assert near_cpus(here, Target()) == (2, 3)
    assert near_cpus(machine(), Target()) == (0, 1, 2, 3)
    assert near_cpus(machine(capacities=(1024, 1001, 1018, 870)), Target()) == (0, 1, 2)  # one kind, rated by clocks


def test_a_capacity_is_part_of_the_identity_and_its_absence_is_not() -> None:
    plain, big = machine(), machine(capacities=(446, 1024, 1024, 1024))
    assert b"capacity" not in msgspec.json.encode(plain)
    assert plain.identity.digest() != big.identity.digest()


def test_lines_and_pages_of_a_machine_that_states_none_are_those_of_x86() -> None:
    bare = msgspec.structs.replace(machine(), state={})
    assert (bare.line_bytes(), bare.base_page_bytes(), bare.large_page_bytes()) == (64, 4 * KiB, 2 * MiB)
    caches = tuple(msgspec.structs.replace(cache, line_bytes=0) for cache in bare.identity.caches)
    unlisted = msgspec.structs.replace(bare, identity=msgspec.structs.replace(bare.identity, caches=caches))
    assert msgspec.structs.replace(unlisted, state={"line_bytes": 128}).line_bytes() == 128
    assert msgspec.structs.replace(bare, state={"line_bytes": 256}).line_bytes() == 256  # files state 64
    assert msgspec.structs.replace(bare, state={"line_bytes": 32}).line_bytes() == 64
    assert msgspec.structs.replace(unlisted, state={"line_bytes": 32}).line_bytes() == 64  # what kernels touch
