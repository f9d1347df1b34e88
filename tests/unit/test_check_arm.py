"""`tierscope check arm`: the assumptions about ARM and the facts, on made machines."""

from pathlib import Path

import msgspec
import pytest

from made_machine import made_machine
from tierscope.cli.ports import MEASURED, OPEN, OTHER, SEEN, Assumption, assumptions
from tierscope.cli.ports import lines as text_of
from tierscope.plans import suites
from tierscope.record.facts import Clock
from tierscope.record.machine import Machine
from trees import plant

SERVER = {
    "/sys/bus/event_source/devices/armv8_pmuv3_0/type": "8",
    "/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages": "0",
    "/sys/kernel/mm/hugepages/hugepages-524288kB/free_hugepages": "0",
}


def arm(features: tuple[str, ...] = ("asimd", "sve256", "civac", "cvac", "dcpop", "zva"), **state: int) -> Machine:
    made = made_machine(peak=None)
    identity = msgspec.structs.replace(
        made.identity, architecture="aarch64", model="Neoverse-V1", family="0x41:15:0xd40:r1p1", features=features
    )
    told = {"line_bytes": 64, "zeroing_bytes": 64, "page_bytes": 65536, "large_page_bytes": 512 << 20, **state}
    return msgspec.structs.replace(made, identity=identity, state=dict(told))


def found(machine: Machine, tmp_path: Path, hz: float = 24e6, **files: object) -> dict[str, Assumption]:
    clock = Clock(source="cntvct", hz=hz, resolution_s=1 / hz, read_cost_s=9e-9)
    return {one.what: one for one in assumptions(machine, clock, plant(tmp_path, changes={**SERVER, **files}))}


def test_an_arm_server_as_it_was_assumed(tmp_path: Path) -> None:
    lines = found(arm(), tmp_path)
    assert len(lines) == len(SEEN) + len(MEASURED)
    assert {what for what, one in lines.items() if one.verdict == OTHER} == set()
    assert lines["vectors"].found == "NEON, SVE of 256 bits"
    assert lines["clock"].found == "cntvct, 24.0 MHz: 41.7 ns per step, 9 ns per read"
    assert lines["pages"].found == "64 KiB; transparent 512 MiB; reserved: 2 MiB, 512 MiB"
    assert lines["counters"].found == "PMU armv8_pmuv3_0; metrics: neoverse_v1.toml"
    assert lines["DIMMs"].verdict == OPEN
    assert lines["cores"] == Assumption(
        what="cores", assumed="equal ones by cpu_capacity are used together", verdict=OPEN,
        found="no cpu_capacity: assumed equal",
    )  # fmt: skip
    assert all(one.measure for one in lines.values() if one.what in {what for what, _, _ in MEASURED})


@pytest.mark.parametrize(
    ("what", "machine", "hz", "files"),
    [
        ("clock", arm(), 3e9, {}),
        ("DC ZVA", arm(zeroing_bytes=0), 1e9, {}),
        ("vectors", arm(features=("civac", "cvac")), 1e9, {}),
        ("flushes", arm(features=("asimd",)), 1e9, {}),
        ("pages", arm(page_bytes=16384, large_page_bytes=2 << 20), 1e9, {}),
        ("counters", arm(), 1e9, {"/sys/bus/event_source/devices/armv8_cortex_a55/type": "9"}),
        ("partitions", arm(), 1e9, {"/sys/firmware/acpi/tables/MPAM": "MPAM"}),
        ("line", arm(line_bytes=256), 1e9, {}),
    ],
)
def test_differences_of_machines_are_named(
    what: str, machine: Machine, hz: float, files: dict[str, object], tmp_path: Path
) -> None:
    lines = found(machine, tmp_path, hz, **files)
    assert {name for name, one in lines.items() if one.verdict == OTHER} == {what}


def test_the_first_lines_name_what_differs_and_what_is_open(tmp_path: Path) -> None:
    machine = arm(page_bytes=16384, large_page_bytes=2 << 20)
    caches = tuple(msgspec.structs.replace(cache, line_bytes=128) for cache in machine.identity.caches)
    machine = msgspec.structs.replace(machine, identity=msgspec.structs.replace(machine.identity, caches=caches))
    first, second, *rest, last = text_of(list(found(machine, tmp_path).values()), "aarch64")
    assert first == "1 not as assumed: pages"
    assert second.startswith("9 as assumed, 15 not known: cores, DIMMs, stores, ")
    assert "  found:   CTR_EL0: 64 B; sysfs: 128 B; used: 128 B" in rest
    assert "check arm --json" in last


def test_a_line_that_nobody_states_is_not_known(tmp_path: Path) -> None:
    machine = arm()
    identity = msgspec.structs.replace(machine.identity, caches=())
    bare = msgspec.structs.replace(machine, identity=identity, state={})
    line = found(bare, tmp_path)["line"]
    assert (line.verdict, line.found) == (OPEN, "CTR_EL0: not readable; sysfs: no cache is listed; used: 64 B")


def test_on_another_processor_only_what_was_assumed_is_printed(tmp_path: Path) -> None:
    told = list(text_of(list(found(made_machine(), tmp_path).values()), "x86_64"))
    text = "\n".join(told)
    assert all(f"  {what}: {assumed}\n" in text for what, assumed, _ in SEEN)
    assert all(f"  {what}: {assumed}\n    measure: {command}" in text for what, assumed, command in MEASURED)
    assert "nothing was found" in told[0]
    assert "found:" not in text
    assert "  line: 64, 128 or 256 B, by CTR_EL0 and sysfs" in told


def test_on_another_processor_nothing_is_known(tmp_path: Path) -> None:
    assert {one.verdict for one in found(made_machine(), tmp_path).values()} == {OPEN}


def test_each_command_that_measures_is_one() -> None:
    for command in (one for _, _, both in MEASURED for one in both.split("; ")):
        program, verb, suite, *words = command.split()
        assert (program, verb) == ("tierscope", "run")
        suites[suite].read(dict(word.split("=", 1) for word in words))


def test_the_guide_lists_each_command_that_measures() -> None:
    guide = (Path(__file__).parents[2] / "docs/how-to/arm.md").read_text()
    rows = [line for line in guide.partition("## What was not measured")[2].splitlines() if line.startswith("| ")]
    listed = {row.split("`")[-2] for row in rows if "`tierscope run" in row}
    assert listed == {command for _, _, both in MEASURED for command in both.split("; ")}
