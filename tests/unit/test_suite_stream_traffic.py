"""Bytes moved for each byte of the program: from made counts, and from a peak that leaves no space for reads."""

from pathlib import Path

import msgspec
import pytest

from made import Maker, Teamwork, made_facts, one_group
from made_machine import made_machine, with_lines
from tierscope.record.counting import PERF_EVENT, SIMULATED, Counted, EventCount
from tierscope.record.machine import Machine
from tierscope.record.result import Run
from tierscope.stats.median import Interval
from tierscope.suites.stream.traffic import most
from tierscope.tables import Insight, tables
from tierscope.units import GiB, MiB

OPERATIONS = 1_000_000_000
NEOVERSE = "0x41:15:0xd0c:r3p1"


def counts(origin: str, **events: float) -> Counted:
    """Lines of an operation, of each event."""
    found = tuple(
        EventCount(event=name, scope="user", value=round(each * OPERATIONS), enabled_ns=1000, running_ns=1000)
        for name, each in events.items()
    )
    return Counted(origin=origin, group=0, blocks=100, operations=OPERATIONS, seconds=10.0, events=found)


def run_of(
    directory: Path, counted: Counted | None = None, machine: Machine | None = None, rate: float = 1e8, **facts: object
) -> Run:
    """Four threads that write."""
    maker = Maker(directory)
    group = one_group("write", (0, 1, 2, 3), 4 * GiB)
    known = made_facts(group, **facts)
    record = maker.add("stream", {}, (group,), (Teamwork((rate,) * 4),), facts=(known,), preempted=0.0)
    if counted is not None:
        maker.records[-1] = msgspec.structs.replace(record, counted=(counted,))
    return maker.save("stream", machine or made_machine(4))


def told(run: Run) -> dict[str, Insight]:
    table = tables["stream"]
    return {one.name: one for one in table.insights(run, table.rows(run))}


def arm(line: int = 64) -> Machine:
    made = with_lines(made_machine(4, peak=None), line)
    return msgspec.structs.replace(made, identity=msgspec.structs.replace(made.identity, family=NEOVERSE))


@pytest.mark.parametrize(("share", "line"), [(0.0, 64), (0.3, 64), (1.0, 128)])
def test_a_core_that_streams_stores_moves_what_its_counters_report(tmp_path: Path, share: float, line: int) -> None:
    """Each stored line leaves the core once, whatever its write-backs count, and a share of them is read first."""
    names = names_of(arm(line))
    counted = counts(PERF_EVENT, **{names["l2_refills"]: share * 64 / line, names["l2_write_backs"]: 0.1})
    run = run_of(tmp_path, counted, arm(line), bus_bytes_per_operation=None)
    one = told(run)["traffic write"]
    assert one.value == pytest.approx(1 + share, rel=1e-6)
    assert one.low is not None
    assert one.high is not None
    cache = run.result.machine.last_level_cache_bytes() / (64 * OPERATIONS)
    assert (one.value - one.low, one.high - one.value) == pytest.approx((cache, cache), rel=0.01)
    assert one.conclusive
    assert "counted where lines come into the cores" in one.text
    assert "assume" not in one.text  # nothing is assumed of such stores


def names_of(machine: Machine) -> dict[str, str]:
    from tierscope.metrics import metrics_for

    return dict(metrics_for(machine.identity.family).names)


def test_counts_that_contradict_the_table_are_not_a_detail(tmp_path: Path) -> None:
    counted = counts(SIMULATED, **{"memory-reads": 0.1, "memory-writes": 1.0})
    one = told(run_of(tmp_path, counted, origin="simulated"))["traffic write"]
    assert one.value == pytest.approx(1.1)
    assert "counted at the memory; its bytes on the bus in the table assume 2.00" in one.text
    assert not one.detail
    alike = counts(SIMULATED, **{"memory-reads": 1.0, "memory-writes": 1.0})
    assert told(run_of(tmp_path / "alike", alike, origin="simulated"))["traffic write"].detail


def test_counts_of_a_model_of_this_machine_are_not_taken_for_its_own(tmp_path: Path) -> None:
    counted = counts(SIMULATED, **{"memory-reads": 1.0, "memory-writes": 1.0})
    assert "traffic write" not in told(run_of(tmp_path, counted, made_machine(4, peak=None)))


def test_few_operations_leave_the_factor_open(tmp_path: Path) -> None:
    counted = msgspec.structs.replace(
        counts(SIMULATED, **{"memory-reads": 0.0, "memory-writes": 0.0}), operations=OPERATIONS // 1000
    )
    events = tuple(msgspec.structs.replace(one, value=OPERATIONS // 1000) for one in counted.events)
    one = told(run_of(tmp_path, msgspec.structs.replace(counted, events=events), origin="simulated"))["traffic write"]
    assert not one.conclusive
    assert "more operations in the timed blocks narrow it" in one.text


def test_a_rate_beyond_half_of_the_peak_rules_out_a_read_of_each_line(tmp_path: Path) -> None:
    fast = told(run_of(tmp_path, machine=made_machine(4, peak=30e9), bus_bytes_per_operation=None))
    one = fast["traffic write"]  # 4 threads, 64 bytes each: 25.6 GB/s
    assert one.value is None
    assert one.low == 1
    assert one.high == pytest.approx(30 / 25.6 / (1 - 480 * MiB / (4 * GiB)), rel=0.03)
    assert "If every store read its line, it would move 2.00: more than the theoretical peak, 30.00 GB/s" in one.text
    slow = told(run_of(tmp_path / "slow", machine=made_machine(4, peak=100e9), bus_bytes_per_operation=None))
    assert "traffic write" not in slow


def test_the_peak_bounds_nothing_that_caches_may_contain() -> None:
    rate = Interval(9e9, 10e9, 11e9, 60)
    assert most(18e9, rate, 1e9, 0.0) == pytest.approx(2)
    assert most(18e9, rate, 1e9, 5e8) == pytest.approx(4)
    assert most(18e9, rate, 1e9, 2e9) is None
    assert most(None, rate, 1e9, 0.0) is None
