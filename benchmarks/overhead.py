"""The cost of Tierscope itself: blocks around nothing, on the target without memory.

    python benchmarks/overhead.py

Prints the clock's resolution, the cost of one timed block, and its share of a block of the default length; and the
share of a thread's time between blocks, where marks are read.
"""

import statistics
import sys

from tierscope import core
from tierscope.record.experiment import Group, Schedule, Target, Team, Workload
from tierscope.record.result import SIZING
from tierscope.record.work.call import CallWork
from tierscope.run.planned import this_machine

ALLOWED = 0.005


def main() -> int:
    cpu = this_machine(None).cpus()[0]
    group = Group(
        workload=Workload(kernel="noop", footprint_bytes=0, work=CallWork()),
        target=Target.parse("null"),
        team=Team(cpus=(cpu,)),
    )
    block_s = Schedule().block_s
    with core.Session() as session:
        session.prepare([group])
        clock = session.clock
        full = session.measure(0.5, block_s)
    timed = full[(full["flags"] & SIZING) == 0]
    gaps = (timed["start_ticks"][1:] - timed["stop_ticks"][:-1]) / clock.hz
    share = clock.read_cost_s / block_s
    print(f"clock {clock.source}, {clock.hz / 1e9:.4f} GHz, resolution {clock.resolution_s * 1e9:.1f} ns")
    print(f"one pair of reads {clock.read_cost_s * 1e9:.1f} ns: {share:.4%} of a block of {block_s * 1e3:g} ms")
    print(f"between blocks, not timed: {statistics.median(gaps.tolist()) * 1e6:.2f} us (median)")
    return 0 if share < ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main())
