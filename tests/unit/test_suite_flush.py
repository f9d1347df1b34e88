"""The plan of flush: which instructions run alternately, on how much memory, and what is refused."""

from contextlib import suppress

import msgspec
import pytest

from made import made_facts
from made_machine import FLUSHES, made_machine
from tierscope.errors import MachineError, UsageError
from tierscope.plans import Answer, suites
from tierscope.plans.live import describe
from tierscope.record.experiment import Experiment
from tierscope.record.machine import Machine
from tierscope.record.result import Clock, Record
from tierscope.run.expected import expected_seconds, imagine
from tierscope.stats.contrast import ROUNDS, VICTIM
from tierscope.suites.flush.experiments import BATCH_S, FILE_BYTES, TOTAL_BYTES
from tierscope.units import GiB, KiB, MiB

SUITE = suites["flush"]
CLOCK = Clock(source="tsc", hz=2e9, resolution_s=5e-10, read_cost_s=2e-8)
ALL = tuple(feature for feature in FLUSHES.values() if feature)


def machine(features: tuple[str, ...] = ALL, cache: int = 32 * MiB, free: int = 20 * GiB, cpus: int = 2) -> Machine:
    made = made_machine(cpus)
    own = made.identity
    identity = msgspec.structs.replace(
        own,
        features=features,
        caches=tuple(msgspec.structs.replace(c, size_bytes=cache) if c.level == 3 else c for c in own.caches),
    )
    return msgspec.structs.replace(made, identity=identity, state={"available_bytes": free})


def planned(on: Machine | None = None, **words: str) -> list[Experiment]:
    experiments = imagine(SUITE.plan(on or machine(), SUITE.read(words)))
    return [experiment for experiment in experiments if experiment.table == "flush"]


def one(on: Machine | None = None, **words: str) -> Experiment:
    (experiment,) = planned(on, **({"chunks": "4KiB"} | words))
    return experiment


def instructions(experiment: Experiment) -> list[str]:
    return [group.workload.kernel.removeprefix("flush_") for group in experiment.groups]


def test_instructions_of_one_chunk_size_alternate_on_one_cpu_with_clwb() -> None:
    experiment = one()
    assert instructions(experiment) == ["clflush", "clflushopt", "clwb", "movdir64b", "none", "nt"]
    assert experiment.takes == ((0,), (1,), (2,), (3,), (4,), (5,))
    assert experiment.against == (2,) * 6
    assert {group.team.cpus for group in experiment.groups} == {(0,)}
    assert {group.role for group in experiment.groups} == {VICTIM}
    assert {group.workload.footprint_bytes for group in experiment.groups} == {FILE_BYTES}
    assert experiment.note == ""


def test_the_default_has_the_sources_chunks_and_two_small_ones_and_ends_within_a_minute() -> None:
    experiments = planned()
    sizes = [experiment.labels["chunk_bytes"] for experiment in experiments]
    assert sizes == [64, 256, 1 * KiB, 2 * KiB, 4 * KiB, 1 * MiB, 2 * MiB]
    assert {group.workload.work.element_bytes for group in experiments[2].groups} == {1 * KiB}
    assert sum(expected_seconds(experiment) for experiment in experiments) < 60


def test_fences_and_orders_are_crossed_with_chunks() -> None:
    experiments = planned(chunks="64B,4KiB", fence="chunk,line,never", order="sequential,random")
    kinds = [(e.labels["order"], e.labels["fence"], e.labels["chunk_bytes"]) for e in experiments]
    assert len(set(kinds)) == 12
    assert kinds[:3] == [("sequential", "chunk", 64), ("sequential", "chunk", 4096), ("sequential", "line", 64)]
    works = [experiment.groups[0].workload for experiment in experiments]
    assert {(work.work.fence, work.work.order) for work in works} == {(kind[1], kind[0]) for kind in kinds}


def test_without_clwb_the_first_instruction_is_what_the_others_are_compared_with() -> None:
    assert one(instructions="clflush,nt").against == (0, 0)
    assert one(machine(("clflush",))).against == (0, 0, 0)


def test_instructions_that_the_cpu_lacks_are_left_out_with_a_word_and_refused_by_name() -> None:
    old = machine(("clflush", "clflushopt"))
    assert instructions(one(old)) == ["clflush", "clflushopt", "none", "nt"]
    told = SUITE.left_out(old, SUITE.read({}))
    assert told[0].startswith("clwb is left out: this CPU has no clwb")
    assert len(told) == 2
    assert SUITE.left_out(old, SUITE.read({"instructions": "nt"})) == ()
    assert SUITE.left_out(machine(), SUITE.read({})) == ()
    with pytest.raises(MachineError, match="instructions=clwb: this CPU has no clwb; try clflush,clflushopt,none,nt"):
        planned(old, instructions="clwb")


def test_a_build_without_kernels_that_flush_is_refused() -> None:
    with pytest.raises(MachineError, match=r"this build has no kernel flush_\.\.\. that runs on this CPU"):
        planned(msgspec.structs.replace(machine(), flushes={}))


def test_msync_is_for_files() -> None:
    assert "msync" in instructions(one(target="file:/mnt/x"))
    assert "msync" not in instructions(one(target="fsdax:/mnt/x"))
    assert instructions(one(target="fsdax:/mnt/x", instructions="msync,clwb")) == ["msync", "clwb"]
    with pytest.raises(UsageError, match="node:0 is not a file; try target=file:PATH"):
        planned(instructions="msync")


