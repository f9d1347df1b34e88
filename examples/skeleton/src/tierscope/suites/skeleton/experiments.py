"""The smallest suite: one CPU reads footprints of several sizes.

Copy this folder, and give each name in it your own. Only this file, `row.py`, `table.py` and `method.py` are needed.
Write here what the suite measures, what it is blind to, and the source of the method.
Blind to: more threads, and stores.
Source: J. D. McCalpin, "Memory Bandwidth and Machine Balance in Current High Performance Computers", IEEE TCCA
Newsletter, 1995.
"""

from typing import Annotated

from tierscope.plans import Plan, Suite, SuiteOptions, suites
from tierscope.plans.cpus import near_cpus
from tierscope.plans.kinds import Help, Seconds, Share, Sizes
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.record.work.line import LineWork
from tierscope.suites.skeleton.labels import SkeletonLabels
from tierscope.units import MiB


# `tierscope suites`, the completion and the reference show name, default and help. A help is light Markdown: `code`,
# and links relative to docs/reference/. A default of None means "auto": then the plan finds the value itself.
# The type of a field determines how its value is read: `plans.kinds` has sizes, seconds, shares, rates, names and
# numbers. `plans.usual` has whole options that several suites share. Bounds are those of msgspec:
# `Annotated[int, Meta(ge=1, le=32)]`. A value that its type does not allow ends the command.
class SkeletonOptions(SuiteOptions, frozen=True, kw_only=True):
    """Options of `tierscope run skeleton`."""

    target: Annotated[Target, Help("location of the bytes: `node:N`, `file:PATH`")] = Target()
    footprints: Annotated[Sizes, Help("bytes that are read")] = (MiB, 64 * MiB)
    precision: Annotated[Share, Help("half-width of the 95 % interval over the median")] = 0.05
    budget: Annotated[Seconds, Help("most seconds timed for one point")] = 0.2


# A plan is a generator. It yields an experiment and is sent its answer, so that a later one may depend on an earlier
# one: `answer = yield Experiment(...)`. `resume` replays it: with the same answers it must yield the same experiments.
def plan(machine: Machine, chosen: SkeletonOptions) -> Plan:
    """Yield one experiment for each footprint."""
    cpu = near_cpus(machine, chosen.target)[0]
    schedule = Schedule(precision=chosen.precision, budget_s=chosen.budget)
    for size in chosen.footprints:
        work = Workload(kernel="read", footprint_bytes=size, work=LineWork())
        group = Group(workload=work, target=chosen.target, team=Team(cpus=(cpu,)), role="reader")
        # `table`: which table reads the record. `labels`: what the table needs to know of this point.
        labels = SkeletonLabels(footprint_bytes=size).stored()
        yield Experiment(table="skeleton", groups=(group,), schedule=schedule, labels=labels)


# This line is all that makes the suite known. No list elsewhere names it.
# `details`, light Markdown too, is what the reference adds to the summary.
suites.add(
    Suite(
        "skeleton",
        "read bandwidth of one CPU over footprints",
        SkeletonOptions,
        plan,
        details="One CPU reads each of them.",
    )
)
