"""The plan of `run maps`: structures that fit the target, operations, counts; and what it refuses."""

import msgspec
import pytest

from made_machine import made_machine
from tierscope.core import group_words
from tierscope.errors import MachineError, TierscopeError, UnknownNameError, UsageError
from tierscope.plans import suites
from tierscope.record.experiment import Experiment
from tierscope.record.machine import Machine
from tierscope.run.expected import imagine
from tierscope.suites.maps.experiments import MIXED, PAPER_COUNTS, PAPER_INSERTS, PAPER_VALUES, SHORTEST_S

SUITE = suites["maps"]
HERE = {"hashmap_atomic": "pool", "hashmap_tx": "pool", "robin_map": "node", "unordered_map": "node"}
POOL = "target=pool:/mnt/x.pool"


def machine(cpus: int = 2) -> Machine:
    lacking = {"btree": "only in tierscope-core-pmdk, built where libpmemobj is"}
    return msgspec.structs.replace(made_machine(cpus), structures=HERE, structures_lacking=lacking)


def asked(*words: str, on: Machine | None = None) -> list[Experiment]:
    chosen = SUITE.read(dict(word.split("=", 1) for word in words))
    return imagine(SUITE.plan(on or machine(), chosen))


def points(*words: str) -> list[tuple[str, str, int]]:
    works = [one.groups[0].workload for one in asked(*words)]
    return [(work.kernel, work.work.operation, work.work.count) for work in works]


def test_by_default_every_structure_that_the_target_takes_runs_every_operation() -> None:
    each = ("insert", "get", "remove")
    assert points() == [(name, one, 50_000) for name in ("robin_map", "unordered_map") for one in each]
    assert points(POOL) == [(name, one, 50_000) for name in ("hashmap_atomic", "hashmap_tx") for one in each]


def test_a_simulated_memory_takes_all_structures_in_batches_of_one_round() -> None:
    found = asked("target=sim:optane100", "operations=get")
    assert [one.groups[0].workload.kernel for one in found] == list(HERE)
    assert {one.schedule.minimum_s for one in found} == {SHORTEST_S}
    (said,) = SUITE.left_out(machine(), SUITE.read({"target": "sim:optane100"}))
    assert said.startswith("structure btree is left out; try")


def test_operations_that_cannot_be_recorded_are_left_out_with_a_word_and_refused_by_name() -> None:
    here = msgspec.structs.replace(
        machine(), structures={**HERE, "map": "node"}, structures_unrecorded={"map": "balanced unseen"}
    )
    found = [one.groups[0].workload for one in asked("target=sim:flat", "operations=insert,get,mixed", on=here)]
    assert [one.work.operation for one in found if one.kernel == "map"] == ["get"]
    assert [one.work.operation for one in found if one.kernel == "robin_map"] == ["insert", "get", MIXED]
    *_, said = SUITE.left_out(here, SUITE.read({"target": "sim:flat", "operations": "insert,get"}))
    wanted = "operations insert of structure map are left out on target=sim:flat: balanced unseen; "
    assert said == wanted + "try unordered_map or robin_map for them"
    assert SUITE.left_out(here, SUITE.read({})) == ()
    assert len(asked("structures=map", "operations=insert", on=here)) == 1
    with pytest.raises(UsageError, match="balanced unseen; try structures=unordered_map,robin_map"):
        asked("structures=map", "operations=get,insert", "target=sim:flat", on=here)


def test_an_emulated_tier_takes_all_structures_and_those_in_pools_by_gets_alone() -> None:
    found = [one.groups[0] for one in asked("target=emu:latency=1us", "operations=insert,get")]
    works = [(one.workload.kernel, one.workload.work.operation) for one in found]
    volatile = [(name, one) for name in ("robin_map", "unordered_map") for one in ("insert", "get")]
    assert works == [("hashmap_atomic", "get"), ("hashmap_tx", "get"), *volatile]
    said = SUITE.left_out(machine(), SUITE.read({"target": "emu:latency=1us", "operations": "insert,get,remove"}))
    assert said[1] == (
        "operations insert, remove of structures hashmap_atomic, hashmap_tx are left out on target=emu:latency=1us: "
        "its flushes and fences are not delayed there; try unordered_map or robin_map for them"
    )
    with pytest.raises(UsageError, match="operation insert of hashmap_tx does not run .* are not delayed there"):
        asked("structures=hashmap_tx", "operations=insert", "target=emu:latency=1us")


