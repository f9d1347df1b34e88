"""The clock of a slower counter: 2^N ticks of this machine's are one, as ARM has them at 24 MHz to 1 GHz."""

import json
from pathlib import Path

import lanes

SHIFT = 7  # of a counter of 2 to 4 GHz: 16 to 31 MHz


def hello(core: Path, shift: int) -> dict[str, float]:
    first = lanes.run([core, "run", "/dev/null"], TIERSCOPE_CLOCK_SHIFT=str(shift)).splitlines()[0]
    clock: dict[str, float] = json.loads(first)["clock"]
    return clock


def core() -> Path:
    return Path(lanes.sys.executable).with_name("tierscope-core")


def test_a_coarse_clock_states_its_step_and_what_a_read_costs() -> None:
    fine, coarse = hello(core(), 0), hello(core(), SHIFT)
    if fine["source"] == "monotonic_raw":
        return  # nothing is shifted there
    assert 0.8 < coarse["hz"] * 2**SHIFT / fine["hz"] < 1.25
    assert coarse["resolution_s"] >= 0.99 / coarse["hz"]
    assert 0 < coarse["read_cost_s"] < coarse["resolution_s"]  # below a tick, and not 0


def test_the_floor_of_emulated_memory_is_four_steps_of_a_coarse_clock(tmp_path: Path) -> None:
    plan = tmp_path / "plan"
    plan.write_text("group kernel=chase cpus=0 footprint=64KiB pages=4k target=emu:latency=100ns\nprepare\n")
    done = lanes.subprocess.run(
        [core(), "run", plan], env={"TIERSCOPE_CLOCK_SHIFT": "12"}, capture_output=True, text=True, check=False
    )
    if '"monotonic_raw"' in done.stdout:
        return
    assert "(4 steps of this clock)" in done.stdout


def test_blocks_are_measured_with_a_coarse_clock(tmp_path: Path) -> None:
    plan = tmp_path / "plan"
    plan.write_text("group kernel=triad cpus=0 footprint=192KiB pages=4k\nprepare\nmeasure seconds=0.05\ncheck\n")
    answers = lanes.run([core(), "run", plan], TIERSCOPE_CLOCK_SHIFT=str(SHIFT)).splitlines()
    assert json.loads(answers[-2])["rows"] > 0
