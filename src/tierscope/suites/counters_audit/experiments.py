"""Audit of counters: kernels whose bytes are known run next to every event that this machine counts.

Each kernel moves a known number of lines for each operation: lines that the program reads, lines that are read because
a plain store needs them, and lines written. Kernels differ in these shares, so an event that follows one of them
follows no other. Each kernel is repeated, because a count of one experiment has no interval. One CPU runs them, on
arrays that exceed the caches.
Blind to events that other CPUs or devices cause, such as those of a memory controller that neighbors use too.
Source: likwid, "likwid-bench and the accuracy of its events" (wiki, validation of performance groups); J. Treibig,
G. Hager, G. Wellein, "LIKWID: A Lightweight Performance-Oriented Tool Suite for x86 Multicore Environments", 2010.
"""

from typing import Annotated

from tierscope.plans import Plan, Suite, SuiteOptions, suites
from tierscope.plans.kernels import walk_of
from tierscope.plans.kinds import Help, Names, Size, Time, several
from tierscope.plans.sizes import chosen_array
from tierscope.plans.usual import PageSize
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.record.work.hop import HopWork
from tierscope.record.work.line import LineWork
from tierscope.suites.counters_audit.labels import EventLabels

KERNELS = ("read", "write", "write_nt", "copy", "copy_nt", "triad", "update", "chase")
REPEATS = 5  # of each kernel: an interval with four degrees of freedom
EVERY = "every"


class CountersAuditOptions(SuiteOptions, frozen=True, kw_only=True):
    """Options of `tierscope run counters-audit`."""

    counters: Annotated[
        str,
        Help("events to audit, as for every suite; `every`: all that this machine counts, with its metrics"),
    ] = EVERY
    target: Annotated[Target, Help("where the bytes live; a simulated machine audits its own counts")] = Target()
    pages: PageSize = "thp"
    kernels: Annotated[Names, several("kernel", KERNELS), Help("kernels whose bytes are known")] = KERNELS
    array: Annotated[Size | None, Help("bytes of each array, as for `stream`")] = None
    cpu: Annotated[int | None, Help("CPU that runs them; auto: the first one near the target")] = None
    repeats: Annotated[int, Help("experiments of each kernel, three at least for an interval")] = REPEATS
    budget: Annotated[Time, Help("seconds of each experiment")] = 0.5


def plan(machine: Machine, chosen: CountersAuditOptions) -> Plan:
    """Yield all kernels once before the next repeat, so that drift affects all of them."""
    cpu = chosen.cpu if chosen.cpu is not None else machine.cpus()[0]
    memory = yield from chosen_array(machine, chosen.array, None, (cpu,), cpu, chosen.target)
    schedule = Schedule(precision=0.05, minimum_s=chosen.budget, budget_s=chosen.budget, visits=0)
    for repeat in range(chosen.repeats):
        for kernel in chosen.kernels:
            chase = kernel == "chase"
            arrays, share = (
                (1, 1.0) if chase else (walk_of(machine, kernel).arrays, walk_of(machine, kernel).read_share)
            )
            work = Workload(
                kernel=kernel, footprint_bytes=arrays * memory.array_bytes, work=HopWork() if chase else LineWork()
            )
            group = Group(workload=work, target=chosen.target.on(chosen.pages), team=Team(cpus=(cpu,)), role=kernel)
            labels = EventLabels(kernel=kernel, repeat=repeat, read_share=share).stored()
            yield Experiment(table="event_counts", groups=(group,), schedule=schedule, labels=labels, note=memory.note)


def _walk(machine: Machine, kernel: str) -> tuple[int, float]:
    """Return the number of arrays of a kernel on lines, and the share of its program bytes that it reads."""
    walk = walk_of(machine, kernel)
    return walk.arrays, walk.read_share


suites.add(
    Suite(
        "counters-audit",
        "known bytes next to every performance event of this machine: what each one really counts",
        CountersAuditOptions,
        plan,
        kernels=True,
        details="See [how to audit counters](../how-to/counters.md#audit-the-events).",
    )
)
