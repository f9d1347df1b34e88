"""The core for a CPU of another kind: built by a cross compiler, run by an emulator of user programs.

Answers are checked, times mean nothing. The emulated CPUs differ in vector lengths, in names, and in the block of DC
ZVA, which is 512 bytes of `max` and 64 of the others: code that assumes 64 zeroes its neighbours there.
"""

import json
import shutil
from pathlib import Path

import pytest

import lanes
from emulated import core_of, exchanged, simulated, tierscope, wrapper
from tierscope.core.find import SHADOW, find_shadow

LONGER = "sve1024=off,sve2048=off"
CPUS = {
    "max,sve=off": (),
    f"max,sve128=on,sve256=off,sve512=off,{LONGER}": ("sve128",),
    f"max,sve256=on,sve512=off,{LONGER}": ("sve256",),
    f"max,sve512=on,{LONGER}": ("sve512",),
    "neoverse-n1": (),
    "a64fx": ("sve512",),
}
"""By QEMU's words: the ISA that it runs in addition to scalar and neon."""


@pytest.fixture(scope="module")
def core() -> list[str | Path]:
    return core_of("aarch64")


def of(core: list[str | Path], cpu: str) -> list[str | Path]:
    """Return the words that run the core on an emulated CPU."""
    return [core[0], "-cpu", cpu, *core[1:]]


@pytest.mark.slow
@pytest.mark.parametrize("cpu", CPUS)
def test_every_variant_leaves_what_scalar_code_leaves(core: list[str | Path], cpu: str) -> None:
    verdicts = [json.loads(line) for line in lanes.run([*of(core, cpu), "check", "operations=64"]).splitlines()]
    assert [verdict for verdict in verdicts if not verdict["ok"]] == []
    checked = {isa: {v["kernel"] for v in verdicts if v["isa"] == isa} for isa in ("scalar", "neon", *CPUS[cpu])}
    assert {verdict["isa"] for verdict in verdicts} == set(checked)
    vectors = {kernel for kernel in checked["neon"] if not kernel.endswith("_nt")}
    assert all(checked[isa] == checked["neon"] for isa in CPUS[cpu])
    assert vectors <= checked["scalar"]
    assert checked["scalar"] - vectors >= {"chase", "probe", "memcpy", "zva", "read_ldnp", "mix_blocks_1r1w_nt"}
    assert ("read_ldnt1" in checked["scalar"]) == ("sve=off" not in cpu and cpu != "neoverse-n1")
    assert {f"{kernel}_nt" for kernel in ("triad", "copy", "write")} <= checked["neon"]


@pytest.mark.slow
def test_it_states_what_the_processor_is(core: list[str | Path]) -> None:
    def topology(cpu: str) -> dict[str, object]:
        answer: dict[str, object] = json.loads(lanes.run([*of(core, cpu), "topology"]))
        return answer

    assert topology("neoverse-n1")["architecture"] == "aarch64"
    assert topology("neoverse-n1")["model"] == "Neoverse-N1"
    assert topology("a64fx")["model"] == "A64FX"
    assert str(topology("neoverse-n1")["family"]).startswith("0x41:15:0xd0c:")
    assert topology("max")["model"] == "aarch64, implementer 0x0, part 0x51"
    units = {
        cpu: (topology(cpu)["line_bytes"], topology(cpu)["zeroing_bytes"]) for cpu in ("neoverse-n1", "a64fx", "max")
    }
    assert units == {"neoverse-n1": (64, 64), "a64fx": (256, 256), "max": (32, 512)}