def test_counts_values_and_threads_are_crossed() -> None:
    found = asked("structures=robin_map", "operations=get", "count=100,1000", "value=8B,1KiB", "threads=1,2")
    works = [(one.groups[0].workload.work.count, one.groups[0].workload.work.value_bytes) for one in found]
    assert works == [(100, 8), (100, 1024), (1000, 8), (1000, 1024)] * 2
    assert [len(one.groups[0].team.cpus) for one in found] == [1] * 4 + [2] * 4


def test_a_take_is_judged_by_its_own_time() -> None:
    for one in asked():
        assert (one.takes, one.against, one.groups[0].role) == (((0,),), (0,), "victim")


def test_the_words_reach_the_core() -> None:
    words = ("structures=robin_map", "operations=mixed", "keys=zipf:0.8", "round=10", "seed=7", "sharing=one")
    (one,) = asked(*words)
    told = group_words(one.groups[0])
    wanted = {
        "kernel": "robin_map", "operation": MIXED, "keys": "zipf:0.8", "per_block": "10", "seed": "7",
        "sharing": "one", "count": "50000", "value": "16", "target": "node:0",
    }  # fmt: skip
    assert {key: told[key].removesuffix("B") for key in wanted} == wanted


def test_the_paper_has_its_counts_of_gets_and_its_inserts() -> None:
    found = asked(POOL, "preset=paper")
    works = [one.groups[0].workload for one in found]
    gets = [work.work.count for work in works if work.work.operation == "get"]
    inserts = [(work.work.count, work.work.value_bytes) for work in works if work.work.operation == "insert"]
    assert {work.kernel for work in works} == {"hashmap_atomic"}
    assert gets == list(PAPER_COUNTS)
    assert inserts == [(PAPER_INSERTS, value) for value in PAPER_VALUES]
    assert len(works) == len(gets) + len(inserts)


def test_structures_that_the_build_lacks_are_named_as_left_out() -> None:
    assert SUITE.left_out(machine(), SUITE.read({})) == ()
    (said,) = SUITE.left_out(machine(), SUITE.read({"target": "pool:/mnt/x"}))
    assert said.startswith("structure btree is left out; try")


@pytest.mark.parametrize(
    ("words", "kind", "why"),
    [
        (["structures=btree", POOL], MachineError, "structure btree is only in tierscope-core-pmdk"),
        (["structures=robinmap"], UnknownNameError, "robin_map"),
        (["structures=hashmap_tx"], UsageError, "does not live on target=node:0; try target=pool:PATH"),
        (["structures=robin_map", POOL], UsageError, "try target=node:0"),
        (["structures="], UsageError, "no structure is named"),
        (["target=null"], UsageError, "no structure of this build lives there"),
        (["operations="], UsageError, "no operation is named"),
        (["operations=put"], UsageError, "try insert, get, remove, mixed"),
        (["operations=get:+insert"], UsageError, "operations=get:"),
        (["keys=even"], UsageError, "try keys=uniform"),
        (["value=12B"], UsageError, "multiple of 8 bytes"),
        (["value=2MiB"], UsageError, "multiple of 8 bytes"),
        (["value="], UsageError, "no size of a value"),
        (["count=0"], UsageError, "from 1 to"),
        (["count=4294967297"], UsageError, "from 1 to"),
        (["count=1-9"], UsageError, "not a list of numbers"),
        (["count=1e6"], UsageError, "not a list of numbers"),
        (["count=-5"], UsageError, "not a list of numbers"),
        (["count=1", "threads=2"], UsageError, "leave none to some"),
        (["threads=3"], UsageError, "there are 2 CPUs"),
        (["threads=0"], UsageError, "there are 2 CPUs"),
        (["cpus=7"], UsageError, "CPU 7 may not be used"),
        (["sharing=two"], UsageError, "try sharing=own"),
        (["preset=thesis"], UsageError, "try preset=paper"),
        (["round=0"], UsageError, "a number from 1"),
        (["seed=0"], UsageError, "a number from 1"),
    ],
)
def test_an_unavailable_choice_is_refused_with_the_available_ones(
    words: list[str], kind: type[TierscopeError], why: str
) -> None:
    with pytest.raises(kind) as refused:
        asked(*words)
    assert why in str(refused.value)


def test_a_build_without_any_structure_reports_it() -> None:
    with pytest.raises(UsageError, match="no structure of this build"):
        asked(on=made_machine(2))
