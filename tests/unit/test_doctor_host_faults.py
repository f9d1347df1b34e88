"""The check of host faults on recorded and made reads, and the reads themselves on this machine."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tierscope.doctor.check import checks
from tierscope.doctor.checks import host_faults as check
from tierscope.host import remapping
from tierscope.host.remapping import Read, Reads
from tierscope.host.system import System
from trees import plant

DATA = Path(__file__).parents[1] / "data" / "host_faults"
FAST, SLOW = Read(0.2e-6, 0.2e-6, own=False), Read(130e-6, 0.3e-6, own=False)
OWN, SMALL = Read(130e-6, 0.3e-6, own=True), Read(130e-6, 120e-6, own=False)
GUEST = {"/proc/cpuinfo": check.GUEST, "/proc/meminfo": "MemAvailable: 9000000 kB"}


def recorded() -> Reads:
    """The reads of one check on a two-CPU Firecracker guest, in ns, while a long test ran."""
    kept = json.loads((DATA / "firecracker_guest.json").read_text())
    for name in ("resting", "used"):
        kept[name] = tuple(Read(first / 1e9, second / 1e9, bool(own)) for first, second, own in kept[name])
    return Reads(**kept)


def made(rested: int, lost: int, parts: int = 32, slow: Read = SLOW, fast: Read = FAST) -> Reads:
    """Reads of `parts` resting parts and as many in use; these numbers of each were slow."""
    resting = (slow,) * rested + (fast,) * (parts - rested)
    used = (slow,) * lost + (fast,) * (30 * parts - lost)
    return Reads(resting, used, parts, 0.6, huge=True, fill_s=0.04)


def test_the_guest_that_was_recorded() -> None:
    seen = check.judged(recorded())
    assert seen.verdict == "bad"
    assert seen.state == (
        "6 of 16 huge pages at rest lost their mapping within 0.6 s, those in use 1.4 times a second; "
        "the next read took 139 us"
    )
    assert "about 20 % of the time of random reads of 2 GiB is the host's work" in seen.effect
    assert seen.remedy == ""


@pytest.mark.parametrize(
    ("reads", "verdict", "words"),
    [
        (made(8, 8), "bad", "8 of 32 huge pages at rest lost their mapping within 0.6 s, those in use 0.4 times"),
        (
            made(2, 2, slow=Read(10e-6, 0.2e-6, own=False)),
            "note",
            "those in use 0.1 times a second; the next read took 10",
        ),
        (made(8, 1), "note", "those in use did not; the next read took 130 us"),
        (made(4, 0), "note", "those in use were too few to judge"),
        (made(16, 0), "note", "those in use did not"),
        (made(0, 9), "bad", "0 of 32 huge pages at rest"),
        (made(1, 1), "unknown", "2 of 992 reads of 64 huge pages were slow: too few to judge"),
        (made(1, 0), "good", "1 of 992 reads of 64 huge pages were slow within 0.6 s"),
        (made(1, 0, parts=24), "unknown", "too few to judge"),
        (made(0, 0, parts=24), "good", "0 of"),
        (made(0, 0), "good", "0 of 992 reads of 64 huge pages were slow within 0.6 s"),
        (made(0, 0, parts=4), "unknown", "too few to judge; the host took 40 ms to provide each"),
        (made(2, 0, parts=2), "unknown", "too few to judge"),
        (made(3, 2, parts=4), "bad", "3 of 4 huge pages at rest"),
        (made(8, 8, fast=Read(20e-6, 20e-6, own=False)), "good", "0 of"),  # all reads are slow: emulated
    ],
)
def test_what_reads_mean(reads: Reads, verdict: str, words: str) -> None:
    seen = check.judged(reads)
    assert (seen.verdict, words in seen.state) == (verdict, True), seen
    assert bool(seen.effect) == (verdict != "good")


def test_faults_and_switches_of_this_kernel_are_not_the_hosts() -> None:
    assert check.judged(made(5, 9, slow=OWN)).verdict == "good"
    seen = check.judged(made(20, 9, slow=OWN))
    assert (seen.verdict, "this kernel faulted" in seen.state) == ("unknown", True)


def test_no_read_at_all_is_unknown() -> None:
    assert check.judged(Reads((), (), 0, 0.6, huge=True, fill_s=0.4)).verdict == "unknown"


def test_pages_of_4_kib_that_the_host_maps_alone_cost_more() -> None:
    assert "about 6 %" in check.judged(made(8, 8)).effect
    assert "most of the time" in check.judged(made(8, 8, slow=SMALL)).effect
    assert "0.13 s longer" in check.judged(made(12, 0)).effect
    assert "68 s longer" in check.judged(made(12, 0, slow=SMALL)).effect


def test_pages_that_are_not_huge_are_named_otherwise() -> None:
    assert "8 of 32 parts of 2 MiB at rest" in check.judged(made(8, 8)._replace(huge=False)).state


@pytest.mark.parametrize(
    ("machine", "verdict", "state"),
    [("xeon_server", "good", "none: no hypervisor"), ("firecracker_guest", "unknown", "not measured: these are files")],
)
def test_nothing_is_mapped_without_a_hypervisor_or_for_recorded_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, machine: str, verdict: str, state: str
) -> None:
    monkeypatch.delattr(check, "reads")
    found = checks["host_faults"].examine(plant(tmp_path, machine))
    assert (found.verdict, found.state.startswith(state)) == (verdict, True)


V2 = {"/proc/self/cgroup": "0::/a", "/proc/self/mountinfo": "30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw"}
MAX, CURRENT = "/sys/fs/cgroup/a/memory.max", "/sys/fs/cgroup/a/memory.current"


@pytest.mark.parametrize(
    ("files", "parts"),
    [
        ({}, 64),
        ({"/proc/meminfo": "MemAvailable: 200000 kB"}, 12),
        ({"/proc/meminfo": "MemTotal: 200000 kB"}, 0),
        ({**V2, MAX: "max", CURRENT: "1"}, 64),
        ({**V2, MAX: "268435456", CURRENT: "134217728"}, 8),
        ({**V2, MAX: "268435456"}, 0),
        ({**V2, MAX: "268435456", CURRENT: "536870912"}, 0),
    ],
)
def test_the_mapping_is_a_small_share_of_what_is_free(tmp_path: Path, files: dict[str, object], parts: int) -> None:
    assert check.affordable(plant(tmp_path, changes={**GUEST, **files})) == parts


def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, **files: str) -> System:
    """A guest whose files are recorded, and which takes itself for this machine."""
    system = plant(tmp_path, changes={**GUEST, **{f"/proc/{name}": text for name, text in files.items()}})
    monkeypatch.setattr(check, "Path", lambda _: system.root)
    return system


def test_scarce_memory_is_not_mapped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delattr(check, "reads")
    found = checks["host_faults"].examine(here(monkeypatch, tmp_path, meminfo="MemAvailable: 90000 kB"))
    assert (found.verdict, found.state) == ("unknown", "not measured: it needs 96 MiB of free memory")


def test_memory_that_cannot_be_mapped_is_unknown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refused(parts: int, wait: object) -> Reads:
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr(check, "reads", refused)
    found = checks["host_faults"].examine(here(monkeypatch, tmp_path))
    assert (found.verdict, found.state) == ("unknown", "not measured: map 128 MiB: Cannot allocate memory")


@pytest.mark.parametrize("limit", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_a_limit_of_the_process_refuses_the_mapping(limit: str) -> None:
    lines = f"""
