"""The core for 64-bit RISC-V, scalar code: answers are checked, times mean nothing.

CBO.ZERO is refused here: QEMU 7.2 runs it on no CPU. The part that it shares with DC ZVA runs on AArch64
(test_aarch64.py). The core with recorded structures is left out, because GCC 12 has no ThreadSanitizer for RISC-V.
"""

import json
from pathlib import Path

import pytest

import lanes
from emulated import core_of, exchanged, simulated, wrapper


@pytest.fixture(scope="module")
def core() -> list[str | Path]:
    """The words before its own."""
    return core_of("riscv64")


@pytest.mark.slow
def test_every_variant_leaves_what_scalar_code_leaves(core: list[str | Path]) -> None:
    verdicts = [json.loads(line) for line in lanes.run([*core, "check", "operations=64"]).splitlines()]
    assert [verdict for verdict in verdicts if not verdict["ok"]] == []
    assert {verdict["isa"] for verdict in verdicts} == {"scalar"}
    checked = {verdict["kernel"] for verdict in verdicts}
    assert checked >= {"triad", "copy", "write", "chase", "probe", "memcpy", "stencil7", "gups"}
    assert not [kernel for kernel in checked if kernel.endswith("_nt")]  # rv64gc has no such store


@pytest.mark.slow
def test_a_variant_that_does_not_run_states_the_reason(core: list[str | Path]) -> None:
    kernels = {one["kernel"]: one for one in json.loads(lanes.run([*core, "catalogue"]))["kernels"]}
    assert all(one["available"] or one["reason"] for one in kernels.values())
    assert "zicboz" in kernels["cbo_zero"]["reason"]
    assert json.loads(lanes.run([*core, "topology"]))["architecture"] == "riscv64"


@pytest.mark.slow
def test_it_measures_on_riscv64(core: list[str | Path], tmp_path: Path) -> None:
    plan = tmp_path / "plan"
    plan.write_text("group kernel=triad cpus=0 footprint=192KiB pages=4k\nprepare\nmeasure seconds=0.05\ncheck\n")
    hello, prepared, measured, checked = map(json.loads, lanes.run([*core, "run", plan]).splitlines())
    assert hello["clock"]["source"] == "time"
    assert prepared["groups"][0]["isa"] == "scalar"
    assert prepared["groups"][0]["bus_bytes_per_operation"] is None
    assert measured["rows"] > 0
    assert checked["largest_relative_error"][0] <= 1e-15


@pytest.mark.slow
def test_simulated_machines_take_the_same_time_to_the_picosecond(core: list[str | Path], tmp_path: Path) -> None:
    """Copies of 16 bytes are two words there and SSE2 here."""
    there, here = simulated(core, tmp_path)
    assert there == here


@pytest.mark.slow
def test_a_run_from_riscv64_is_shown_and_compared_here(core: list[str | Path], tmp_path: Path) -> None:
    assert exchanged(wrapper(core, tmp_path), tmp_path)["architecture"] == "riscv64"