def test_all_instructions_together_have_half_of_the_free_memory() -> None:
    experiment = one(machine(free=3 * GiB))
    assert sum(group.workload.footprint_bytes for group in experiment.groups) <= 1.5 * GiB
    assert "footprints of 256 MiB instead of 1 GB" in experiment.note


def test_a_footprint_that_fits_in_the_cache_is_reported() -> None:
    assert "under 4 x the last-level cache, 32 MiB as reported" in one(footprint="64MiB").note
    assert one(footprint="128MiB").note == ""


@pytest.mark.parametrize("target", ["file:/mnt/x", "pool:/mnt/x", "pool:/mnt/x,open"])
def test_msync_is_in_the_default_list_exactly_where_the_target_persists_by_it(target: str) -> None:
    for domain, by_msync in (("msync", True), ("none", False), ("adr", False), ("eadr", False)):
        asking, experiment = persisting(domain, target=target)
        assert (asking.table, asking.groups[0].target.word) == ("sizing", target)
        assert describe(asking) == f"how {target} persists"
        assert ("msync" in instructions(experiment)) == by_msync
        (named,) = persisting(domain, target=target, instructions="msync,clwb")  # it is a file anyway
        assert instructions(named) == ["msync", "clwb"]


@pytest.mark.parametrize("target", ["node:0", "fsdax:/mnt/x", "devdax:/dev/dax0.0"])
def test_a_target_that_never_persists_by_msync_is_not_asked(target: str) -> None:
    (experiment,) = persisting("adr", target=target)
    assert "msync" not in instructions(experiment)


class Told(Answer):
    """Latencies of a cache of 300 MiB; half a GB/s for everything that is flushed."""

    def rate(self, group: int = 0) -> float | None:
        work = self.experiment.groups[group].workload
        if work.kernel == "chase":
            return 1 / (20e-9 if work.footprint_bytes < 300 * MiB else 200e-9)
        return 0.5e9 / work.work.element_bytes


def told(on: Machine, **words: str) -> list[Experiment]:
    plan = SUITE.plan(on, SUITE.read(words))
    found = [next(plan)]
    try:
        while True:
            found.append(plan.send(Told(found[-1])))
    except StopIteration:
        return found


def persisting(domain: str, **words: str) -> list[Experiment]:
    """The plan where the core states how the target persists."""
    plan = SUITE.plan(machine(), SUITE.read({"chunks": "4KiB"} | words))
    found = [next(plan)]
    with suppress(StopIteration):
        while True:
            facts = tuple(made_facts(group, persistence=domain) for group in found[-1].groups)
            record = Record(
                number=0,
                experiment=found[-1],
                groups=facts,
                clock=CLOCK,
                samples="samples/0000.parquet",
                blocks=1,
                started="",
                seconds=0.1,
                largest_relative_error=0.0,
            )
            found.append(plan.send(Answer(found[-1], record)))
    return found


def test_a_large_cache_is_searched_for_and_the_footprint_is_four_times_what_is_found() -> None:
    experiments = told(machine(cache=480 * MiB), chunks="4KiB", instructions="clwb")
    assert {experiment.table for experiment in experiments[:-1]} == {"sizing"}
    footprint = experiments[-1].groups[0].workload.footprint_bytes
    assert FILE_BYTES < footprint <= 2 * GiB
    assert {experiment.table for experiment in told(machine(), chunks="4KiB")} == {"flush"}


def test_seconds_are_those_of_20_gb_by_default() -> None:
    experiment = one()
    assert experiment.labels["total_bytes"] == TOTAL_BYTES
    assert experiment.schedule.minimum_s == BATCH_S


def test_a_total_that_is_named_is_really_written_by_the_slowest_instruction_too() -> None:
    sizing, experiment = told(machine(), chunks="4KiB", total="20GB", instructions="nt,clflush,clwb")
    assert (sizing.table, sizing.takes, sizing.groups) == ("sizing", ((1,),), experiment.groups)
    assert experiment.labels["total_bytes"] == 20_000_000_000
    assert ROUNDS * experiment.schedule.minimum_s * 0.5e9 >= 20_000_000_000
    assert experiment.schedule.budget_s >= experiment.schedule.minimum_s


def test_a_small_total_still_runs_for_a_batch() -> None:
    assert told(machine(), chunks="4KiB", total="1MiB")[-1].schedule.minimum_s == BATCH_S


def test_progress_names_the_instructions_that_alternate() -> None:
    sizing, experiment = told(machine(), chunks="4KiB", total="1GB", instructions="clflush,clwb", order="random")
    assert describe(experiment) == "4 KiB chunks, a fence after each chunk, random order: clflush, clwb"
    assert describe(sizing) == "4 KiB chunks, a fence after each chunk, random order: clflush"
    assert describe(one(fence="never", instructions="nt")) == "4 KiB chunks, no fence: nt"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"instructions": "clwd"}, "unknown instruction 'clwd'; did you mean clwb"),
        ({"instructions": ""}, "no instruction is named"),
        ({"chunks": "100B"}, "chunks=100B: whole lines of 64 bytes"),
        ({"chunks": "0B"}, "whole lines"),
        ({"chunks": ""}, "no chunk size is named"),
        ({"fence": "often"}, "unknown fence 'often'"),
        ({"order": "up"}, "unknown order 'up'"),
        ({"cpu": "7"}, "CPU 7 may not be used here; usable: 0,1"),
        ({"footprint": "1MiB"}, "footprint=1MiB has no space for a chunk of 2 MiB; try footprint=200MiB"),
        ({"target": ":x"}, "has no name"),
        ({"pages": "3m"}, "unknown page size"),
    ],
)
def test_it_refuses(words: dict[str, str], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        planned(machine(), **words)
