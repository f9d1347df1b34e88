"""The loop variant that a group ran with, for plans that use it again in another experiment."""

from tierscope.plans.answer import Answer
from tierscope.record.experiment import Group, Workload
from tierscope.record.work.line import LineWork


def walk_that_ran(answer: Answer, group: Group) -> Workload:
    """Return the workload of the first group with its loop variant, without a footprint; while planning the plain one.

    group: as it was asked for.
    """
    if answer.record is None:
        return group.workload
    facts = answer.record.groups[0]
    return Workload(
        kernel=facts.kernel,
        footprint_bytes=0,
        isa=facts.isa,
        work=LineWork(
            streams=facts.streams,
            unroll=facts.unroll,
            prefetch_bytes=facts.prefetch_bytes,
            prefetchw_bytes=facts.prefetchw_bytes,
            interleave_bytes=facts.interleave_bytes,
        ),
    )
