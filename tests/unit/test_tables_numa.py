"""Tables of pairs and of nodes: the planted numbers come out, joined, compared and in words."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from made_machine import large, made_machine, made_server, two_packages
from made_numa import core_to_core_run, handover_s, numa_run, numa_truth
from tierscope.compare.comparison import compare_runs
from tierscope.record.result import Run
from tierscope.report.terminal import show
from tierscope.suites.core_to_core.table import class_of
from tierscope.tables import Flat, Insight, flat, tables

SERVER = made_server(threads=2)
NODES = two_packages({"read_latency_s": 130e-9, "write_latency_s": 1e-6, "read_bandwidth_bytes_per_s": 44e9})


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return core_to_core_run(tmp_path_factory.mktemp("pairs"), SERVER)


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return numa_run(tmp_path_factory.mktemp("nodes"), NODES)


def rows(run: Run, table: str) -> list[Flat]:
    return tables[table].flat(run)


def said(run: Run, table: str) -> dict[str, Insight]:
    return {one.name: one for one in tables[table].insights(run, tables[table].rows(run))}


def text(run: Run, width: int = 100) -> str:
    shown = StringIO()
    show(run, Console(width=width, file=shown))
    return shown.getvalue()


# --- pairs ---


def test_every_pair_has_the_time_put_in_and_what_the_two_share(pairs: Run) -> None:
    found = tables["core_to_core"].rows(pairs)
    assert len(found) == 16 * 15 // 2
    for row in found:
        a, b = row.a_cpu, row.b_cpu
        assert row.latency.middle == pytest.approx(handover_s(SERVER, a, b), rel=0.03)
        assert row.latency.low <= row.latency.middle <= row.latency.high
        assert row.same_core is (a % 8 == b % 8)
        assert row.same_package is (a % 8 // 4 == b % 8 // 4)
        assert (row.a_node, row.b_node) == (a % 8 // 2, b % 8 // 2)
        assert row.conclusive


def test_rows_are_in_the_order_of_the_topology(pairs: Run) -> None:
    order = SERVER.by_topology(SERVER.cpus())
    found = [(row["a_cpu"], row["b_cpu"]) for row in rows(pairs, "core_to_core")]
    assert found == [(a, b) for place, a in enumerate(order) for b in order[place + 1 :]]


def test_classes_are_listed_from_the_nearest_with_median_and_range(pairs: Run) -> None:
    found = said(pairs, "core_to_core")
    assert list(found) == [
        "farthest", "handover same core", "handover same last-level cache", "handover same package",
        "handover other package",
    ]  # fmt: skip
    core = found["handover same core"]
    assert core.value == pytest.approx(12e-9, rel=0.02)
    assert (core.low or 0) <= (core.value or 0) <= (core.high or 0)
    assert "median of 8 pairs" in core.text
    assert found["farthest"].value == pytest.approx(160 / 12, rel=0.03)
    assert "another package" in found["farthest"].text


def test_a_sample_of_pairs_states_how_many_it_is(tmp_path: Path) -> None:
    run = core_to_core_run(tmp_path, SERVER, pairs="40")
    total = len(SERVER.cpus()) * (len(SERVER.cpus()) - 1) // 2
    assert said(run, "core_to_core")["measured pairs"].value == 40
    assert f"40 of {total} pairs" in said(run, "core_to_core")["measured pairs"].text


def test_one_pair_has_its_own_interval_and_no_farthest(tmp_path: Path) -> None:
    run = core_to_core_run(tmp_path, made_machine())
    (row,), found = rows(run, "core_to_core"), said(run, "core_to_core")
    (one,) = found.values()
    assert (one.low, one.high) == (row["latency_low"], row["latency_high"])
    assert "CPU 0 and CPU 1" in one.text


def test_without_known_caches_no_pair_shares_one(tmp_path: Path) -> None:
    run = core_to_core_run(tmp_path, made_server(packages=1, nodes=1, cores=2, caches=0), wait=lambda a, b: 5e-8)
    (row,) = tables["core_to_core"].rows(run)
    assert row.same_cache is None
    assert class_of(row) == "same package"


def slow(*those: tuple[int, int], times: float = 2.0) -> Callable[[int, int], float]:
    return lambda a, b: handover_s(SERVER, a, b) * (times if (a, b) in those else 1.0)


def test_pairs_out_of_their_class_are_named(tmp_path: Path) -> None:
    found = said(core_to_core_run(tmp_path, SERVER, wait=slow((0, 1), (8, 3))), "core_to_core")["outliers"]
    assert found.value == 2
    assert found.text.startswith("2 pairs stand out")
    assert found.text.index("CPU 8 and 3 (1") < found.text.index("CPU 0 and 1 (")  # the slowest first


def test_a_tenth_more_is_a_place_on_the_chip_and_no_outlier(tmp_path: Path) -> None:
    assert "outliers" not in said(core_to_core_run(tmp_path, SERVER, wait=slow((0, 1), times=1.1)), "core_to_core")


def test_noise_alone_has_no_outliers(pairs: Run) -> None:
    assert "outliers" not in said(pairs, "core_to_core")


def test_a_few_cpus_are_a_matrix_in_the_terminal_and_many_a_line_per_class(tmp_path: Path, pairs: Run) -> None:
    small = text(core_to_core_run(tmp_path, made_server(nodes=1)))
    assert "CPU 3" in small
    lines = [line.split() for line in small.splitlines() if line.startswith("CPU ")]
    assert [len(line) for line in lines] == [5, 5, 5, 5]  # itself left out
    many = text(pairs)
    assert "120 pairs" in many
    assert "other package" in many
    assert "CPU 15" not in many


# --- nodes ---


def by_cell(run: Run) -> dict[tuple[int, int], Flat]:
    return {(row.initiator, row.target): flat(row) for row in tables["numa"].rows(run)}


def test_latency_and_bandwidth_of_a_cell_are_one_row(nodes: Run) -> None:
    found = by_cell(nodes)
    assert set(found) == {(a, b) for a in range(4) for b in range(5)}
    for (a, b), row in found.items():
        wait, rate = numa_truth(NODES, a, b)
        assert row["latency_s"] == pytest.approx(wait, rel=0.02)
        assert row["bandwidth_bytes_per_s"] == pytest.approx(rate, rel=0.02)
        assert row["distance"] == NODES.distance(a, b)
        assert row["cpus"] == (2 if b < 4 else 0)
        assert row["on_target_share"] == 1.0
        assert row["threads"] == 2


def test_ratios_are_over_the_initiators_own_node(nodes: Run) -> None:
    found = by_cell(nodes)
    for (a, b), row in found.items():
        for what, key in (("latency", "latency_s"), ("bandwidth", "bandwidth_bytes_per_s")):
            assert row[f"{what}_ratio"] == row[key] / found[a, a][key]  # type: ignore[operator]
            assert (row[f"{what}_ratio"] == 1.0) is (a == b)


def test_ratios_are_over_the_nearest_where_the_own_node_was_not_measured(tmp_path: Path) -> None:
    found = by_cell(numa_run(tmp_path, NODES, initiators="1", targets="3,4,0"))
    assert found[1, 0]["latency_ratio"] == 1.0
    assert found[1, 3]["latency_ratio"] > 1.2  # type: ignore[operator]


def test_the_firmware_s_figures_are_with_its_initiators_only(nodes: Run) -> None:
    for (a, b), row in by_cell(nodes).items():
        known = b == 4 and a in (0, 1)
        assert row["reported_latency_s"] == (130e-9 if known else None)
        assert row["reported_bandwidth_bytes_per_s"] == (44e9 if known else None)


def test_a_half_measured_cell_is_a_row_with_a_gap(tmp_path: Path) -> None:
    from made import Maker
    from made_numa import add_numa

    maker = Maker(tmp_path)
    add_numa(maker, made_machine())
    del maker.records[1:]
    run = maker.save("numa")
    (row,) = rows(run, "numa")
    assert row["latency_s"] is not None
    assert row["bandwidth_bytes_per_s"] is row["bandwidth_ratio"] is row["kernel"] is None
    assert list(said(run, "numa")) == ["local"]
    assert "95" in text(run)


def test_own_memory_of_several_nodes_is_reported_with_its_range(nodes: Run) -> None:
    one = said(nodes, "numa")["local"]
    assert one.text.startswith("Local memory of 4 nodes: ")
    waits = sorted(row["latency_s"] for (a, b), row in by_cell(nodes).items() if a == b)  # type: ignore[type-var]
    assert (one.low, one.high) == (waits[0], waits[-1])


def test_remote_memory_is_compared_with_an_interval(nodes: Run) -> None:
    found = said(nodes, "numa")
    wait, rate = found["remote latency"], found["remote bandwidth"]
    assert wait.value == pytest.approx(150 / 95, rel=0.02)
    assert rate.value == pytest.approx(10 / 21, rel=0.02)
    for one in (wait, rate):
        assert (one.low or 0) < (one.value or 0) < (one.high or 0)
    assert "distances: 2.10" in wait.text
    assert "12 remote cells" in wait.text


def test_memory_without_cpus_is_described_from_its_nearest_initiator(nodes: Run) -> None:
    one = said(nodes, "numa")["memory_only 4"]
    assert one.value == pytest.approx(130 / 95, rel=0.02)
    assert "from node 0" in one.text or "from node 1" in one.text
    assert "0.7" in one.text  # of the bandwidth


def test_the_firmware_is_contradicted_where_it_is_wrong_and_not_where_it_is_right(nodes: Run) -> None:
    found = said(nodes, "numa")
    assert found["reported bandwidth 0 4"].value == pytest.approx(0.5, rel=0.02)
    assert not [name for name in found if name.startswith("reported latency")]


def test_pages_on_another_node_are_in_the_row_and_in_a_finding(tmp_path: Path) -> None:
    run = numa_run(tmp_path, NODES, elsewhere=0.25)
    shares = {cell: row["on_target_share"] for cell, row in by_cell(run).items()}
    assert shares.pop((3, 4)) == pytest.approx(1 - 0.25 / 2)  # of two records, that of the bandwidth
    assert set(shares.values()) == {1.0}
    assert said(run, "numa")["placement"].text.startswith("1 of 20 cells")


def test_one_node_has_a_row_and_nothing_remote(tmp_path: Path) -> None:
    run = numa_run(tmp_path, made_machine())
    (row,) = rows(run, "numa")
    assert row["latency_ratio"] == row["bandwidth_ratio"] == 1.0
    (one,) = said(run, "numa").values()
    assert one.text.startswith("Local memory of node 0: 95")
    assert (one.low, one.value, one.high) == tuple(row[f"latency_{end}"] for end in ("low", "s", "high"))


def test_nodes_are_matrices_in_the_terminal_with_ratios(nodes: Run) -> None:
    shown = text(nodes)
    assert "Latency between nodes, ns (* no CPUs)" in shown
    assert "Bandwidth between nodes, GB/s (* no CPUs)" in shown
    assert "node 4*" in shown
    assert shown.count("1.00x") == 8


def test_two_runs_are_compared_by_pair_and_by_cell(tmp_path: Path, pairs: Run, nodes: Run) -> None:
    again = core_to_core_run(tmp_path, SERVER, wait=slow((0, 1)))
    found = compare_runs(pairs, again, 0.02)
    assert len(found) == 120
    assert [(row["a_cpu"], row["b_cpu"]) for row in found if row["verdict"] == "slower"] == [(0, 1)]
    found = compare_runs(nodes, nodes, 0.02)
    assert sum(one["table"] == "numa" for one in found) == 20
    assert sum(one["table"] == "injection" for one in found) == 5 * (4 + 1)


def test_the_order_of_a_large_machine_has_every_cpu(tmp_path: Path) -> None:
    del tmp_path
    machine = large()
    assert sorted(machine.by_topology(machine.cpus())) == list(range(128))
