"""Own runs of storage are audited by what fio counted: clean ones are silent, planted faults are found."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from made_storage import storage_run
from tierscope.audit import examine, programs
from tierscope.audit.own import statements
from tierscope.record.program import Moved, Program, Repeat
from tierscope.record.result import Run
from tierscope.tables import tables

WORDS = ("size=64MiB", "blocks=4KiB,128KiB", "orders=random", "depths=1,16")


def faults(run: Run) -> set[str]:
    return {one.identity for one in examine(statements(run)).failures}


def test_clean_runs_are_silent_also_where_they_are_noisy(tmp_path: Path) -> None:
    assert faults(storage_run(tmp_path / "quiet", *WORDS)) == set()
    noisy = storage_run(tmp_path / "noisy", *WORDS, noise=0.3)
    held = examine(statements(noisy))
    assert {one.identity for one in held.failures} == set()
    assert held.checked["littles_law"] == 12
    assert held.checked["operation_bytes"] == 12


def test_the_middle_of_a_bin_may_be_above_the_slowest_operation(tmp_path: Path) -> None:
    run = storage_run(tmp_path, "size=64MiB", "blocks=4KiB", "orders=random")
    rows = tables["storage"].flat(run)
    most = [{**row, "latency_most_s": float(row["latency_p999_s"] or 0) * 0.993} for row in rows]
    less = [{**row, "latency_most_s": float(row["latency_p999_s"] or 0) * 0.95} for row in rows]
    assert examine(statements(run, {"storage": most})).failures == ()
    assert {one.identity for one in examine(statements(run, {"storage": less})).failures} == {"spread"}


@pytest.mark.parametrize("engine", ["io_uring", "psync"])
@pytest.mark.parametrize("depth", [1, 4, 16, 64])
@pytest.mark.parametrize("seed", range(2))
def test_a_machine_under_load_breaks_no_law(tmp_path: Path, engine: str, depth: int, seed: int) -> None:
    """A program that must wait for its CPU, next to storage that stalls: latencies grow, and edges matter."""
    rng = np.random.default_rng([seed, depth])
    threads = depth if engine == "psync" else 1
    program = Program(
        name="fio", version="3.33", engine=engine, refused={}, threads=threads, direct=True, file_system="ext4",
        source="/dev/sda1", command="fio", repeats=tuple(queued(rng, depth, threads) for _ in range(3)),
    )  # fmt: skip
    run = storage_run(tmp_path, "size=64MiB", "preset=depths", "mixes=read", f"depths={depth}")
    (record,) = run.result.records
    for factor, holds in ((1.0, True), (3.0, False), (1000.0, False)):
        (one,) = programs.statements(msgspec.structs.replace(record, program=slower(program, factor)))
        found = examine([one])
        assert (found.failures == ()) is holds, found.failures
        assert found.checked["littles_law"] == 1
    if threads == 1 and depth > 1:
        (one,) = programs.statements(msgspec.structs.replace(record, program=slower(program, 1e-3)))
        assert "ms for us" in examine([one]).failures[0].why


def slower(program: Program, factor: float) -> Program:
    """The same with mean latencies that slipped by a factor."""
    repeats = tuple(
        msgspec.structs.replace(repeat, moved=tuple(
            msgspec.structs.replace(one, latency_mean_s=one.latency_mean_s * factor) for one in repeat.moved))
        for repeat in program.repeats
    )  # fmt: skip
    return msgspec.structs.replace(program, repeats=repeats)


RAMP_S, TIMED_S = 0.05, 0.2


def queued(rng: np.random.Generator, depth: int, threads: int) -> Repeat:
    """One repeat by fio's rules: operations that completed since the ramp are timed, those submitted since are counted.

    Each process fills its places, takes one completion, and fills that place again; before any step it may lose its CPU
    for some milliseconds. At the end it submits no more and completes the operations in flight.
    """
    waits: list[float] = []
    submitted, last = 0, 0.0
    for _ in range(threads):
        now, free, under_way = 0.0, 0.0, list[tuple[float, float]]()
        while now < RAMP_S + TIMED_S or under_way:
            while len(under_way) < depth // threads and now < RAMP_S + TIMED_S:
                free = max(free, now) + rng.exponential(2e-4) + 0.02 * (rng.random() < 0.003)
                under_way.append((now, free))
                submitted += now >= RAMP_S
                now += 2e-6 + _lost(rng)
            began, done = under_way.pop(0)
            now = max(now, done) + _lost(rng)
            if now >= RAMP_S:
                waits.append(now - began)
            now += _lost(rng)
        last = max(last, now)
    moved = Moved(
        side="read", operations=submitted, bytes=submitted * 4096, seconds=int((last - RAMP_S) * 1e3) / 1e3,
        latency_least_s=min(waits), latency_mean_s=float(np.mean(waits)), latency_most_s=max(waits),
    )  # fmt: skip
    return Repeat(cpu_user=0.1, cpu_system=0.1, moved=(moved,))


def _lost(rng: np.random.Generator) -> float:
    """Seconds for which other programs had the CPU."""
    return float(rng.exponential(4e-3)) if rng.random() < 0.02 else 0.0


@pytest.mark.parametrize(("field", "identity"), [("latency_mean_s", "littles_law"), ("bytes", "operation_bytes")])
def test_a_planted_fault_is_found(tmp_path: Path, field: str, identity: str) -> None:
    run = storage_run(tmp_path, *WORDS)
    record = next(one for one in run.result.records if one.experiment.labels["depth"] == 16)
    assert record.program is not None
    wrong = tuple(
        msgspec.structs.replace(
            repeat,
            moved=tuple(msgspec.structs.replace(one, **{field: getattr(one, field) * 3}) for one in repeat.moved),
        )
        for repeat in record.program.repeats
    )
    program = msgspec.structs.replace(record.program, repeats=wrong)
    records = tuple(
        msgspec.structs.replace(one, program=program) if one.number == record.number else one
        for one in run.result.records
    )
    changed = msgspec.structs.replace(run, result=msgspec.structs.replace(run.result, records=records))
    assert identity in faults(changed)
