"""All nodes at the same time: the plan, the sources of the rows, the findings and the figure."""

from pathlib import Path

import msgspec
import pytest

from made import Maker
from made_machine import made_machine, made_server, two_packages
from made_numa import AT_ONCE, LOCAL_RATE, UNDER_LOAD, add_numa, numa_run, numa_truth, planned
from tierscope.draw.vega import gb
from tierscope.plans import suites
from tierscope.record.result import Run
from tierscope.report.content import gather
from tierscope.suites.numa.row import InjectionRow, NumaRow
from tierscope.tables import tables


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return numa_run(tmp_path_factory.mktemp("nodes"), two_packages())


def rows_of(run: Run) -> dict[tuple[str, str], InjectionRow]:
    return {(row.kernel, row.node): row for row in tables["injection"].rows(run)}


def test_each_node_runs_alone_before_all_run_together() -> None:
    found = [one for one in planned("numa", two_packages(), together="read,triad") if one.table == "injection"]
    told = [(one.labels["kernel"], one.labels.get("node"), one.labels["what"]) for one in found]
    assert told == [
        (kernel, node, what)
        for kernel in ("read", "triad")
        for node, what in [*((n, "alone") for n in range(4)), (None, "together")]
    ]
    *alone, every = found[:5]
    assert [(g.target.word, g.team.cpus) for g in every.groups] == [
        (one.groups[0].target.word, one.groups[0].team.cpus) for one in alone
    ]
    assert sorted(cpu for group in every.groups for cpu in group.team.cpus) == list(two_packages().cpus())
    assert ([one.calibrate for one in alone], every.calibrate) == ([True] * 4, False)


def test_one_node_alone_is_all() -> None:
    found = [one for one in planned("numa", made_machine()) if one.table == "injection"]
    assert [one.labels["what"] for one in found] == ["alone"] * 5


def test_none_leaves_it_out() -> None:
    assert {one.table for one in planned("numa", two_packages(), together="none")} == {"sizing", "numa"}


def test_a_node_without_memory_is_left_out_with_a_reason() -> None:
    machine = made_server()
    identity = machine.identity
    bare = tuple(
        msgspec.structs.replace(n, memory_bytes=0, free_bytes=0) if not n.number else n for n in identity.nodes
    )
    machine = msgspec.structs.replace(machine, identity=msgspec.structs.replace(identity, nodes=bare))
    every = [one for one in planned("numa", machine) if one.labels.get("what") == "together"]
    assert [group.role for group in every[0].groups] == ["node 1", "node 2", "node 3"]
    suite = suites["numa"]
    assert suite.left_out(machine, suite.read({})) == (
        "all nodes at the same time: node 0 is left out: it has no memory of its own",
    )


def test_rows_are_the_nodes_and_their_sum(nodes: Run) -> None:
    rows = rows_of(nodes)
    assert len(rows) == 5 * 5
    one, every = rows["read", "2"], rows["read", "all"]
    assert one.bandwidth
    assert every.bandwidth
    assert every.alone
    assert every.over_alone
    assert one.bandwidth.middle == pytest.approx(LOCAL_RATE, rel=0.01)
    assert every.bandwidth.middle == pytest.approx(4 * LOCAL_RATE, rel=0.01)
    assert every.alone.middle == pytest.approx(4 * LOCAL_RATE, rel=0.01)
    assert every.over_alone.low < 1 < every.over_alone.high
    assert every.threads == len(two_packages().cpus())
    assert every.on_target_share == 1
    assert (one.read_share, rows["mix_3r1w", "all"].read_share) == (1.0, 0.75)
    shared = rows["triad", "all"].over_alone
    assert shared
    assert shared.middle == pytest.approx(AT_ONCE, rel=0.01)


def test_only_the_kernel_that_shows_it_reports_what_nodes_share(nodes: Run) -> None:
    said = {one.name: one for one in tables["injection"].insights(nodes, tables["injection"].rows(nodes))}
    assert set(said) == {"machine", "shared triad"}
    assert said["shared triad"].value == pytest.approx(AT_ONCE, rel=0.01)
    assert "the nodes share a resource" in said["shared triad"].text
    assert said["machine"].value == pytest.approx(4 * LOCAL_RATE, rel=0.01)


def test_one_node_has_nothing_to_compare(tmp_path: Path) -> None:
    rows = rows_of(numa_run(tmp_path, made_machine(), together="read"))
    (row,) = rows.values()
    assert (row.node, row.alone, row.over_alone, row.coverage) == ("all", None, None, None)
    assert row.bandwidth
    assert row.bandwidth.middle == pytest.approx(LOCAL_RATE, rel=0.01)


def test_a_run_that_ended_before_all_worked_has_no_row(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_numa(maker, two_packages(), together="read")
    maker.records = [one for one in maker.records if one.experiment.labels["what"] != "together"]
    assert rows_of(maker.save("numa", two_packages())) == {}


def test_a_bar_is_made_of_its_nodes_and_has_the_sum_alone(nodes: Run) -> None:
    spec = next(drawing.spec for drawing in gather(nodes).drawings if drawing.figure.name == "injection")
    bars, rule, cross = spec["layer"]
    assert len(bars["data"]["values"]) == 5 * 4
    triad = next(one for one in cross["data"]["values"] if one["kernel"] == "triad")
    assert triad["alone"] == pytest.approx(gb(4 * LOCAL_RATE), rel=0.01)
    assert triad["high"] < triad["alone"]
    assert {one["node"] for one in rule["data"]["values"]} == {"all"}


def test_each_kernel_has_a_matrix_and_the_latency_under_load_is_next_to_them(tmp_path: Path) -> None:
    machine = two_packages()
    run = numa_run(tmp_path, machine, kernel="read,mix_1r1w", under_load="yes", together="none")
    rows: list[NumaRow] = tables["numa"].rows(run)
    assert [row.kernel for row in rows[:2]] == ["read", "mix_1r1w"]
    assert len(rows) == 2 * 4 * 5
    for row in rows:
        wait, _ = numa_truth(machine, row.initiator, row.target)
        assert row.latency
        assert row.loaded_latency
        assert row.latency.middle == pytest.approx(wait, rel=0.02)
        assert row.loaded_latency.middle == pytest.approx(UNDER_LOAD * wait, rel=0.02)
        assert row.latency_ratio is not None
    assert len({one.name for one in tables["numa"].insights(run, rows)}) == len(tables["numa"].insights(run, rows))
    spec = next(drawing.spec for drawing in gather(run).drawings if drawing.figure.name == "numa")
    heads = [chart["title"]["text"] for chart in spec["vconcat"]]
    assert heads == [
        "latency, ns", "bandwidth of read, GB/s", "latency with read, ns", "bandwidth of mix_1r1w, GB/s",
        "latency with mix_1r1w, ns",
    ]  # fmt: skip
