"""The cost of counting performance events: nothing in the timed part, and a little outside of it.

    python benchmarks/overhead_counters.py

Blocks with and without counters alternate, in rounds of a tenth of a second each. Calls of nothing show what the two
reads of the clock and the counters leave in the timed part. Reads of 32 KiB use lines that the kernel may push out of
the nearest cache between blocks. The script prints the time of an operation with counters over that without, with the
95 % interval of the rounds, for blocks of the default length and of 50 us; and the time between blocks.
"""

import statistics
import sys

import numpy as np

from tierscope import core
from tierscope.metrics import metrics_for
from tierscope.record.experiment import Group, Schedule, Target, Team, Workload
from tierscope.record.result import Blocks
from tierscope.record.work import Work
from tierscope.record.work.call import CallWork
from tierscope.record.work.line import LineWork
from tierscope.run.planned import this_machine
from tierscope.stats.median import median
from tierscope.units import KiB

ROUNDS, ROUND_S = 30, 0.1
ALLOWED = 0.01  # of the time of an operation in blocks of the default length
LENGTHS_S = (Schedule().block_s, 50e-6)


def main() -> int:
    machine = this_machine(None)
    events, cpu = metrics_for(machine.identity.family).words(), machine.cpus()[0]
    groups = {"nothing": _group("noop", CallWork(), 0, "null", cpu),
              "read of 32 KiB": _group("read", LineWork(), 32 * KiB, "node:0", cpu)}  # fmt: skip
    worst = 0.0
    with core.Session() as session:
        for name, group in groups.items():
            for block_s in LENGTHS_S:
                session.prepare([group])
                pairs, gaps = _rounds(session, events, block_s)
                found = median(np.array(pairs))
                print(f"{name}, blocks of {block_s * 1e6:.0f} us: with counters {100 * (found.middle - 1):+.3f} % "
                      f"({100 * (found.low - 1):+.3f} to {100 * (found.high - 1):+.3f}); between blocks "
                      f"{gaps[1]:.2f} us instead of {gaps[0]:.2f} us")  # fmt: skip
                worst = max(worst, found.low - 1 if block_s == LENGTHS_S[0] else 0.0)
        counting = session.count(events)
    counted = sum(not one.reason for one in counting.events)
    print(f"{counted} of {len(counting.events)} events counted; one start and stop {counting.pair_s * 1e6:.2f} us")
    return 0 if worst < ALLOWED else 1


def _group(kernel: str, work: Work, size: int, target: str, cpu: int) -> Group:
    asked = Workload(kernel=kernel, footprint_bytes=size, work=work)
    return Group(workload=asked, target=Target.parse(target), team=Team(cpus=(cpu,)))


def _rounds(session: core.Session, events: str, block_s: float) -> tuple[list[float], tuple[float, float]]:
    """Return the ratios of the rounds, and the median gap between blocks without and with counters in us."""
    session.measure(ROUND_S, block_s)  # finds the size of a block
    ratios, gaps = [], ([], [])  # type: tuple[list[float], tuple[list[float], list[float]]]
    for turn in range(ROUNDS):
        times = [0.0, 0.0]
        for counted in (0, 1) if turn % 2 else (1, 0):
            session.count(events if counted else "")
            blocks = session.measure(ROUND_S, block_s)
            times[counted] = _of_operation(blocks)
            gaps[counted].append(_gap(blocks, session.clock.hz))
        ratios.append(times[1] / times[0])
    return ratios, (statistics.median(gaps[0]), statistics.median(gaps[1]))


def _of_operation(blocks: Blocks) -> float:
    """Return ticks, the median of the clean blocks; sizing and preempted blocks measure something else."""
    clean = blocks[blocks["flags"] == 0]
    return float(np.median((clean["stop_ticks"] - clean["start_ticks"]) / clean["operations"]))


def _gap(blocks: Blocks, hz: float) -> float:
    clean = blocks[blocks["flags"] == 0]
    return float(np.median(clean["start_ticks"][1:] - clean["stop_ticks"][:-1])) / hz * 1e6


if __name__ == "__main__":
    sys.exit(main())
