"""Memory traffic of others: our own curve of latency over load, and then one CPU that chases pointers for a while.

The curve comes first. It is measured by the plan of `loaded-latency`, or taken from a run that has one (`curve=RUN`).
The probe is the chaser of the curve, alone, on the same memory: traffic of others makes its accesses slower.

Batches of additions in registers (`busy`) alternate with the probe on the same CPU. They do not touch memory, so
traffic does not slow them. They are slower if a host or a limit takes time from the CPU, with a busy sibling, or at a
lower clock. CPUs of a simulated machine are cores, so there the chaser runs alone.

The method is in `stats.traffic`.
"""

from collections.abc import Generator
from pathlib import Path
from typing import Annotated, Any

import msgspec

from tierscope.errors import UsageError
from tierscope.plans import Plan, Suite, SuiteOptions, suites
from tierscope.plans.answer import Answer
from tierscope.plans.kinds import Help, Names, Numbers, Share, Size, Time, Visits
from tierscope.plans.simulation import NAME as SIMULATED
from tierscope.plans.usual import PageSize
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Workload
from tierscope.record.machine import Machine
from tierscope.record.result import Run, load
from tierscope.record.work.call import CallWork
from tierscope.suites.background.known import BEFORE, CURVES, Known, chaser_of, known_of
from tierscope.suites.background.labels import WatchLabels

IN_CORE = "busy"
BATCH_S = 0.05  # length of a piece: fifty blocks
BEFORE_S = 1.0
MIXES = ("read", "write", "write_nt")  # all reads; one line of each, since a plain store reads its line; all writes
DELAYS = (0, 50, 200, 1000, 5000, 20000)


class BackgroundOptions(SuiteOptions, frozen=True, kw_only=True):
    """Options of `tierscope run background`."""

    duration: Annotated[Time, Help("how long the memory is watched")] = 10.0
    window: Annotated[Time, Help("one row for each of these times")] = 1.0
    curve: Annotated[
        str | None,
        Help("a run of this machine with `loaded_latency`, whose curves are used; auto: they are measured first"),
    ] = None
    target: Annotated[Target, Help("the memory that is watched; with `curve=` it is that of the run")] = Target()
    pages: PageSize = "thp"
    mixes: Annotated[Names, Help("load kernels of the curves, as for `loaded-latency`")] = MIXES
    delays: Annotated[Numbers, Help("core cycles of delay after each burst of a load")] = DELAYS
    cpus: Annotated[Numbers | None, Help("CPUs to use, the probe's first; auto: as for `loaded-latency`")] = None
    array: Annotated[Size | None, Help("bytes of each array, as for `stream`")] = None
    precision: Annotated[Share, Help("half of the 95 % interval over the median, of the loads of the curve")] = 0.02
    budget: Annotated[Time, Help("most seconds timed for one load of the curve")] = 1.0
    visits: Visits = 3


def plan(machine: Machine, chosen: BackgroundOptions) -> Plan:
    """Yield the experiments of the curve, unless a run has one, then the watch."""
    if chosen.curve is None:
        chaser = yield from _measured(machine, chosen)
        if chaser is not None:
            yield watch(chaser, chosen)
        return
    run = _stored(chosen.curve, machine)
    chaser, known = chaser_of(run), known_of(run)
    if chaser is None or not known.mixes:
        raise UsageError(
            f"curve={chosen.curve}: this run has no loads with a chaser; name a run of background, loaded-latency or "
            "quick"
        )
    if known.doubt:
        raise UsageError(f"curve={chosen.curve}: {known.doubt}; name a run of a quiet time")
    yield watch(chaser, chosen, known)


def _stored(path: str, machine: Machine) -> Run:
    """Return the run that the user named; UsageError for a run of another machine."""
    run = load(Path(path))
    if run.result.machine.identity.digest() != machine.identity.digest():
        raise UsageError(
            f"curve={path}: this run is of {run.result.machine.hostname}, whose hardware, kernel or CPUs differ from "
            "these; leave curve= out to measure one here"
        )
    return run


def _measured(machine: Machine, chosen: BackgroundOptions) -> Generator[Experiment, Answer, Group | None]:
    """Yield all threads with each delay, then fewer without delay, which load it more evenly; return the chaser."""
    names = ("target", "pages", "mixes", "delays", "cpus", "array", "precision", "budget", "visits")
    words = {name: getattr(chosen, name) for name in names}
    loads = yield from _loads(machine, words, chosen)
    if not loads:
        return None
    chaser, *_ = loads[0].groups
    most = max(len(load.groups[-1].team.cpus) for load in loads)
    fewer = tuple(1 << power for power in range(most.bit_length()) if 1 << power < most)
    if fewer:
        own = {"array": chaser.workload.footprint_bytes, "delays": (0,), "load_threads": fewer}
        yield from _loads(machine, words | own)
    return chaser


def _loads(
    machine: Machine, words: dict[str, Any], first: BackgroundOptions | None = None
) -> Generator[Experiment, Answer, list[Experiment]]:
    """Yield the experiments of `loaded-latency`; return its loads. first: watches the core for a moment before them."""
    other, found = suites["loaded-latency"], list[Experiment]()
    inner = other.plan(machine, other.options(**words))
    try:
        experiment = next(inner)
        while True:
            if experiment.table == CURVES and experiment.takes:
                if not found and first is not None:
                    yield before(experiment.groups[0], first)
                found.append(experiment)
            experiment = inner.send((yield experiment))
    except StopIteration:
        return found


def watch(chaser: Group, chosen: BackgroundOptions, known: Known | None = None) -> Experiment:
    """Return the experiment of the probe. known: curves of another run, to record; None: this run has them."""
    groups = [chaser]
    if chaser.target.name != SIMULATED:
        inside = Workload(kernel=IN_CORE, footprint_bytes=0, work=CallWork())
        groups.append(Group(workload=inside, target=Target(name="null", where=""), team=chaser.team))
    takes = len(groups)
    schedule = Schedule(
        precision=chosen.precision, minimum_s=BATCH_S, budget_s=chosen.duration / takes, piece_s=chosen.duration / takes
    )
    labels = WatchLabels(window_s=chosen.window, curve=chosen.curve)
    if known is not None:
        labels = msgspec.structs.replace(labels, known=msgspec.json.encode(known).decode())
    return Experiment(
        table="background",
        groups=tuple(groups),
        schedule=schedule,
        labels=labels.stored(),
        takes=tuple((number,) for number in range(takes)),
        against=tuple(range(takes)),
    )


def before(chaser: Group, chosen: BackgroundOptions) -> Experiment:
    """Return a short watch before the curve. It measures the core's speed, to compare with that during the watch."""
    found = watch(chaser, msgspec.structs.replace(chosen, duration=min(BEFORE_S, chosen.duration)))
    labels = msgspec.structs.replace(WatchLabels.read(found), part=BEFORE)
    return msgspec.structs.replace(found, labels=labels.stored())


suites.add(
    Suite(
        "background",
        "how much memory traffic others cause, without counters",
        BackgroundOptions,
        plan,
        kernels=True,
        details="Measures how latency rises with a known load, unless `curve=` names a run that did. Then one CPU "
        "watches the latency for `duration`, and the curve shows which traffic explains it. Needs two CPUs for the "
        "curve, and one CPU to watch. See [how to measure the traffic of others](../how-to/background.md).",
    )
)
