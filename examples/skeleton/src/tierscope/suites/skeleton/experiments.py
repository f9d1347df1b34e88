"""The smallest suite: one CPU reads footprints of several sizes.

Copy this folder, and give each name in it your own. Only this file, `row.py`, `table.py` and `method.py` are needed.
Write here what the suite measures, what it is blind to, and where the method is from.
Blind to: more threads, and stores.
Source: J. D. McCalpin, "Memory Bandwidth and Machine Balance in Current High Performance Computers", IEEE TCCA
Newsletter, 1995.
"""

from tierscope.plans import Option, Options, Plan, Suite, options, suites
from tierscope.plans.cpus import near_cpus
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.units import parse_bytes

# `tierscope suites`, the completion and the reference show name, default and help. A help is light Markdown: `code`,
# and links relative to docs/reference/. A default of None means "auto": then the plan finds the value itself.
# `options` has other types: size, count, seconds, share, rate.
OPTIONS: tuple[Option, ...] = (
    options.target("target", "node:0", "location of the bytes: `node:N`, `file:PATH`"),
    options.text("footprints", "1MiB,64MiB", "bytes that are read"),
    options.share("precision", 0.05, "half-width of the 95 % interval over the median"),
    options.seconds("budget", 0.2, "most seconds timed for one point"),
)


# A plan is a generator. It yields an experiment and is sent its answer, so that a later one may depend on an earlier
# one: `answer = yield Experiment(...)`. `resume` replays it: with the same answers it must yield the same experiments.
def plan(machine: Machine, chosen: Options) -> Plan:
    """Yield one experiment for each footprint."""
    target = Target.parse(str(chosen["target"]))
    cpu = near_cpus(machine, target)[0]
    schedule = Schedule(precision=float(chosen["precision"] or 0), budget_s=float(chosen["budget"] or 0))
    for word in options.words_of(chosen["footprints"]):
        size = parse_bytes(word)
        work = Workload(kernel="read", footprint_bytes=size)
        group = Group(workload=work, target=target, team=Team(cpus=(cpu,)), role="reader")
        # `table`: which table reads the record. `labels`: what the table needs to know of this point.
        yield Experiment(table="skeleton", groups=(group,), schedule=schedule, labels={"footprint_bytes": size})


# This line is all that makes the suite known. No list elsewhere names it.
# `details`, light Markdown too, is what the reference adds to the summary.
suites.add(
    Suite("skeleton", "read bandwidth of one CPU over footprints", OPTIONS, plan, details="One CPU reads each of them.")
)
