"""The discovery in the trees of emulated machines, as their kernels showed them, links included."""

from pathlib import Path

import pytest

from tierscope.host import cxl, persistent
from trees import plant


@pytest.mark.parametrize(
    ("name", "modes", "domains", "mounts"),
    [
        (
            "pmem_guest", ["raw", "devdax", "devdax", "fsdax", "fsdax", "fsdax"], [*["memory_controller"] * 5, ""],
            {"pmem4": "/mnt/ext4", "pmem3": "/mnt/xfs"},
        ),
        (
            "eadr_guest", ["devdax", "fsdax", "fsdax"], ["cpu_cache", "cpu_cache", ""],
            {"pmem1": "/mnt/ext4", "pmem2": "/mnt/dram"},
        ),
        ("cxl_guest", ["fsdax"], ["memory_controller"], {"pmem0": "/mnt/cxl"}),
    ],
)  # fmt: skip
def test_regions_namespaces_and_mounts_are_those_emulated(
    tmp_path: Path, name: str, modes: list[str], domains: list[str], mounts: dict[str, str]
) -> None:
    found = persistent.look(plant(tmp_path, name))
    assert found is not None
    assert [namespace.mode for namespace in found.namespaces] == modes
    assert [region.domain for region in found.regions] == domains
    assert {mount.device: mount.path for mount in found.mounts if mount.dax == "always"} == mounts


def test_an_nvdimm_that_became_memory_is_not_a_device_any_more(tmp_path: Path) -> None:
    found = persistent.look(plant(tmp_path, "pmem_guest"))
    assert found is not None
    assert {device.name: (device.mode, device.target_node) for device in found.dax} == {
        "dax1.0": ("system-ram", 1), "dax2.0": ("devdax", 0),
    }  # fmt: skip


def test_memory_and_region_of_cxl_are_those_emulated(tmp_path: Path) -> None:
    found = cxl.look(plant(tmp_path, "cxl_guest"))
    assert found is not None
    assert [(memory.name, memory.ram_bytes, memory.pmem_bytes) for memory in found.memories] == [("mem0", 0, 256 << 20)]
    assert [(region.name, region.size_bytes, region.committed) for region in found.regions] == [
        ("region0", 256 << 20, True)
    ]
