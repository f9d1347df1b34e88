"""The measured memory roofs of a machine, for programs that draw rooflines: conclusive bandwidths with their intervals.

A bandwidth that is inconclusive, and one of a memory that is not real, is not a roof; `left_out` has the reason.
Source: S. Williams, A. Waterman, D. Patterson, "Roofline: An Insightful Visual Performance Model for Multicore
Architectures", CACM 52(4), 2009.
"""

from collections.abc import Sequence
from typing import NamedTuple

from tierscope.errors import UsageError
from tierscope.record.machine import Machine
from tierscope.record.result import Run
from tierscope.stats.median import Interval
from tierscope.tables import JudgedRow, tables
from tierscope.tables.measured import sure

NO_COMPUTE = "Tierscope measures memory, and no floating-point rate: take it from the processor's manual or a benchmark"


class Roof(NamedTuple):
    """One kernel with one team on one target; bandwidth in program bytes/s with a 95 % interval."""

    kernel: str
    threads: int
    target: str
    footprint_bytes: int
    store: str
    bandwidth: Interval


class Roofs(NamedTuple):
    """All of a machine, the widest team last; what is not among them: its name -> why."""

    machine: Machine
    started: str
    roofs: list[Roof]
    left_out: dict[str, str]


def roofs(runs: Sequence[Run]) -> Roofs:
    """Return the roofs of one machine; of a point that several runs have, the last. UsageError for two machines."""
    machine = runs[-1].result.machine
    others = {run.result.machine.identity.digest() for run in runs} - {machine.identity.digest()}
    if others:
        raise UsageError("these runs are of several machines, and a roofline is of one: name the runs of one")
    found: dict[tuple[str, int, str], Roof] = {}
    left_out: dict[str, str] = {}
    for run in runs:
        for row in tables["stream"].rows(run):
            key = str(row.kernel), int(row.threads), str(row.target)
            name = f"{key[0]}, threads {key[1]}, {key[2]}"
            bandwidth = sure(row, row.bandwidth)
            if bandwidth is None or row.origin != "real":
                left_out[name] = _why(row)
                found.pop(key, None)
                continue
            left_out.pop(name, None)
            found[key] = Roof(*key, int(row.footprint_bytes), str(row.store), bandwidth)
    if not found and not left_out:
        raise UsageError("these runs contain no bandwidth of kernels; measure with: tierscope run stream")
    ordered = sorted(found.values(), key=lambda roof: (roof.target, roof.threads, roof.kernel))
    return Roofs(machine, runs[-1].result.started, ordered, left_out)


def _why(row: JudgedRow) -> str:
    if row.origin != "real":
        return f"the memory is {row.origin}"
    return "inconclusive: " + ("; ".join(row.reasons) or "no interval")


def highest(found: Roofs) -> Roof | None:
    """Return the highest roof of the widest team in memory of nodes; None where there is none."""
    real = [roof for roof in found.roofs if roof.target.startswith("node:")]
    widest = max((roof.threads for roof in real), default=0)
    return max((one for one in real if one.threads == widest), key=lambda one: one.bandwidth.middle, default=None)
