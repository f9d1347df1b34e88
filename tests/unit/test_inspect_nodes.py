"""The firmware's report on nodes (HMAT), from files of a kernel."""

from pathlib import Path

import pytest

from test_inspect import changed
from tierscope.record.machine import Node
from tierscope.run.inspect import inspect
from trees import plant

FILES = "/sys/devices/system/node/node{}/access{}/initiators/{}"
NODES = [
    {"number": n, "cpus": cpus, "memory_bytes": 1, "free_bytes": 1, "distances": [], "huge_pages": {}}
    for n, cpus in enumerate(([0, 1, 2, 3], [4, 5, 6, 7], []))
]


def nodes(folder: Path, **changes: str | None) -> tuple[Node, ...]:
    system = plant(folder, "hmat_guest", changes)
    return inspect(changed(nodes=NODES), system, peak=None).identity.nodes


def test_figures_are_in_base_units_and_name_their_initiators(tmp_path: Path) -> None:
    near, far, memory = nodes(tmp_path)
    assert memory.reported == {
        "read_latency_s": pytest.approx(350e-9), "write_latency_s": pytest.approx(350e-9),
        "read_bandwidth_bytes_per_s": 10240e6, "write_bandwidth_bytes_per_s": 10240e6,
    }  # fmt: skip
    assert (near.initiators, far.initiators, memory.initiators) == ((0,), (1,), (0,))
    assert far.reported["read_latency_s"] == pytest.approx(95e-9)


def test_cpus_alone_are_believed_before_devices(tmp_path: Path) -> None:
    found = nodes(tmp_path, **{FILES.format(2, 0, "read_latency"): "7"})
    assert found[2].reported["read_latency_s"] == pytest.approx(350e-9)


def test_a_figure_of_zero_is_none(tmp_path: Path) -> None:
    found = nodes(tmp_path, **{FILES.format(2, 1, "read_bandwidth"): "0"})
    assert "read_bandwidth_bytes_per_s" not in found[2].reported
    assert found[2].reported["read_latency_s"] == pytest.approx(350e-9)
