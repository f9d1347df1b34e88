"""Suites from end to end on an emulated server: shapes, places and order of what they leave; times mean nothing."""

from itertools import combinations
from pathlib import Path

import pytest

from runs import done, rows_of
from tierscope.record.result import Record, Run
from virtual import VirtualMachine


def nodes_of(record: Record) -> list[set[int]]:
    """The nodes on which the pages of each group were found."""
    return [{int(node) for node in facts.nodes} for facts in record.groups]


def cpus_that_ran(run: Run, record: Record) -> set[tuple[int, int]]:
    blocks = run.blocks(record)
    assert len(blocks) == record.blocks > 0
    return {(int(group), int(cpu)) for group, cpu in zip(blocks["group"], blocks["cpu"], strict=True)}


# --- numa ---


@pytest.fixture(scope="module")
def numa(server: VirtualMachine, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return done(tmp_path_factory.mktemp("runs"), "numa", "kernel=memset", "array=1MiB", "budget=0.15")


def test_the_matrix_has_every_initiator_and_every_memory(numa: Run) -> None:
    found = [(row["initiator"], row["target"], row["cpus"], row["distance"]) for row in rows_of(numa, "numa")]
    assert sorted(found) == [(0, 0, 4, 10), (0, 1, 4, 21), (0, 2, 0, 31), (1, 0, 4, 21), (1, 1, 4, 10), (1, 2, 0, 41)]


def test_every_cell_was_measured_from_its_initiator_on_its_target(numa: Run) -> None:
    cells = [record for record in numa.result.records if record.experiment.table == "numa"]
    assert len(cells) == 12
    for record in cells:
        labels = record.experiment.labels
        assert nodes_of(record) == [{labels["target"]}]
        first = 4 * int(labels["initiator"])
        ran = {cpu for _, cpu in cpus_that_ran(numa, record)}
        assert ran == ({first} if labels["what"] == "latency" else set(range(first, first + 4)))


def test_the_firmware_s_figures_are_next_to_the_nodes_they_apply_to(numa: Run) -> None:
    told = {(row["initiator"], row["target"]): row["reported_latency_s"] for row in rows_of(numa, "numa")}
    assert {cell: told[cell] for cell in ((0, 0), (1, 1), (0, 2))} == {
        (0, 0): pytest.approx(90e-9), (1, 1): pytest.approx(95e-9), (0, 2): pytest.approx(350e-9),
    }  # fmt: skip
    assert told[1, 2] is None  # HMAT's classes are valid only for the best initiator


# --- core to core ---


@pytest.fixture(scope="module")
def pairs(server: VirtualMachine, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return done(tmp_path_factory.mktemp("runs"), "core-to-core", "budget=0.02")


def test_every_pair_is_there_once_in_the_order_of_the_topology(pairs: Run) -> None:
    rows = rows_of(pairs, "core_to_core")
    assert [(row["a_cpu"], row["b_cpu"]) for row in rows] == list(combinations(range(8), 2))
    for row in rows:
        a, b = row["a_cpu"], row["b_cpu"]
        assert (row["a_node"], row["b_node"]) == (a // 4, b // 4)
        assert (row["same_core"], row["same_package"]) == (a // 2 == b // 2, a // 4 == b // 4)


def test_lines_are_on_the_node_of_the_first_cpu_and_both_cpus_ran(pairs: Run) -> None:
    for record in pairs.result.records:
        first = int(record.experiment.labels["a_cpu"])
        teams = [group.team.cpus for group in record.experiment.groups]
        assert nodes_of(record) == [{first // 4}] * len(teams)
        assert cpus_that_ran(pairs, record) == {(group, cpu) for group, team in enumerate(teams) for cpu in team}


# --- contention ---


def test_groups_of_a_contention_copy_between_the_nodes_of_their_mode(server: VirtualMachine, tmp_path: Path) -> None:
    words = ("kernel=memcpy", "array=1MiB", "splits=1:1,3:1", "threads=1", "modes=b-b,b-a,a-b", "budget=0.15")
    run = done(tmp_path, "contention", "a=node:0", "b=node:2", *words)
    rows = rows_of(run, "contention")
    places = {(row["a_target"], row["b_source"], row["b_target"]) for row in rows}
    assert places == {("node:0", source, target) for source, target in (
        ("node:2", "node:2"), ("node:2", "node:0"), ("node:0", "node:2"),
    )}  # fmt: skip
    assert {(row["a_threads"], row["b_threads"]) for row in rows} >= {(1, 1), (3, 1)}
    for record in (record for record in run.result.records if record.experiment.table == "contention"):
        groups = record.experiment.groups
        asked = [{int(target.where) for target in (g.target, g.source) if target} for g in groups]
        assert nodes_of(record) == asked
        assert cpus_that_ran(run, record) == {(number, cpu) for number, g in enumerate(groups) for cpu in g.team.cpus}


# --- cxl ---


def test_pages_alternate_between_dram_and_the_node_without_cpus(server: VirtualMachine, tmp_path: Path) -> None:
    words = ("kernel=memset", "array=1MiB", "pages=4k", "mixes=read", "delays=0", "ratios=1:0,3:1,0:1", "visits=0")
    run = done(tmp_path, "cxl", *words, "cpus=0,2", "budget=0.05")
    rows = {(row["near_pages"], row["far_pages"]): row for row in rows_of(run, "page_ratio")}
    assert {ratio: row["found_far_share"] for ratio, row in rows.items()} == {(1, 0): 0, (3, 1): 0.25, (0, 1): 1}
    assert {(row["near"], row["far"]) for row in rows.values()} == {("node:0", "node:2")}
    far = rows_of(run, "far_memory")[1]
    assert (far["target"], far["reported_latency_s"]) == ("node:2", pytest.approx(350e-9))
