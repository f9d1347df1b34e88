"""One figure of one tool, and what a peer is."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

PATIENCE_S = 120.0  # no peer needs longer for one run of the default size on a machine that is not broken


class PeerError(RuntimeError):
    """A peer that is present but did not print a result; the comparison continues without it."""


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
    """The task of every tool of a round."""

    threads: int
    array_bytes: int  # of each operand


class Peer(Protocol):
    """One tool. `runs`: kernels that one process of it measures together, in our words."""

    name: str
    pages: str  # "thp" or "4k": the pages of its memory
    runs: tuple[tuple[str, ...], ...]

    def run(self, kernels: tuple[str, ...], task: Task) -> list[Reading]:
        """Run one process; PeerError if it fails or prints something else than it did."""

    def array_bytes(self, wanted: int) -> int:
        """Return the operand size that it will really use."""


def pinned(threads: int) -> dict[str, str]:
    """Return variables: OpenMP threads on CPUs 0, 1, ...; malloc's memory on huge pages (glibc 2.35 or later)."""
    return {
        **os.environ,
        "OMP_NUM_THREADS": str(threads),
        "OMP_PLACES": ",".join(f"{{{cpu}}}" for cpu in range(threads)),
        "OMP_PROC_BIND": "close",
        "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
        "LC_ALL": "C",
    }


def output(command: list[str | Path], threads: int) -> str:
    """Return the standard output of a peer; its threads kept to CPUs 0 .. threads - 1."""
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