def planted(root: Path, files: dict[str, str]) -> list[str]:
    """Plant files that QEMU gives the program in place of those of this machine; return the words for it."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return ["-L", str(root)]


@pytest.mark.slow
def test_big_and_little_cores_have_both_names_and_a_number_each(core: list[str | Path], tmp_path: Path) -> None:
    """The kernel numbers cores again in each cluster, and the register is that of the CPU which runs the command."""
    cpus = "sys/devices/system/cpu"
    files = {f"{cpus}/online": "0-3"}
    for cpu, (part, size) in enumerate(((0xD05, 446), (0xD05, 446), (0xD0B, 1024), (0xD0B, 1024))):
        its = f"{cpus}/cpu{cpu}"
        files |= {
            f"{its}/cpu_capacity": str(size),
            f"{its}/regs/identification/midr_el1": f"0x{0x41 << 24 | 0xF << 16 | part << 4 | 1:016x}",
            f"{its}/topology/core_id": str(cpu % 2),
            f"{its}/topology/physical_package_id": "-1",
            f"{its}/topology/thread_siblings_list": str(cpu),
        }
    words = [core[0], *planted(tmp_path, files), "-cpu", "cortex-a72", core[1], "topology"]
    found = json.loads(lanes.run(words))
    assert found["model"] == "Cortex-A76 and Cortex-A55"
    assert found["family"] == "0x41:15:0xd0b:r0p1"
    assert [cpu["capacity"] for cpu in found["cpus"]] == [446, 446, 1024, 1024]
    assert len({(cpu["package"], cpu["core"]) for cpu in found["cpus"]}) == 4
    assert {cpu["package"] for cpu in found["cpus"]} == {0}


@pytest.mark.slow
def test_simulated_machines_take_the_same_time_to_the_picosecond(core: list[str | Path], tmp_path: Path) -> None:
    """Copies of 16 bytes are NEON there and SSE2 here."""
    there, here = simulated(core, tmp_path)
    assert there == here


@pytest.mark.slow
def test_traffic_of_lines_that_are_only_written_is_unknown(core: list[str | Path]) -> None:
    kernels = json.loads(lanes.run([*core, "catalogue"]))["kernels"]
    bus = {kernel["kernel"]: kernel["bus_bytes_per_operation"] for kernel in kernels}
    assert bus["read"] == 64
    assert bus["update"] == 128  # it loads what it stores
    assert bus["zva"] == 64
    assert (bus["write"], bus["copy"], bus["triad_nt"]) == (None, None, None)
    assert all(kernel["available"] or kernel["reason"] for kernel in kernels)


@pytest.mark.slow
def test_it_measures_on_aarch64(core: list[str | Path], tmp_path: Path) -> None:
    plan = tmp_path / "plan"
    plan.write_text("group kernel=triad cpus=0 footprint=192KiB pages=4k\nprepare\nmeasure seconds=0.05\ncheck\n")
    hello, prepared, measured, checked = map(
        json.loads, lanes.run([*of(core, "neoverse-n1"), "run", plan]).splitlines()
    )
    assert hello["clock"]["source"] == "cntvct"
    assert prepared["groups"][0]["isa"] == "neon"
    assert measured["rows"] > 0
    assert checked["largest_relative_error"][0] <= 1e-15  # a fused multiply-add rounds once


@pytest.mark.slow
def test_a_power_failure_leaves_of_an_aarch64_writer_what_it_leaves_of_one_here(
    core: list[str | Path], tmp_path: Path
) -> None:
    """The same lines of the file, byte for byte, by the same seed: msync is observed on both."""
    writer, root = Path(__file__).parents[1] / "clockless/writers/msync.c", "/usr/aarch64-linux-gnu"
    compilers = {"here": shutil.which("cc") or pytest.skip("no cc"), "there": "aarch64-linux-gnu-gcc"}
    libraries = {"here": find_shadow(), "there": Path(core[1]).with_name(SHADOW)}
    images = {}
    for name, compiler in compilers.items():
        lanes.run([compiler, "-O1", writer, "-o", tmp_path / name])
        place = tmp_path / "place"
        (place / "run").mkdir(parents=True)
        (place / "file").write_bytes(bytes(65536))
        (place / "run/plan").write_text(f"file={place}/file\nseed=7\npoints=1,2,4,6\nstores=0\n")
        given = {"LD_PRELOAD": str(libraries[name]), "TIERSCOPE_SHADOW": str(place / "run")}
        before = [core[0], "-L", root, *(word for pair in given.items() for word in ("-E", "=".join(pair)))]
        lanes.run(
            [*(before if name == "there" else ["env", *map("=".join, given.items())]), tmp_path / name, place / "file"]
        )
        images[name] = {one.name: one.read_bytes() for one in (place / "run").iterdir()}
        shutil.rmtree(place)
    assert json.loads(images["there"]["counts.json"])["file_fences"] == 6
    assert len(images["there"]) == 7  # of four points, the plan, the start and the counts
    assert images["there"] == images["here"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cpu", "found"),
    [
        ("neoverse-n1", {"vectors": "NEON, no SVE that is built", "DC ZVA": "64 B"}),
        (f"max,sve128=on,sve256=off,sve512=off,{LONGER}", {"vectors": "NEON, SVE of 128 bits", "DC ZVA": "512 B"}),
        (f"max,sve256=on,sve512=off,{LONGER}", {"vectors": "NEON, SVE of 256 bits", "DC ZVA": "512 B"}),
        ("a64fx", {"vectors": "NEON, SVE of 512 bits", "DC ZVA": "256 B", "processor": "A64FX (0x46:15:0x1:r1p0)"}),
    ],
)
def test_check_arm_states_what_the_processor_is(
    core: list[str | Path], cpu: str, found: dict[str, str], tmp_path: Path
) -> None:
    """Lines of 256 bytes of the register, where the files of this machine state 64: not as assumed."""
    told = tierscope(tmp_path, "check", "arm", "--json", core=wrapper(of(core, cpu), tmp_path))
    assumed = {one["what"]: one for one in json.loads(told)}
    assert {what: assumed[what]["found"] for what in found} == found
    assert assumed["clock"]["verdict"] == "as assumed"
    assert (assumed["line"]["verdict"], assumed["line"]["found"].endswith("used: 256 B")) == (
        ("not as assumed", True) if cpu == "a64fx" else ("as assumed", False)
    )


@pytest.mark.slow
def test_a_run_from_aarch64_is_shown_and_compared_here(core: list[str | Path], tmp_path: Path) -> None:
    there = wrapper(of(core, "neoverse-n1"), tmp_path)
    identity = exchanged(there, tmp_path)
    assert (identity["architecture"], identity["model"]) == ("aarch64", "Neoverse-N1")
    flushes = tierscope(tmp_path, "run", "flush", "chunks=4KiB", "footprint=1MiB", "limit=5", "--out", "f", core=there)
    assert "cvac" in flushes
    assert "clwb is left out" not in flushes  # of another architecture
