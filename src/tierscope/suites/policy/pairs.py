"""Reads that start together at random places, one timed block each, and the same of a cache as a control.

Source and inference: `stats.pairs`.
"""

from tierscope.plans import Plan
from tierscope.record.experiment import Experiment, Group, Schedule, Team, Workload
from tierscope.record.work.block import BlockWork
from tierscope.stats.pairs import NEAR_READS, PairLabels
from tierscope.suites.policy.setting import LEAST_BLOCK_S, Field
from tierscope.tables.policy_found import PAIRS
from tierscope.units import LINE_BYTES, KiB

SECONDS = 0.06  # of each point
NEAR_BYTES = 128 * KiB  # that a cache of any processor serves


def pairs(setting: Field) -> Plan:
    """Yield one read and two at random places, then one and many that a cache serves."""
    for reads, near in ((1, False), (2, False), (1, True), (NEAR_READS, True)):
        yield _together(setting, reads, near=near)


def _together(setting: Field, reads: int, *, near: bool) -> Experiment:
    """Return reads that start together; the blocks are ordered by time, and each is kept."""
    most = NEAR_BYTES if near else setting.memory_bytes // LINE_BYTES * LINE_BYTES
    work = Workload(
        kernel="read_blocks",
        footprint_bytes=most,
        work=BlockWork(element_bytes=LINE_BYTES, order="random"),
        per_block=reads,
    )
    group = Group(workload=work, target=setting.target, team=Team(cpus=(setting.cpu,)), role="reader")
    schedule = Schedule(precision=0.02, minimum_s=SECONDS, budget_s=SECONDS, block_s=setting.shorter * LEAST_BLOCK_S)
    labels = PairLabels(reads=reads, near=near)
    return Experiment(table=PAIRS, groups=(group,), schedule=schedule, labels=labels.stored())
