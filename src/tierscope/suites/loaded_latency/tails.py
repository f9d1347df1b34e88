"""Batches of few accesses, each timed alone: the time of the slowest accesses, idle and under load.

Three takes alternate: a batch of nothing, which measures the clock itself; the chaser alone; the chaser with the load.
A batch of one access is a single access. A longer batch is the mean of its accesses, which hides the slowest of them. A
visit times as many batches as its samples have space for, about 300 000 of each take, so that the 99.99th percentile
has an interval.
Blind to accesses that follow each other without a pause: between two batches the program asks the system for context
switches, which may evict an entry of the TLB or a line of the first cache.
Source: H. A. David and H. N. Nagaraja, "Order Statistics", 2003; G. Paoloni, Intel white paper 324264, 2010.
"""

import msgspec

from tierscope.plans.loaded import LoadLabels
from tierscope.record.experiment import Experiment, Group, Schedule, Target
from tierscope.record.work.call import CallWork
from tierscope.suites.loaded_latency.labels import TailLabels

VISIT_S = 0.75  # of each take; the chaser is done when its samples are full, after a third or so
BLOCK_S = 10e-6  # of the load; samples have space for 4x the blocks that fit a visit: 300 000
TAKES = ((0,), (1,), (1, 2))  # the clock; the chaser alone; both
CLOCK, IDLE, LOADED = range(3)


def tail(one: Experiment, hops: int, mix: str) -> Experiment:
    """Return the point again with batches of `hops` accesses. one: the chaser with a load."""
    chase, load = one.groups
    work = msgspec.structs.replace(chase.workload, per_block=hops)
    nothing = msgspec.structs.replace(work, kernel="noop", footprint_bytes=0, work=CallWork(), per_block=1)
    clock = Group(workload=nothing, target=Target(name="null", where=""), team=chase.team, role="clock", shared=True)
    visits = max(one.schedule.visits, 1)
    labels = TailLabels(**msgspec.structs.asdict(LoadLabels.read(one)), mix=mix, hops=hops)
    return Experiment(
        table="latency_tail",
        groups=(clock, msgspec.structs.replace(chase, workload=work, shared=True), load),  # in no take together
        schedule=Schedule(
            block_s=BLOCK_S,
            precision=one.schedule.precision,
            minimum_s=VISIT_S * visits,
            budget_s=VISIT_S * visits,
            visits=one.schedule.visits,
            piece_s=VISIT_S,
        ),
        labels=labels.stored(),
        calibrate=one.calibrate,
        note=one.note,
        takes=TAKES,
    )
