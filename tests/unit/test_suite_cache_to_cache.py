"""Lines in the cache of another CPU: who reads whose lines, where their memory is, and what the rows state of them."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from made import Maker, Teamwork, made_blocks, made_facts
from made_machine import made_machine, made_server
from made_numa import planned
from tierscope.errors import UnknownNameError
from tierscope.record.experiment import Experiment
from tierscope.record.machine import Machine
from tierscope.record.result import Run
from tierscope.suites.core_to_core.figure_transfers import CacheToCache
from tierscope.suites.core_to_core.table_transfers import CacheToCacheRow
from tierscope.suites.core_to_core.terminal_transfers import cache_to_cache
from tierscope.tables import tables

BOTH = {"state": "clean,modified"}


def transfers(machine: Machine, **words: str) -> list[Experiment]:
    return planned("core-to-core", machine, **(BOTH | words))


def made_s(state: str, reader: int, owner: int, node: str) -> float:
    """Modified lines take longer, and so do those at home elsewhere; the two ways of a pair differ."""
    return (60e-9 if state == "clean" else 90e-9) + (40e-9 if node != str(reader // 2) else 0) + (reader > owner) * 5e-9


def run_of(directory: Path, machine: Machine, **words: str) -> Run:
    maker = Maker(directory)
    for experiment in transfers(machine, **words):
        parts = []
        for take, group in enumerate(experiment.groups):
            rate = 1 / made_s(str(experiment.labels["state"]), *group.team.cpus, group.target.node)
            blocks = made_blocks(
                (Teamwork((rate, rate), noise=0.01),), seed=take, count=80, batch=take, preempted=0.0, block_s=25e-6,
                begin_s=1 + take,
            )  # fmt: skip
            blocks["operations"][blocks["thread"] == 1] = 0
            blocks["group"] = take
            parts.append(blocks)
        facts = tuple(made_facts(group, operation="transfer", isa="scalar") for group in experiment.groups)
        record = maker.add_blocks("cache_to_cache", experiment.labels, experiment.groups, np.concatenate(parts), facts)
        maker.records[-1] = msgspec.structs.replace(record, experiment=experiment, takes=tuple(range(len(parts))))
    return maker.save("core-to-core", machine)


def rows_of(run: Run) -> list[CacheToCacheRow]:
    rows: list[CacheToCacheRow] = tables["cache_to_cache"].rows(run)
    return rows


def test_without_a_state_only_hand_overs_are_measured() -> None:
    assert {one.table for one in planned("core-to-core", made_server())} == {"core_to_core"}


def test_every_cpu_reads_from_every_other_in_each_state() -> None:
    experiments = transfers(made_server(), home="owner")
    found = [(e.labels["state"], group.team.cpus) for e in experiments for group in e.groups]
    cpus = made_server().cpus()
    assert sorted(found) == sorted((s, (a, b)) for s in ("clean", "modified") for a in cpus for b in cpus if a != b)
    assert all(e.takes == tuple((take,) for take in range(len(e.groups))) for e in experiments)


def test_the_kernel_is_of_the_state_and_a_line_is_left_out_between_two() -> None:
    for experiment in transfers(made_server(), lines="100"):
        for group in experiment.groups:
            assert group.workload.kernel == f"transfer_{experiment.labels['state']}"
            assert group.workload.footprint_bytes == 101 * 128
            assert group.target.pages == "4k"


def test_lines_are_at_home_with_the_reader_and_with_the_owner_and_once_where_both_are_one_node() -> None:
    machine = made_server()
    nodes = {cpu.number: cpu.node for cpu in machine.identity.cpus}
    for experiment in transfers(machine):
        homes: dict[tuple[int, ...], list[str]] = {}
        for group in experiment.groups:
            homes.setdefault(group.team.cpus, []).append(group.target.where)
        for (reader, owner), where in homes.items():
            assert where == [str(node) for node in dict.fromkeys((nodes[reader], nodes[owner]))]


def test_a_named_target_is_the_only_home() -> None:
    targets = {g.target.word for e in transfers(made_server(memory_alone=1), target="node:4") for g in e.groups}
    assert targets == {"node:4"}


def test_one_node_has_one_home(tmp_path: Path) -> None:
    rows = rows_of(run_of(tmp_path, made_machine(2)))
    assert {(row.state, row.reader_cpu, row.owner_cpu, row.home) for row in rows} == {
        (state, *pair, "both") for state in ("clean", "modified") for pair in ((0, 1), (1, 0))
    }


def test_an_unknown_state_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown state 'modifies'; did you mean modified"):
        transfers(made_server(), state="modifies")


def test_rows_state_what_was_put_in_for_each_way_and_home(tmp_path: Path) -> None:
    machine = made_server()
    rows = rows_of(run_of(tmp_path, machine))
    assert {row.home for row in rows} == {"reader", "owner", "both"}
    for row in rows:
        truth = made_s(row.state, row.reader_cpu, row.owner_cpu, row.target.removeprefix("node:"))
        assert row.latency
        assert row.latency.low <= truth * 1.01
        assert row.latency.high >= truth / 1.01
        assert row.latency.middle == pytest.approx(truth, rel=0.03)


def test_a_sentence_is_the_median_of_a_class_with_the_home(tmp_path: Path) -> None:
    run = run_of(tmp_path, made_server())
    found = {one.name: one for one in tables["cache_to_cache"].insights(run, rows_of(run))}
    far = found["transfer modified other package owner"]
    assert far.value == pytest.approx(132e-9, rel=0.05)
    assert "Other package, home with the owner: a load of a modified line takes" in far.text


def test_there_is_a_map_and_a_matrix_for_each_state_and_home(tmp_path: Path) -> None:
    run = run_of(tmp_path, made_server())
    rows = rows_of(run)
    spec = CacheToCache().draw(run, rows, [])
    assert spec
    assert len(spec["hconcat"]) == 6
    grids = cache_to_cache(rows)
    assert len(grids) == 6
    title, heads, lines = grids[0]
    assert title == "Load of a clean line of another cache, ns; home: reader and owner"
    assert len(lines) == len(heads) - 1 == 8
    assert [line[0] for line in lines] == [f"owner {cpu}" for cpu in range(8)]
    assert float(lines[1][1]) == pytest.approx(60, abs=1)  # CPU 0 reads lines of CPU 1
    assert lines[0][1] == "–"