import resource, sys, time
from tierscope.host.remapping import reads
kind = "VmSize" if "{limit}" == "RLIMIT_AS" else "VmData"
used = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(kind)) << 10
resource.setrlimit(resource.{limit}, (used + (32 << 20),) * 2)
try:
    reads(32, time.sleep)
except OSError as error:
    sys.exit(f"refused: {{error.strerror}}")
"""
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == "refused: Cannot allocate memory"


def test_half_of_the_parts_rest_and_the_memory_is_unmapped() -> None:
    waits: list[float] = []
    before = Path("/proc/self/maps").read_text().count("\n")
    seen = remapping.reads(4, waits.append)
    assert Path("/proc/self/maps").read_text().count("\n") - before < 3  # a heap may have grown
    assert set(waits) == {remapping.STEP_S}
    assert len(seen.used) == len(waits) * seen.used_parts
    assert seen.parts in (1, 2, 3, 4)  # fewer where the host provides memory slowly
    assert len(seen.resting) - seen.used_parts in (0, 1)
    assert all(read.first_s > 0 and read.second_s > 0 for read in (*seen.resting, *seen.used))


def test_memory_that_arrives_slowly_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remapping, "FILL_S", 0.0)
    seen = remapping.reads(32, lambda _: None)
    assert seen.parts == 0
    assert check.judged(seen).verdict == "unknown"


def test_a_read_with_a_fault_of_this_kernel_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = iter([(0, 0), (1, 0), (1, 0), (1, 1), (1, 1), (1, 1)])
    monkeypatch.setattr(remapping, "_own", lambda: next(counts))
    memory = bytearray(remapping.PART)
    assert [remapping._read(memory, 0).own for _ in range(3)] == [True, True, False]  # type: ignore[arg-type]
