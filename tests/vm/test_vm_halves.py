"""One package of two nodes that alternate in the numbers of CPUs, and a firmware that reports nothing about them."""

import pytest

from border import Talk
from tierscope.record.machine import Machine
from tierscope.run.planned import this_machine
from tierscope.units import MiB
from virtual import VirtualMachine


@pytest.fixture(scope="module")
def machine(halves: VirtualMachine) -> Machine:
    return this_machine(None)


def test_cpus_belong_to_the_nodes_that_were_emulated(machine: Machine) -> None:
    assert [(cpu.number, cpu.package, cpu.node) for cpu in machine.identity.cpus] == [(n, 0, n % 2) for n in range(4)]
    assert machine.cpus() == (0, 1, 2, 3)
    assert machine.by_topology(machine.cpus()) == (0, 2, 1, 3)


def test_without_hmat_nothing_is_reported(machine: Machine) -> None:
    assert [(node.reported, node.initiators) for node in machine.identity.nodes] == [({}, ())] * 2
    assert [node.distances for node in machine.identity.nodes] == [(10, 20), (20, 10)]  # Linux's own


def test_every_cpu_reaches_every_node(halves: VirtualMachine) -> None:
    with Talk() as talk:
        for cpu in range(4):
            for node in range(2):
                (group,) = talk.prepare(f"kernel=chase target=node:{node} cpus={cpu} footprint=1MiB pages=4k")
                assert group["nodes"] == {str(node): MiB}
