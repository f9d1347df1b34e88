"""A doubt about a record: interruptions left little of its time.

Moments are left out for two reasons. Threads are interrupted, by other programs or by the host; that is a doubt. And in
each batch the caches fill first, also on a machine that runs nothing else; that is the method. The cost of
interruptions is the difference of the share that is left out and the share that would be left out without marked
blocks.
Blind to what an interruption costs outside of marked blocks and of the walks after them.
"""

from collections.abc import Sequence

from tierscope.record import warn
from tierscope.record.experiment import Experiment
from tierscope.record.machine import Cache
from tierscope.record.origin import steadier, strongest
from tierscope.record.result import SIZING, STOLEN, Blocks, GroupFacts, Warn
from tierscope.stats.contrast import VICTIM
from tierscope.stats.judged import Judged, judge_record

warn.state(busy="interruptions left less than half of the moments")

MOST = 0.5  # of the moments may be left out without a word
COST = 0.1  # of the moments, from which interruptions are worth one


def interrupted(
    experiment: Experiment,
    blocks: Blocks,
    hz: float,
    facts: Sequence[GroupFacts],
    ran: Sequence[int],
    caches: Sequence[Cache],
    found: Judged,
) -> list[Warn]:
    """Return the warning, or none; arguments as of `judge_record`, and what it returned.

    Some victims wait by nature, and a stall leaves moments empty where one operation is a block: none for these.
    """
    left_out = _left_out(found)
    single = any(group.workload.per_block == 1 for group in experiment.groups)
    if left_out <= MOST or single or any(group.role == VICTIM for group in experiment.groups):
        return []
    calm = blocks.copy()
    calm["flags"] &= SIZING
    cost = left_out - _left_out(judge_record(calm, hz, experiment, facts, ran, caches))
    if cost < COST:
        return []
    origin = strongest(fact.origin for fact in facts)
    longer = "" if origin == "simulated" else ", or give a longer budget"
    message = f"{100 * left_out:.0f} % of the moments left out, {100 * cost:.0f} % because {_cause(blocks)}"
    return [Warn(code="busy", message=message, next_step=f"{steadier(origin)}{longer}")]


def _left_out(found: Judged) -> float:
    return max(point.together.left_out_share for point in found.points)


def _cause(blocks: Blocks) -> str:
    """Report who interrupts, by the marks of most blocks."""
    marked = (blocks["flags"] | SIZING) != SIZING
    stolen = (blocks["flags"] & STOLEN) != 0
    return "the host took the CPU" if 2 * stolen.sum() > marked.sum() else "threads were interrupted"
