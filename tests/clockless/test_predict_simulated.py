"""A run on one simulated memory, moved to another: its times there, which the model has not seen, lie in the bounds."""

import json
from pathlib import Path

import pytest

from shell import Shell
from tierscope import core
from tierscope.errors import MachineError

NEAR, FAR = "flat", "flat,memory.flat.read=300ns"


@pytest.fixture(autouse=True)
def recorded() -> None:
    try:
        core.find_traced_core()
        core.find_pool_core()
    except MachineError as error:
        pytest.skip(str(error))


def test_gets_on_a_slower_memory_take_what_was_predicted(tmp_path: Path) -> None:
    """Without caches each line that is followed takes the memory's latency, so that lines alone make the time."""
    shell = Shell(tmp_path)
    words = ("structures=ctree,rtree,robin_map", "operations=get", "count=1000,10000", "budget=0.05")
    for name, machine in (("near", NEAR), ("far", FAR)):
        status, _, err = shell("run", "maps", f"target=sim:{machine}", *words, "--out", name)
        assert status == 0, err
    status, out, err = shell(
        "predict", "near", "--from", "read=100ns", "--on", "read=300ns", "--beside", "far", "--json"
    )
    assert status == 0, err
    found = json.loads(out)
    assert len(found) == 6
    for row in found:
        assert row["inside"], row
        # a probe of robin_map comes back to lines that it left: without a cache their latency again, unexplained
        assert row["what"] == "robin_map get" or abs(row["error_share"]) < 0.03, row
        assert row["measured_s"] > 2.5 * row["before_s"], row
