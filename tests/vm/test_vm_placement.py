"""On an emulated server with a node without CPUs, bytes are where they were asked for, and CPUs are in order."""

import re
import time
import tomllib
from pathlib import Path

import numpy as np
import pytest

from border import Talk, refused, run
from tierscope.record.machine import Machine
from tierscope.record.result import BLOCK
from tierscope.run.planned import this_machine
from tierscope.units import MiB
from virtual import Shape, VirtualMachine

NODES = (0, 1, 2)
SIZE = 32 * MiB


@pytest.fixture(scope="module")
def machine(server: VirtualMachine) -> Machine:
    return this_machine(None)


def free_bytes(server: VirtualMachine, node: int) -> int:
    text = server.read(f"/sys/devices/system/node/node{node}/meminfo")
    return int(re.findall(r"MemFree: +(\d+) kB", text)[0]) * 1024


# --- the observed machine ---


def test_packages_cores_and_threads_are_those_emulated(machine: Machine) -> None:
    places = [(cpu.number, cpu.package, cpu.core, cpu.node) for cpu in machine.identity.cpus]
    assert places == [(n, n // 4, n % 4 // 2, n // 4) for n in range(8)]
    assert machine.identity.hypervisor == "TCGTCGTCGTCG"


def test_one_thread_of_each_core_comes_first(machine: Machine) -> None:
    assert machine.cpus() == (0, 2, 4, 6, 1, 3, 5, 7)
    assert machine.by_topology(machine.cpus()) == tuple(range(8))


def test_nodes_and_distances_are_those_emulated(machine: Machine, server_shape: Shape) -> None:
    nodes = machine.identity.nodes
    assert [node.cpus for node in nodes] == [(0, 1, 2, 3), (4, 5, 6, 7), ()]
    assert tuple(node.distances for node in nodes) == server_shape.distances
    assert machine.memory_nodes() == NODES
    for node, asked in zip(nodes, server_shape.nodes, strict=True):
        assert 0.75 * asked.memory_mib * MiB < node.memory_bytes <= asked.memory_mib * MiB


def test_the_firmware_s_figures_are_those_of_the_best_initiator(machine: Machine) -> None:
    told = [(node.initiators, node.reported) for node in machine.identity.nodes]
    assert told == [
        ((initiator,), {
            "read_latency_s": pytest.approx(latency * 1e-9), "write_latency_s": pytest.approx(latency * 1e-9),
            "read_bandwidth_bytes_per_s": bandwidth * 1e6, "write_bandwidth_bytes_per_s": bandwidth * 1e6,
        })
        for initiator, latency, bandwidth in ((0, 90, 102400), (1, 95, 101376), (0, 350, 10240))
    ]  # fmt: skip


# --- where bytes are ---


@pytest.mark.parametrize("pages", ["4k", "thp"])
@pytest.mark.parametrize("cpus", ["0", "7", "0-7"])
def test_every_page_is_on_the_requested_node(server: VirtualMachine, cpus: str, pages: str) -> None:
    with Talk() as talk:
        for node in NODES:
            (group,) = talk.prepare(f"kernel=copy target=node:{node} cpus={cpus} footprint={SIZE} pages={pages}")
            assert group["nodes"] == {str(node): group["footprint_bytes"]} == {str(node): SIZE}
            assert "move_pages" in group["placement"]
            assert talk.say("measure seconds=0.02")["rows"] > 0
            assert max(talk.say("check")["largest_relative_error"]) <= 1e-15  # a fused multiply-add rounds once


def test_groups_that_run_together_have_nodes_of_their_own(server: VirtualMachine) -> None:
    with Talk() as talk:
        groups = talk.prepare(*(f"kernel=read target=node:{n} cpus={n} footprint={SIZE}" for n in NODES))
    assert [group["nodes"] for group in groups] == [{str(node): SIZE} for node in NODES]


def test_operands_that_are_read_are_on_the_source(server: VirtualMachine) -> None:
    with Talk() as talk:
        (group,) = talk.prepare(f"kernel=triad target=node:1 source=node:2 cpus=0,4 footprint={48 * MiB} pages=4k")
    assert group["nodes"] == {"1": 16 * MiB, "2": 32 * MiB}


def test_blocks_carry_the_cpus_that_ran_them(server: VirtualMachine, tmp_path: Path) -> None:
    samples = tmp_path / "blocks.npy"
    group = "group kernel=read cpus=7,2,4 target=node:2 footprint=3MiB"
    lines = (group, "prepare", "measure seconds=0.1", "measure seconds=0.1")
    status, (*_, one, two) = run(*lines, words=("--samples", str(samples)))
    blocks = np.load(samples)
    assert (status, blocks.dtype, len(blocks)) == (0, BLOCK, one["rows"] + two["rows"])
    assert {(int(b["thread"]), int(b["cpu"])) for b in blocks} == {(0, 7), (1, 2), (2, 4)}
    assert set(blocks["batch"]) == {0, 1}


# --- what is refused ---


@pytest.mark.parametrize(
    ("words", "status", "why"),
    [
        ("target=node:3 cpus=0 footprint=1MiB", 2, "node 3 is not online; online nodes: 0-2"),
        ("target=node:0 cpus=8 footprint=1MiB", 3, "CPU 8"),
        ("target=node:0 source=node:3 cpus=0 footprint=1MiB", 2, "node 3 is not online; online nodes: 0-2"),
        ("target=node:0 source=node:2 cpus=0 footprint=520MiB", 3, "MiB by node2; ask for at most "),
        ("target=node:2 cpus=0 footprint=256MiB", 3, "MiB by node2; ask for at most "),
        ("target=node:1 cpus=0 footprint=4MiB pages=2m", 3, "2m pages: 2 needed, 0 free on node 1"),
    ],
)
def test_a_part_that_the_machine_lacks_is_refused_and_nothing_is_left(
    server: VirtualMachine, words: str, status: int, why: str
) -> None:
    found, message = refused(f"group kernel=copy {words}", "prepare")
    assert found == status
    assert why in message
    assert "tierscope-core" not in server.processes()


def test_the_most_that_a_refusal_names_can_be_had(server: VirtualMachine) -> None:
    settled(server)
    _, message = refused("group kernel=read target=node:2 cpus=0 footprint=256MiB", "prepare")
    most = int(re.findall(r"ask for at most (\d+)MiB", message)[0])
    assert most > 100
    size = (most // 8 - 1) * 8 * MiB  # free memory moves by some pages from one look to the next
    with Talk() as talk:
        (group,) = talk.prepare(f"kernel=read target=node:2 cpus=0 footprint={size}")
    assert group["nodes"] == {"2": size}


def test_two_groups_that_fit_alone_but_not_together(server: VirtualMachine) -> None:
    settled(server)
    group = "group kernel=read target=node:2 footprint=100MiB"
    status, message = refused(f"{group} cpus=0", f"{group} cpus=1", "prepare")
    assert status == 3
    assert "by node2" in message


def settled(server: VirtualMachine, node: int = 2) -> None:
    """Pages of a process that ended come back within moments."""
    until = time.monotonic() + 20
    while free_bytes(server, node) < 200 * MiB or "tierscope-core" in server.processes():
        assert time.monotonic() < until, server.processes()
        time.sleep(0.1)


def test_a_killed_session_leaves_neither_process_nor_memory(server: VirtualMachine) -> None:
    with Talk() as talk:
        talk.prepare("kernel=read target=node:2 cpus=0-7 footprint=64MiB")
        assert "tierscope-core" in server.processes()
        assert free_bytes(server, 2) < 200 * MiB
    settled(server)


def test_the_recorded_tree_is_what_this_kernel_shows(server: VirtualMachine, root: Path) -> None:
    recorded = tomllib.loads((root / "tests/data/systems/hmat_guest.toml").read_text())
    shown = {path: server.system.read(path) or "" for path in recorded}
    assert shown == recorded
    assert all((server.system.root / path.lstrip("/")).is_symlink() for path in recorded if "initiators/node" in path)


@pytest.mark.parametrize(("turns", "pages", "far"), [("0=3,2=1", "4k", 0.25), ("0=1,2=1", "thp", 0.5)])
def test_pages_of_nodes_alternate(server: VirtualMachine, turns: str, pages: str, far: float) -> None:
    with Talk() as talk:
        (group,) = talk.prepare(f"kernel=copy target=interleave:{turns} cpus=0-3 footprint={SIZE} pages={pages}")
        assert talk.say("measure seconds=0.02")["rows"] > 0
        assert max(talk.say("check")["largest_relative_error"]) <= 1e-15  # a fused multiply-add rounds once
    assert group["nodes"]["2"] == pytest.approx(SIZE * far, rel=0.01)  # every second page is checked
    assert group["nodes"]["0"] == SIZE - group["nodes"]["2"]
