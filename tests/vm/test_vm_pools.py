"""Pools of libpmemobj where there is persistent memory: the statements of libpmem on them, on DAX and without."""

from collections.abc import Iterator

import pytest

from border import Fact, refused
from tierscope.core import Session
from tierscope.record.experiment import Group, Target, Team, Workload
from tierscope.record.work.block import BlockWork
from tierscope.record.work.line import LineWork
from tierscope.units import MiB
from tierscope.vm import nvdimm
from virtual import VirtualMachine

POOL = "pool:/mnt/ext4/made"


def measured(word: str, kernel: str = "triad") -> Fact:
    """Facts of a group whose blocks were measured, and whose check passed."""
    asked = LineWork() if kernel == "triad" else BlockWork(element_bytes=4096)
    work = Workload(kernel=kernel, footprint_bytes=2 * MiB, work=asked)
    with Session() as session:
        (facts,) = session.prepare([Group(workload=work, target=Target.parse(word), team=Team(cpus=(0,)))])
        assert len(session.measure(0.02, 1e-3)) > 0
        assert session.check()[0] <= 1e-15  # a fused multiply-add rounds once
    return {name: getattr(facts, name) for name in facts.__struct_fields__}


@pytest.fixture
def without_dax(small: VirtualMachine, spoilt: dict[str, str]) -> Iterator[None]:
    again = f"mount -t ext4 -o {nvdimm.SYNC} /dev/{spoilt['ext4']} /mnt/ext4"
    ended = "while pidof tierscope-core-pmdk >/dev/null; do usleep 10000; done; umount /mnt/ext4"
    small.do(f"{ended} && mount -t ext4 -o dax=never /dev/{spoilt['ext4']} /mnt/ext4")
    yield
    small.do(f"{ended} && {again}")


def test_a_pool_on_a_dax_file_system_persists_by_flushes(small: VirtualMachine) -> None:
    facts = measured(POOL)
    assert (facts["persistence"], facts["persistence_how"]) == ("adr", "mapped with MAP_SYNC, so libpmemobj flushes")
    assert "VmFlags sf: MAP_SYNC" in facts["placement"]
    assert facts["origin"] == "emulated"
    assert small.do("ls /mnt/ext4") == "lost+found\n"


def test_the_same_file_system_without_dax_persists_by_msync(small: VirtualMachine, without_dax: None) -> None:
    facts = measured(POOL, "flush_msync")
    assert (facts["persistence"], facts["persistence_how"]) == (
        "msync", "pmem_is_pmem returned 0, so libpmemobj calls msync",
    )  # fmt: skip


def test_a_pool_larger_than_its_file_system_is_refused(small: VirtualMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIERSCOPE_CORE", f"{small.core}-pmdk")
    status, why = refused(f"group kernel=read target={POOL} cpus=0 footprint=256MiB", "prepare")
    assert (status, " has no space at /mnt/ext4/made" in why) == (3, True), why
