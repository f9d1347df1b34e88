"""A plan on a simulated machine: the same experiments in less virtual time, and no search for a loop variant.

A simulated machine has only the noise that is requested, so a twentieth of the time has as many blocks as needed:
blocks of 50 us instead of 1 ms. Beyond four threads each runs for less, down to twenty blocks, since all of them are
simulated one after the other. The machine does not drift, so that each point is visited once. It uses the requested
loop variant: no candidate is faster for reasons that a simulation knows. Any plan is wrapped, so that no suite depends
on this.
"""

from collections.abc import Callable, Iterable

import msgspec

from tierscope.errors import MachineError, UsageError
from tierscope.plans import Plan
from tierscope.record.experiment import Experiment

NAME = "sim"
PREFIX = f"{NAME}:"
SHORTER = 20.0  # times
THREADS = 4  # that are simulated for the whole of that time
SHORTEST_BLOCK_S = 1e-6  # that the core takes; blocks of single operations end when those do
LEAST_BLOCKS = 20  # of each thread
OF_ONE_MEMORY = "memory="


def counted(plan: Callable[[], Plan]) -> Plan:
    """Yield the experiments of `plan`, with those on simulated memory made shorter; the plan gets its own answers."""
    inner = plan()
    try:
        experiment = next(inner)
        while True:
            experiment = inner.send((yield _shorter(experiment)))
    except StopIteration:
        return


def _shorter(experiment: Experiment) -> Experiment:
    if not any(group.target.name == NAME for group in experiment.groups):
        return experiment
    asked = experiment.schedule
    threads = sum(len(group.team.cpus) for group in experiment.groups)
    block_s = max(asked.block_s / SHORTER, SHORTEST_BLOCK_S)
    times = SHORTER * max(1.0, threads / THREADS)
    schedule = msgspec.structs.replace(
        asked,
        block_s=block_s,
        minimum_s=max(asked.minimum_s / times, min(LEAST_BLOCKS * block_s, asked.minimum_s / SHORTER)),
        budget_s=max(asked.budget_s / times, min(LEAST_BLOCKS * block_s, asked.budget_s / SHORTER)),
        visits=0,
        piece_s=0.0,
    )
    return msgspec.structs.replace(experiment, schedule=schedule, calibrate=False)


def refuse_mixtures(experiments: Iterable[Experiment], formless: frozenset[str], *, many: bool = False) -> None:
    """Raise an error unless a run is on one machine, this one or one simulated; with `many`, on simulated ones.

    UsageError if targets name two; MachineError for a kernel on simulated memory that is among `formless`.
    """
    groups = [group for experiment in experiments for group in experiment.groups]
    words = [t.word for g in groups for t in g.targets if t.name != "null"]
    machines = {machine_of([word]): word for word in words}
    if len(machines) > 1 and ("" in machines or not many):
        one, other = sorted(machines.values())[:2]
        raise UsageError(
            f"targets {one} and {other} are on two machines; take sim: of one machine for all, and memory=NAME for its "
            "memories"
        )
    if not words or "" in machines:
        return
    for kernel in {group.workload.kernel for group in groups} & formless:
        raise MachineError(f"kernel {kernel} has no simulated form (tierscope catalogue); leave it out on {words[0]}")


def machine_of(words: Iterable[str]) -> str:
    """Return the first simulated machine that one of the targets' words names, as "sim:optane100"; "" if none does.

    The memory of the machine that contains a target is not part of the name.
    """
    for word in words:
        if word.startswith(PREFIX):
            return ",".join(part for part in word.split(",") if not part.startswith(OF_ONE_MEMORY))
    return ""
