"""Suites on emulated persistent memory from end to end: places and marks of what they leave; times mean nothing."""

from pathlib import Path

import pytest

from runs import done, rows_of
from tierscope.record.result import Run
from virtual import VirtualMachine

FILE = "fsdax:/mnt/ext4/made"


def of_target(run: Run, target: str) -> set[tuple[str, str, str]]:
    """Domain, origin and how the origin is known, of all groups on a target."""
    groups = [group for record in run.result.records for group in record.groups if group.target == target]
    assert groups
    return {(group.persistence, group.origin, group.origin_by.split(":")[0]) for group in groups}


def persistent(run: Run, target: str) -> bool:
    return of_target(run, target) == {("adr", "emulated", "QEMU TCG")}


def test_stream_on_a_dax_file_system_and_on_a_device(
    adr: VirtualMachine, devices: dict[str, str], tmp_path: Path
) -> None:
    for target in (FILE, f"devdax:/dev/{devices['devdax']}"):
        words = ("kernels=memset,memcpy", "threads=1", "array=1MiB", "budget=0.05")
        run = done(tmp_path / target[:4], "stream", f"target={target}", *words)
        assert persistent(run, target)
        assert {row["kernel"] for row in rows_of(run, "stream")} == {"memset", "memcpy"}


def test_latency_of_a_dax_file_system(adr: VirtualMachine, tmp_path: Path) -> None:
    words = ("pages=thp", "from=2MiB", "to=4MiB", "per_octave=1", "budget=0.05")
    assert persistent(done(tmp_path, "latency", f"target={FILE}", *words), FILE)


def test_contention_between_memory_and_persistent_memory(adr: VirtualMachine, tmp_path: Path) -> None:
    words = ("kernel=memcpy", "array=2MiB", "splits=1:1", "threads=1", "modes=b-b,b-a,a-b", "pages=thp", "budget=0.05")
    run = done(tmp_path, "contention", "a=node:0", f"b={FILE}", *words)
    assert persistent(run, FILE)
    places = {(row["b_source"], row["b_target"]) for row in rows_of(run, "contention")}
    assert places == {(FILE, FILE), (FILE, "node:0"), ("node:0", FILE)}


@pytest.mark.parametrize("target", [FILE, "node:0"])
def test_neighbors_that_flush(adr: VirtualMachine, tmp_path: Path, target: str) -> None:
    victim = ("victim=chase", "victim_array=64KiB", "aggressors=1", "budget=0.2")
    words = ("aggressor=flush_clflushopt", f"aggressor_target={target}", "aggressor_array=2MiB", *victim)
    run = done(tmp_path, "neighbors", *words)
    assert len(rows_of(run, "neighbors")) == 2
    if target == FILE:
        assert persistent(run, FILE)


def test_flush_by_every_instruction(adr: VirtualMachine, tmp_path: Path) -> None:
    words = ("footprint=2MiB", "total=2MiB", "chunks=64B,4KiB", "instructions=clflush,clwb,nt", "budget=0.05")
    run = done(tmp_path, "flush", f"target={FILE}", *words)
    assert persistent(run, FILE)
    rows = rows_of(run, "flush")
    assert {row["chunk_bytes"] for row in rows} == {64, 4096}
