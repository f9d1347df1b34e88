"""The core for a CPU of another kind: built by a cross compiler, run by an emulator of user programs.

Answers are checked, times mean nothing. Only scalar kernels exist there today.
"""

import json
import shutil
from pathlib import Path

import pytest

import lanes

COMPILER = "aarch64-linux-gnu-g++"
EMULATORS = ("qemu-aarch64-static", "qemu-aarch64")
BRING = "sudo apt-get install -y g++-aarch64-linux-gnu qemu-user"


@pytest.fixture(scope="module")
def core() -> list[str | Path]:
    """The words before its own."""
    emulator = next(filter(None, map(shutil.which, EMULATORS)), None)
    if emulator is None or shutil.which(COMPILER) is None:
        pytest.skip(f"lane aarch64 left out: {BRING}")
    return [emulator, lanes.built("aarch64") / "tierscope-core"]


@pytest.mark.slow
def test_it_answers_on_aarch64(core: list[str | Path]) -> None:
    kernels = json.loads(lanes.run([*core, "catalogue"]))["kernels"]
    assert {kernel["isa"] for kernel in kernels} == {"scalar"}
    assert all(kernel["available"] or kernel["reason"] for kernel in kernels)
    assert json.loads(lanes.run([*core, "topology"]))["architecture"] == "aarch64"
    verdicts = [json.loads(line) for line in lanes.run([*core, "check", "operations=64"]).splitlines()]
    assert {verdict["kernel"] for verdict in verdicts} >= {"triad", "chase", "probe", "memcpy", "mix_1r1w"}
    assert [verdict for verdict in verdicts if not verdict["ok"]] == []


@pytest.mark.slow
def test_it_measures_on_aarch64(core: list[str | Path], tmp_path: Path) -> None:
    plan = tmp_path / "plan"
    plan.write_text("group kernel=triad cpus=0 footprint=192KiB pages=4k\nprepare\nmeasure seconds=0.05\ncheck\n")
    hello, prepared, measured, checked = map(json.loads, lanes.run([*core, "run", plan]).splitlines())
    assert hello["clock"]["source"] == "cntvct"
    assert prepared["groups"][0]["isa"] == "scalar"
    assert measured["rows"] > 0
    assert checked["largest_relative_error"] == [0]
