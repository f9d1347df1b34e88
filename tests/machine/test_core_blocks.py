"""Blocks: what timing costs, what is marked, and whether groups run at the same time. Ratios, never speeds."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from border import CPUS, Talk, is_sanitized
from tierscope.record.result import BLOCK, PREEMPTED, SIZING, Blocks


def load(samples: Path) -> Blocks:
    """The blocks that are not sizing, in order of time."""
    blocks = np.load(samples)
    assert blocks.dtype == BLOCK
    blocks = blocks[blocks["flags"] & SIZING == 0]
    return np.sort(blocks, order="start_ticks")


@contextmanager
def busy(cpu: int) -> Iterator[None]:
    """Another process that never sleeps on this CPU."""
    code = f"import os\nos.sched_setaffinity(0, {{{cpu}}})\nprint(flush=True)\nwhile True: pass"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        yield
    finally:
        process.kill()
        process.communicate()


def switches(pid: int) -> dict[int, int]:
    """CPU -> context switches of the thread that is pinned to it, by the kernel's own count."""
    found = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        lines = dict(line.split(":\t", 1) for line in (task / "status").read_text().splitlines() if ":\t" in line)
        if lines["Cpus_allowed_list"].isdigit() and int(task.name) != pid:
            count = int(lines["voluntary_ctxt_switches"]) + int(lines["nonvoluntary_ctxt_switches"])
            found[int(lines["Cpus_allowed_list"])] = count
    return found


def two_cpus() -> str:
    if len(CPUS) < 2:
        pytest.skip("one CPU: nothing can run at once")
    return f"{CPUS[0]},{CPUS[1]}"


def test_timing_costs_less_than_half_a_percent_of_a_block(tmp_path: Path) -> None:
    """Within a block: one pair of reads. Between blocks: the books. Medians, since others run here, too."""
    if is_sanitized():
        pytest.skip("a sanitizer is what would be timed")
    with Talk("--samples", str(tmp_path / "x.npy")) as talk:
        talk.prepare(f"kernel=noop target=null cpus={CPUS[0]}")
        talk.say("measure seconds=0.5 block=1ms")
        clock = talk.hello["clock"]
    blocks = load(tmp_path / "x.npy")
    assert len(blocks) > 50
    block = np.median(blocks["stop_ticks"] - blocks["start_ticks"])
    between = np.median(blocks["start_ticks"][1:] - blocks["stop_ticks"][:-1])
    assert (clock["read_cost_s"] * clock["hz"] + between) / block < 0.005


def test_a_block_that_was_interrupted_is_marked_and_no_other(tmp_path: Path) -> None:
    """The kernel's own count of each thread's switches is the judge, so that a busy machine spoils nothing."""
    cpus = two_cpus()
    with Talk("--samples", str(tmp_path / "x.npy")) as talk:
        talk.prepare(f"kernel=noop target=null cpus={cpus}")
        before = switches(talk.process.pid)
        with busy(CPUS[0]):
            talk.say("measure seconds=1 block=1ms")
        after = switches(talk.process.pid)
    blocks = load(tmp_path / "x.npy")
    assert ((blocks["flags"] & PREEMPTED != 0) == (blocks["switches"] > 0)).all()
    for thread in (0, 1):
        mine = blocks[blocks["thread"] == thread]
        counted = after[CPUS[thread]] - before[CPUS[thread]]
        assert mine["switches"].sum() <= counted
        assert (mine["flags"] & PREEMPTED != 0).sum() <= counted
    assert (blocks["flags"][blocks["thread"] == 0] & PREEMPTED != 0).sum() >= 5


def test_groups_run_at_the_same_time(tmp_path: Path) -> None:
    two_cpus()
    with Talk("--samples", str(tmp_path / "x.npy")) as talk:
        talk.prepare(
            f"kernel=read cpus={CPUS[0]} footprint=4MiB pages=4k",
            f"kernel=chase cpus={CPUS[1]} footprint=64KiB pages=4k",
        )
        assert talk.say("measure seconds=1 block=1ms")["fact"] == "measured"
    blocks = load(tmp_path / "x.npy")
    groups = [blocks[blocks["group"] == group] for group in (0, 1)]
    begins, ends = [g["start_ticks"].min() for g in groups], [g["stop_ticks"].max() for g in groups]
    together = int(min(ends)) - int(max(begins))
    assert together / (int(max(ends)) - int(min(begins))) >= 0.9


def test_blocks_of_a_thread_follow_each_other(tmp_path: Path) -> None:
    with Talk("--samples", str(tmp_path / "x.npy")) as talk:
        (facts,) = talk.prepare(f"kernel=triad cpus={CPUS[0]} footprint=4MiB pages=4k")
        for _ in range(3):
            talk.say("measure seconds=0.05 block=1ms")
    blocks = load(tmp_path / "x.npy")
    assert (blocks["start_ticks"][1:] >= blocks["stop_ticks"][:-1]).all()
    assert set(blocks["batch"]) == {0, 1, 2}
    assert (blocks["operations"] > 0).all()
    assert facts["program_bytes_per_operation"] == 192


def test_an_idle_team_takes_no_time() -> None:
    """Threads sleep between batches: what they used is the kernel's count of their time."""
    with Talk() as talk:
        talk.prepare(f"kernel=noop target=null cpus={CPUS[0]}")
        talk.say("measure seconds=0.1")
        stat = Path(f"/proc/{talk.process.pid}/stat")

        def used() -> float:
            fields = stat.read_text().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

        before = used()
        subprocess.run(["sleep", "0.5"], check=True)
        assert used() - before <= 0.02  # a tick or two of rounding
