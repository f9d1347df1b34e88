"""`run maps target=sim:` on the real core: structures run for real, and their accesses in simulated time.

No clock is looked at, so that every number here is the same in each run.
"""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from shell import Shell
from tierscope import core
from tierscope.catalogue import Catalogue
from tierscope.core import find_traced_core
from tierscope.errors import MachineError
from tierscope.models.structure_model import StructureModel
from tierscope.result import load

COLD_S = 100e-9  # a load of `flat`, which has no caches
FIRST_WORD = {"hashmap_atomic": -1}
"""Lines that a get here reads less than the model says: it reads a value's first word, and the model all of it."""


@pytest.fixture(scope="module", autouse=True)
def build() -> Catalogue:
    try:
        find_traced_core()
    except MachineError as error:
        pytest.skip(str(error))
    return core.catalogue()


@pytest.fixture(scope="module")
def in_pools(build: Catalogue) -> list[str]:
    names = [name for name, takes in build.structures_here().items() if takes == "pool"]
    return names or pytest.skip("no libpmemobj in this build: sudo apt-get install -y libpmemobj-dev, then ./tierscope")


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def rows(shell: Shell, *words: str) -> list[dict[str, float]]:
    status, out, error = shell("run", "maps", *words, "--out", f"run-{time.monotonic_ns()}", "--json", "-", "--quiet")
    assert status == 0, error
    return [row for row in json.loads(out)["rows"] if row["table"] == "maps"]


def left_behind() -> list[str]:
    return [name for folder in ("/dev/shm", "/tmp") if Path(folder).is_dir()
            for name in os.listdir(folder) if name.startswith("tierscope-") and name.endswith(".pool")]  # fmt: skip


def test_a_get_reads_the_lines_that_the_model_derives(shell: Shell, in_pools: list[str]) -> None:
    words = ("target=sim:flat", "operations=get", "count=1000", f"structures={','.join(in_pools)}")
    each = [rows(shell, *words, f"seed={seed}") for seed in (1995, 1, 2)]
    for name, *found in zip(in_pools, *each, strict=True):
        mean = sum(row["lines_read"] for row in found) / len(found)
        wanted = StructureModel.preset(f"{name} get").lines(1000) + FIRST_WORD.get(name, 0)
        assert mean == pytest.approx(wanted, rel=0.05), name
        assert found[0]["lines_written"] == found[0]["fences"] == 0
        assert found[0]["flushed_per_written"] is None


def test_a_get_that_follows_pointers_takes_the_latency_of_its_lines(shell: Shell, in_pools: list[str]) -> None:
    """No caches: each line of these two is visited once, and waits for the one before."""
    found = rows(shell, "target=sim:flat", "operations=get", "count=1000", "structures=ctree,rtree")
    assert [row["structure"] for row in found] == [name for name in in_pools if name in ("ctree", "rtree")]
    for row in found:
        assert row["latency_s"] == pytest.approx(row["lines_read"] * COLD_S, rel=0.01)
        assert row["clock_s"] == row["lock_s"] == 0


def test_two_runs_are_the_same_to_the_last_digit_and_leave_no_pool(shell: Shell, in_pools: list[str]) -> None:
    words = ("target=sim:optane100", f"structures={in_pools[0]},unordered_map", "count=500", "threads=2")
    one, other = rows(shell, *words), rows(shell, *words)
    assert one == other
    assert len(one) == 6
    assert all(row["conclusive"] for row in one)
    assert left_behind() == []


def test_a_device_that_waits_for_its_media_inserts_slower_than_dram(shell: Shell, in_pools: list[str]) -> None:
    words = ("operations=insert", "count=1000", "structures=hashmap_tx")
    (slow,) = rows(shell, *words, "target=sim:optane100")
    (fast,) = rows(shell, *words, "target=sim:ddr5")
    assert slow["latency_s"] > 1.5 * fast["latency_s"]
    counts = ("lines_read", "lines_written", "lines_flushed", "fences", "flushed_per_written", "rehashes", "moved")
    assert {key: slow[key] for key in counts} == pytest.approx({key: fast[key] for key in counts}, rel=0.01)
    assert slow["flushed_per_written"] > 1


