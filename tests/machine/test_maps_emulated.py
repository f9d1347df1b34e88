"""`run maps target=emu:` on the real core: loads of structures wait for the floor, whatever else takes time.

Floors are long compared with everything else, and only the least time and the fastest operation are looked at.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

import border
from shell import Shell
from tierscope import core
from tierscope.core import find_core, find_traced_core
from tierscope.errors import MachineError
from tierscope.record.catalogue import Catalogue

pytestmark = pytest.mark.slow  # 15 s

FLOOR_S = 20e-6
TIER = "target=emu:latency=20us"
CPU = f"cpus={border.CPUS[0]}"
SHORT = "measure seconds=0.01 block=1ms"


@pytest.fixture(scope="module", autouse=True)
def build() -> Catalogue:
    try:
        find_traced_core()
    except MachineError as error:
        pytest.skip(str(error))
    return core.catalogue()


def ran(plan: str, executable: Path | None = None) -> tuple[int, list[dict[str, Any]]]:
    """Status and answers of the core for such structures, or of another one."""
    command = [executable or find_traced_core(), "run"]
    done = subprocess.run(command, input=plan, capture_output=True, text=True, check=False)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def timing_of(words: str, cpus: str = CPU) -> tuple[dict[str, float], float]:
    """Return the counts of one batch, and the ticks of a second."""
    status, answers = ran(f"group {words} {cpus}\nprepare\n{SHORT}\ncheck\ntimings\n")
    assert status == 0, answers[-1]
    by = {answer["fact"]: answer for answer in answers}
    assert by["checked"]["largest_relative_error"] == [0]
    assert by["prepared"]["groups"][0]["origin"] == "emulated"
    ((timing,),) = by["timings"]["groups"]
    return timing, by["prepared"]["clock"]["hz"]


def names(build: Catalogue, takes: str) -> list[str]:
    return [name for name, kind in build.structures_here().items() if kind == takes]


def test_each_delayed_load_lasts_the_floor_and_the_rest_is_short(build: Catalogue) -> None:
    for name in names(build, "node"):
        found, hz = timing_of(f"kernel={name} {TIER} count=200 operation=get")
        waits, operations = found["delayed_loads"], found["operations"]
        assert 1 <= waits / operations <= 60, name  # at least the entry; a tree of 200 keys has 8 levels
        assert found["ticks"] / hz >= 0.99 * waits * FLOOR_S, name
        assert found["least_ticks"] / hz <= 2 * (waits / operations + 1) * FLOOR_S, name
        assert found["fills"] == 0, name


def test_each_distinct_line_of_a_get_waits_once(build: Catalogue) -> None:
    """Simulated memory counts distinct lines, in a heap that puts objects elsewhere in their lines."""
    for name in names(build, "node") + names(build, "pool"):
        words = f"kernel={name} count=1000 operation=get"
        found, _ = timing_of(f"{words} {TIER} per_block=200")
        status, answers = ran(
            f"group {words} target=sim:flat cpus=0\nprepare\nmeasure seconds=10us block=1us\ntimings\n"
        )
        assert status == 0, answers[-1]
        ((simulated,),) = answers[-1]["groups"]
        lines = simulated["lines_read"] / simulated["operations"]
        assert found["delayed_loads"] / found["operations"] == pytest.approx(lines, rel=0.25), name


def test_inserts_removes_and_rehashes_of_volatile_structures_wait_too(build: Catalogue) -> None:
    for name in names(build, "node"):
        if build.structures_unrecorded().get(name):
            continue
        for operation in ("insert", "remove"):
            found, hz = timing_of(f"kernel={name} {TIER} count=100 operation={operation}")
            assert found["delayed_loads"] >= found["operations"], (name, operation)
            assert found["ticks"] / hz >= 0.99 * found["delayed_loads"] * FLOOR_S, (name, operation)


@pytest.mark.skipif(len(border.CPUS) < 2, reason="needs two CPUs")
@pytest.mark.parametrize("sharing", ["own", "one"])
def test_threads_wait_each_for_itself(build: Catalogue, sharing: str) -> None:
    both = f"cpus={border.CPUS[0]},{border.CPUS[1]}"
    for operation in ("get", "insert"):
        words = f"kernel=unordered_map {TIER} count=200 operation={operation} sharing={sharing}"
        found, hz = timing_of(words, both)
        assert found["ticks"] / hz >= 0.99 * found["delayed_loads"] * FLOOR_S
        assert found["delayed_loads"] >= found["operations"]
    del build


def test_what_cannot_be_delayed_is_refused(build: Catalogue) -> None:
    def refused(words: str, executable: Path | None = None) -> str:
        status, answers = ran(f"group {words} count=10 {CPU}\nprepare\n", executable)
        assert status != 0
        return str(answers[-1]["message"])

    word = "kernel=unordered_map operation=get target=emu:bandwidth=1GB/s"
    assert "takes latency= alone: operations have no bytes" in refused(word)
    assert "takes latency= alone" in refused(f"{word},latency=1us")
    assert "only in tierscope-core-traced" in refused(f"kernel=unordered_map operation=get {TIER}", find_core())
    for name in names(build, "pool")[:1]:
        said = refused(f"kernel={name} operation=insert {TIER}")
        assert "takes operation=get alone: its flushes and fences would not be delayed" in said
    if "map" in build.structures_unrecorded():
        assert "takes operation=get alone" in refused(f"kernel=map operation=remove {TIER}")


def test_a_run_has_rows_of_origin_emulated_with_their_waits(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    words = ("structures=unordered_map", "operations=get", "count=200", "budget=0.05", "visits=1", TIER)
    status, out, error = shell("run", "maps", *words, "--out", "made", "--json", "-", "--quiet")
    assert status in (0, 4), error
    (row,) = [row for row in json.loads(out)["rows"] if row["table"] == "maps"]
    assert row["origin"] == "emulated"
    assert row["delayed_loads"] >= 1
    assert row["latency_s"] >= 0.95 * row["delayed_loads"] * FLOOR_S
    assert (row["init_s"], row["lines_read"]) == (None, None)
