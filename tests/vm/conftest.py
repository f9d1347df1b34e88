"""The virtual machines: each is booted once. While a test file uses one, core and system files are those inside."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tierscope.run import hosts
from tierscope.vm import nvdimm
from tierscope.vm.machines import cxl as cxl_machine
from tierscope.vm.machines import eadr as eadr_machine
from tierscope.vm.machines import numa
from tierscope.vm.machines import nvdimm as adr_machine
from tierscope.vm.nvdimm import Dimm
from virtual import Node, Shape, VirtualMachine

SERVER = numa.SHAPE

HALVES = Shape(nodes=(Node(memory_mib=256, cpus="0,2"), Node(memory_mib=256, cpus="1,3")), smp="4,sockets=1,cores=4")
"""One package of two nodes that alternate in the numbers of CPUs; the firmware reports neither distances nor HMAT."""


SMALL = {"ext4": Dimm(96), "devdax": Dimm(64), "bad": Dimm(48)}
"""One is for a medium with bad blocks."""


def small_shape(folder: Path) -> Shape:
    """NVDIMMs with ADR for what spoils a device, and the core that serves pools."""
    nodes = (Node(memory_mib=512, cpus="0-1"),)
    words = nvdimm.words_of(folder, SMALL, "mem-ctrl")
    return Shape(nodes=nodes, modules=nvdimm.MODULES, tools=nvdimm.TOOLS, pools=True, words=words)


def _inside(machine: VirtualMachine) -> Iterator[VirtualMachine]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hosts, "System", lambda: machine.system)
        patch.setenv("TIERSCOPE_CORE", str(machine.core))
        yield machine


@pytest.fixture(scope="session")
def server_shape() -> Shape:
    return SERVER


@pytest.fixture(scope="session")
def booted_server() -> Iterator[VirtualMachine]:
    with VirtualMachine(SERVER) as machine:
        yield machine


@pytest.fixture(scope="module")
def server(booted_server: VirtualMachine) -> Iterator[VirtualMachine]:
    yield from _inside(booted_server)


@pytest.fixture(scope="module")
def halves() -> Iterator[VirtualMachine]:
    with VirtualMachine(HALVES) as machine:
        yield from _inside(machine)


@pytest.fixture(scope="module")
def dimms() -> Iterator[Path]:
    """The bytes of NVDIMMs: sparse files, gone at the end."""
    with TemporaryDirectory(prefix="tierscope-vm-") as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def booted_adr() -> Iterator[VirtualMachine]:
    with (
        TemporaryDirectory(prefix="tierscope-vm-") as folder,
        VirtualMachine(adr_machine.shape(Path(folder))) as machine,
    ):
        yield machine


@pytest.fixture(scope="session")
def devices(booted_adr: VirtualMachine) -> dict[str, str]:
    """The form of each NVDIMM of `adr` inside, by its name."""
    return nvdimm.prepared(booted_adr, adr_machine.DIMMS)


@pytest.fixture(scope="module")
def adr(booted_adr: VirtualMachine, devices: dict[str, str]) -> Iterator[VirtualMachine]:
    yield from _inside(booted_adr)


@pytest.fixture(scope="module")
def eadr(dimms: Path) -> Iterator[VirtualMachine]:
    with VirtualMachine(eadr_machine.shape(dimms)) as machine:
        yield from _inside(machine)


@pytest.fixture(scope="module")
def cxl(dimms: Path) -> Iterator[VirtualMachine]:
    with VirtualMachine(cxl_machine.shape(dimms)) as machine:
        yield from _inside(machine)


@pytest.fixture(scope="session")
def media() -> Iterator[Path]:
    """The bytes of the NVDIMMs of `small`, each in a file of its name."""
    with TemporaryDirectory(prefix="tierscope-vm-") as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def booted_small(media: Path) -> Iterator[VirtualMachine]:
    with VirtualMachine(small_shape(media)) as machine:
        yield machine


@pytest.fixture(scope="session")
def spoilt(booted_small: VirtualMachine) -> dict[str, str]:
    """The form of each NVDIMM of `small` inside, by its name."""
    found = nvdimm.prepared(booted_small, {name: SMALL[name] for name in ("ext4", "devdax")})
    number = nvdimm.region(booted_small, SMALL["bad"])
    found["bad"] = nvdimm.namespace(booted_small, f"-f -e namespace{number}.0", "fsdax")
    plain = f"{nvdimm.MAKE['ext4']} -O ^has_journal"  # all between its tables and its end can be a file's
    booted_small.do(f"{plain} /dev/{found['bad']}")
    nvdimm.mount(booted_small, found["bad"], "ext4", "/mnt/bad", nvdimm.SYNC)
    return found


@pytest.fixture(scope="module")
def small(booted_small: VirtualMachine, spoilt: dict[str, str]) -> Iterator[VirtualMachine]:
    yield from _inside(booted_small)
