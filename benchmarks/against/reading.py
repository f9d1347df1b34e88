"""One figure of one tool, and what a peer is."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

PATIENCE_S = 120.0  # no peer needs longer for one run of the default size on a machine that is not broken


class PeerError(RuntimeError):
    """A peer that is there but did not give what it should; the comparison goes on without it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Bytes per second as the tool itself printed them, in STREAM's count; None is what it does not print."""

    tool: str
    kernel: str  # what it did, in our words: "copy_nt", "memcpy"
    variant: str  # which of the tool's own: "copy_mem_avx512"
    best: float | None
    average: float | None


@dataclass(frozen=True, slots=True)
class Task:
    """What every tool of a round is asked for."""

    threads: int
    array_bytes: int  # of each operand


class Peer(Protocol):
    """One tool. `runs`: kernels that one process of it measures together, in our words."""

    name: str
    pages: str  # "thp" or "4k": what its memory lies on
    runs: tuple[tuple[str, ...], ...]

    def run(self, kernels: tuple[str, ...], task: Task) -> list[Reading]:
        """One process; PeerError if it fails or prints something else than it did."""

    def array_bytes(self, wanted: int) -> int:
        """The operand size it will really use."""


def pinned(threads: int) -> dict[str, str]:
    """Environment: OpenMP threads on CPUs 0, 1, ...; malloc's memory on huge pages, which glibc does from 2.35 on."""
    return {
        **os.environ,
        "OMP_NUM_THREADS": str(threads),
        "OMP_PLACES": ",".join(f"{{{cpu}}}" for cpu in range(threads)),
        "OMP_PROC_BIND": "close",
        "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
        "LC_ALL": "C",
    }


def output(command: list[str | Path], threads: int) -> str:
    """Standard output of a peer; its threads kept to CPUs 0 .. threads - 1."""
    cpus = f"0-{threads - 1}"
    try:
        done = subprocess.run(
            ["taskset", "-c", cpus, *map(str, command)],
            capture_output=True, text=True, check=False, env=pinned(threads), timeout=PATIENCE_S,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PeerError(f"{command[0]}: {error}") from error
    if done.returncode != 0:
        raise PeerError(f"{command[0]} ended with {done.returncode}: {(done.stderr or done.stdout).strip()[-200:]}")
    return done.stdout
