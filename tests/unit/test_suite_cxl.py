"""`cxl` on made machines: the choices, the plan, the rows and the refusals."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from made_cxl import MACHINE, RATES, WAITS, cxl_run
from made_machine import made_machine
from made_numa import planned
from tierscope.errors import MachineError, UsageError
from tierscope.plans import suites
from tierscope.record.experiment import Experiment
from tierscope.record.result import Run
from tierscope.tables import Insight, tables
from tierscope.units import MiB


def plans(**words: str) -> list[Experiment]:
    return planned("cxl", MACHINE, **{"array": "64MiB", "mixes": "read", "delays": "0", **words})


def said(run: Run, table: str) -> dict[str, Insight]:
    return {one.name: one for one in tables[table].insights(run, tables[table].rows(run))}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return cxl_run(tmp_path_factory.mktemp("cxl"))


def test_the_node_without_cpus_is_far_and_its_initiator_is_near() -> None:
    targets = [tuple(group.target.word for group in one.groups) for one in plans(ratios="1:0,3:1,0:1")]
    assert targets == [
        ("node:0",), ("node:0", "node:0"), ("node:4",), ("node:4", "node:4"),
        ("node:0",), ("interleave:0=3,4=1",), ("node:4",),
    ]  # fmt: skip


def test_cpus_are_those_of_the_near_node() -> None:
    cpus = {cpu.number for cpu in MACHINE.identity.cpus if cpu.node == 0}
    assert {cpu for one in plans() for group in one.groups for cpu in group.team.cpus} <= cpus


def test_without_such_a_node_the_message_states_what_to_try() -> None:
    with pytest.raises(MachineError, match=r"no node without CPUs .* try `tierscope vm cxl -- run cxl`"):
        planned("cxl", made_machine(4))


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"far": "node:0", "near": "node:0"}, "both node:0"),
        ({"far": "sim:cxl_dram"}, r"near=sim:cxl_dram,memory=dram"),
        ({"ratios": "0:0"}, "pages near : pages far"),
        ({"ratios": "3"}, "pages near : pages far"),
        ({"ratios": "300:1"}, "at most 255"),
    ],
)
def test_wrong_words_are_refused(words: dict[str, str], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        plans(**words)


def test_written_ratios_read_back_unchanged() -> None:
    assert suites["cxl"].read({"ratios": "3:1,1:1"}).labels()["ratios"] == "3:1,1:1"


def test_each_ratio_has_the_bandwidth_put_in(run: Run) -> None:
    rows = {(row.near_pages, row.far_pages): row for row in tables["page_ratio"].rows(run)}
    assert rows[1, 0].bandwidth.middle == pytest.approx(RATES["node:0"], rel=0.03)
    assert rows[0, 1].bandwidth.middle == pytest.approx(RATES["node:4"], rel=0.03)
    assert rows[3, 1].bandwidth.middle == pytest.approx(RATES["node:0"] / 0.75, rel=0.03)
    assert rows[1, 1].bandwidth.middle == pytest.approx(RATES["node:4"] / 0.5, rel=0.03)
    assert rows[3, 1].found_far_share == pytest.approx(0.25, rel=1e-3)
    assert rows[3, 1].over_near.middle == pytest.approx(4 / 3, rel=0.03)


def test_the_best_ratio_is_named_with_its_gain(run: Run) -> None:
    insight = said(run, "page_ratio")["best_ratio"]
    assert insight.value == pytest.approx(1.4, rel=0.06)  # 42 of 30 GB/s at 5:2, which is between 3:1 and 2:1
    assert insight.text.startswith(("Interleaving 3:1", "Interleaving 2:1"))


def test_far_memory_that_adds_nothing_gives_no_gain(tmp_path: Path) -> None:
    slow = cxl_run(tmp_path, rates={"node:0": 30e9, "node:4": 1e9})
    found = said(slow, "page_ratio")
    assert set(found) == {"no_gain"}
    assert found["no_gain"].text.startswith("No ratio is shown to be faster than DRAM alone")


def test_far_memory_is_compared_with_near_and_with_the_firmware(run: Run) -> None:
    near, far = tables["far_memory"].rows(run)
    assert (near.target, far.target) == ("node:0", "node:4")
    assert far.latency_over_near.middle == pytest.approx(WAITS["node:4"] / WAITS["node:0"], rel=0.03)
    assert far.bandwidth_over_near.middle == pytest.approx(0.4, rel=0.03)
    assert far.latency_over_reported == pytest.approx(250 / 240, rel=0.03)
    assert far.bandwidth_over_reported == pytest.approx(0.5, rel=0.03)
    assert near.reported_latency_s is None
    found = said(run, "far_memory")
    assert "is as reported" in found["promise latency"].text
    assert "is not as reported: 0.50x the 24 GB/s" in found["promise bandwidth"].text.replace("24.00", "24")
    assert "within the range of published CXL memory, 140 ns to 410 ns" in found["published"].text


def test_arrays_within_a_cache_show_nothing_of_a_memory(tmp_path: Path) -> None:
    small = cxl_run(tmp_path, array="1MiB")
    assert [row.conclusive for row in tables["far_memory"].rows(small)] == [False, False]
    assert "fit in the last-level cache" in tables["far_memory"].rows(small)[1].reasons[-1]
    assert said(small, "far_memory") == {}


@pytest.mark.parametrize("table", ["loaded_latency", "page_ratio"])
def test_no_row_of_a_run_whose_arrays_fit_in_a_cache_is_conclusive(tmp_path: Path, table: str) -> None:
    small = cxl_run(tmp_path, array="1MiB")
    asked = replace(small, result=replace(small.result, options={"array": MiB}))
    rows = tables[table].rows(asked)
    assert rows
    assert {(row.conclusive, "fit in the last-level cache" in row.reasons[-1]) for row in rows} == {(False, True)}
    assert not any(one.conclusive or one.value for one in tables[table].insights(asked, rows))
