"""Performance events through the real core: counted events have counts, and others have a reason."""

import json
from pathlib import Path

import pytest

import border
from shell import Shell
from tierscope import core
from tierscope.host.system import System
from tierscope.record.result import load
from tierscope.run.inspect import inspect
from tierscope.units import KiB, MiB

DONE = (0, 4)
GROUP = f"""
[schedule]
budget = "100ms"
visits = 0
[[experiment]]
[[experiment.group]]
kernel = "chase"
cpus = "{border.CPUS[0]}"
footprint = "64KiB"
"""
COUNTED = "count events={task-clock,page-faults},{cycles,instructions}"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_counts_are_next_to_the_blocks_of_their_group() -> None:
    cpu = border.CPUS[0]
    status, facts = border.run(
        f"group kernel=noop target=null cpus={cpu}", "prepare", COUNTED, "measure seconds=0.05", "counts", "check"
    )
    assert status == 0
    by = {fact["fact"]: fact for fact in facts}
    clock = by["counting"]["events"][0]
    assert clock["event"] == "task-clock"
    (group,) = by["counts"]["groups"]
    assert 0 < group["blocks"] <= by["measured"]["rows"]
    for asked, found in zip(by["counting"]["events"], group["events"], strict=True):
        assert (asked["scope"] == "") == bool(asked["reason"])
        assert (found["enabled_ns"] > 0) == (not asked["reason"])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("count events=cycle", "unknown event 'cycle'"),
        ("count events={cycles", "braces"),
        ("count cycles=1", "unknown key 'cycles'"),
        ("counts x=1", "unknown key 'x'"),
    ],
)
def test_events_that_cannot_be_counted_are_refused(line: str, said: str) -> None:
    status, message = border.refused(f"group kernel=noop target=null cpus={border.CPUS[0]}", "prepare", line)
    assert status == 2
    assert said in message


def test_simulated_machines_and_commands_have_no_performance_events() -> None:
    status, message = border.refused("group kernel=read target=sim:flat cpus=0 footprint=64KiB", "prepare", COUNTED)
    assert (status, "counts by itself" in message) == (3, True)
    command = f"group kernel=command command=true target=null cpus={border.CPUS[0]}"
    status, message = border.refused(command, "prepare", COUNTED)
    assert (status, "processes of its own" in message) == (2, True)


def test_a_run_has_rows_of_its_counters_whatever_the_machine_counts(shell: Shell) -> None:
    (shell.folder / "one.toml").write_text(GROUP)
    status, out, _ = shell("run", "one.toml", "counters=default", "--out", "run", "--json", "-", "--quiet")
    assert status in DONE
    rows = [row for row in json.loads(out)["rows"] if row["table"] == "counters"]
    valued = [row for row in rows if row["value"] is not None]
    assert valued
    assert all(row["reason"] for row in rows if row["value"] is None)
    origins = {row["origin"] for row in valued}
    hardware = any(row["counter"] == "cycles" and row["origin"] == "perf_event" for row in valued)
    assert hardware or "simulated" in origins
    (record,) = load(shell.folder / "run").result.records
    loads = {one.event: one.value for counted in record.counted for one in counted.events if counted.by}
    assert hardware or loads["L1d-load-lines"] > 0


@pytest.mark.parametrize(("caches", "missed"), [(0.5, 0), (1.25, 1)])
def test_the_simulated_caches_miss_where_the_footprint_does_not_fit(shell: Shell, caches: float, missed: float) -> None:
    """Half of the first cache, or a quarter more than the last one, as the system reports them."""
    own = [
        cache
        for cache in inspect(core.topology(), System(), None).identity.caches
        if cache.kind != "Instruction" and border.CPUS[0] in cache.cpus
    ]
    if not own or own[-1].size_bytes > 256 * MiB:
        pytest.skip("no caches are reported, or filling the last one takes long")
    chosen = (min if caches < 1 else max)(cache.size_bytes for cache in own)
    footprint = int(chosen * caches) // KiB
    group = GROUP.replace('"chase"', '"read"').replace('"64KiB"', f'"{footprint}KiB"')
    (shell.folder / "one.toml").write_text(group)
    status, out, _ = shell("run", "one.toml", "counters=simulated", "--out", "run", "--json", "-", "--quiet")
    assert status in DONE
    found = {row["counter"]: row for row in json.loads(out)["rows"] if row["table"] == "counters"}
    assert found["L1d-load-lines"]["per_operation"] == pytest.approx(1, rel=1e-3)
    assert found["LLC-load-misses"]["per_operation"] == pytest.approx(missed, abs=0.01)
    assert found["memory-reads"]["per_operation"] == pytest.approx(missed, abs=0.01)
    assert "cache.0.name=L1d" in found["LLC-load-misses"]["origin_by"]


def test_a_simulated_machine_without_caches_reads_memory_for_each_line(shell: Shell) -> None:
    options = (
        "kernels=read",
        "threads=1",
        "array=1MiB",
        "budget=0.1",
        "visits=0",
        "--out",
        "run",
        "--json",
        "-",
        "--quiet",
    )
    status, out, _ = shell("run", "stream", *options, "counters=simulated", "target=sim:flat")
    assert status in DONE
    (row,) = [r for r in json.loads(out)["rows"] if r["table"] == "counters" and r["counter"] == "memory-reads"]
    assert row["per_operation"] == pytest.approx(1, rel=1e-3)  # this machine has no caches: a read for each line
    assert (row["origin"], row["origin_by"]) == ("simulated", "flat, memory flat")


def test_events_that_nobody_counts_end_with_the_reason(shell: Shell) -> None:
    (shell.folder / "one.toml").write_text(GROUP)
    status, _, err = shell("run", "one.toml", "--out", "run", "counters=nosuchpmu/event=1/")
    assert status == 3
    assert "this machine has no PMU nosuchpmu" in err
    assert not (shell.folder / "run").exists()