def test_persistent_caches_save_the_flushes_and_their_time(shell: Shell, in_pools: list[str]) -> None:
    words = ("operations=insert", "count=500", "structures=hashmap_atomic")
    (flushed,) = rows(shell, *words, "target=sim:optane100")
    (kept,) = rows(shell, *words, "target=sim:optane100,memory.pmem.persistence=eadr")
    assert kept["persistence"] == "eadr"
    assert kept["lines_flushed"] < 0.5 * flushed["lines_flushed"]  # what is stored past the caches
    assert kept["fences"] == pytest.approx(flushed["fences"], rel=0.01)
    assert kept["lines_written"] == pytest.approx(flushed["lines_written"], rel=0.01)
    assert kept["latency_s"] < 0.5 * flushed["latency_s"]


def test_a_result_says_that_it_is_simulated_and_has_the_machines_counters(shell: Shell) -> None:
    status, out, error = shell(
        "run", "maps", "target=sim:optane100", "structures=unordered_map", "operations=mixed", "count=500", "--out", "run"
    )
    assert status == 0, error
    assert "SIMULATED by optane100, memory pmem" in out
    assert "lines of one operation" in out
    (record,) = load(shell.folder / "run").result.records
    operations = sum(one.operations for one in record.timings[0])
    assert record.counters["L1d.loads"] >= operations
    assert record.groups[0].origin == "simulated"


@pytest.mark.parametrize(
    ("words", "status", "why"),
    [
        (["threads=2", "sharing=one", "operations=insert"], 2, "waits for its lock are not simulated; take sharing=own"),
        (["structures=nosuch"], 2, "unknown structure 'nosuch'"),
        (["target=sim:nosuch"], 2, "unknown simulated machine 'nosuch'"),
        (["target=sim:flat,memory.flat.size=1MiB"], 2, "fewer than the groups need"),
        (["threads=17"], 2, "there are 16 CPUs"),
    ],
)
def test_what_makes_no_sense_is_refused(shell: Shell, words: list[str], status: int, why: str) -> None:
    base = {"target": "sim:flat", "structures": "unordered_map", "count": "20000"}
    asked = [f"{key}={word}" for key, word in (base | dict(word.split("=", 1) for word in words)).items()]
    found, _, error = shell("run", "maps", *asked)
    assert (found, why in " ".join(error.split())) == (status, True), error


def test_threads_share_one_structure_that_only_gets_read(shell: Shell) -> None:
    (row,) = rows(shell, "target=sim:flat", "structures=unordered_map", "operations=get", "sharing=one", "threads=2",
                  "count=1000")  # fmt: skip
    assert row["threads"] == 2
    assert row["lock_s"] == 0


def test_a_structure_beside_another_group_is_refused(shell: Shell) -> None:
    structure = "group kernel=unordered_map target=sim:flat count=100 cpus=0\n"
    plan = f"{structure}group kernel=read target=sim:flat footprint=1MiB cpus=1\nprepare\nmeasure seconds=1ms block=50us\n"
    done = subprocess.run([find_traced_core(), "run"], input=plan, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "measure groups=0 alone" in done.stdout
    alone = plan.replace("50us", "50us groups=0") + "check\n"
    done = subprocess.run([find_traced_core(), "run"], input=alone, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_other_cores_say_which_one_runs_structures_on_simulated_memory() -> None:
    plan = "group kernel=unordered_map target=sim:flat count=100 cpus=0\nprepare\n"
    done = subprocess.run([core.find_core(), "run"], input=plan, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "structure unordered_map on target=sim is only in tierscope-core-traced" in done.stdout


def test_a_kill_leaves_no_pool_behind(in_pools: list[str]) -> None:
    plan = f"group kernel={in_pools[0]} target=sim:optane100 count=300000 cpus=0 operation=insert\nprepare\n"
    with subprocess.Popen([find_traced_core(), "run"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdin is not None
        run.stdin.write(plan + "measure seconds=1 block=50us\n")
        run.stdin.flush()
        pools = Path(f"/proc/{run.pid}/maps")
        until = time.monotonic() + 20
        while "tierscope-" not in pools.read_text() and time.monotonic() < until:
            time.sleep(0.01)
        assert "tierscope-" in pools.read_text()
        run.send_signal(signal.SIGKILL)
    assert left_behind() == []
