"""A doubt about all that follows: two CPUs that the system lists as two cores are one."""

from tierscope.record import warn
from tierscope.record.experiment import Experiment
from tierscope.record.machine import Machine
from tierscope.record.result import Warn
from tierscope.stats.judged import Judged
from tierscope.suites.sharing.verdict import SHARED, sharing_of

warn.state(one_core="two CPUs share a core that the system lists as two")

STEP = "count them as one CPU when you read bandwidths of several threads, or ask the host for cores of your own"


def hidden_core(experiment: Experiment, found: Judged, machine: Machine) -> list[Warn]:
    """Return a warning where a pair of CPUs was measured to share a core and is not listed so."""
    if experiment.table != "sharing" or sharing_of(found, experiment.schedule).core != SHARED:
        return []
    a, b = (group.team.cpus[0] for group in experiment.groups[:2])
    cores = {cpu.number: (cpu.package, cpu.core) for cpu in machine.identity.cpus}
    if cores[a] == cores[b]:
        return []
    message = f"CPU {a} and CPU {b} share a core although the system lists them as two"
    return [Warn(code="one_core", message=message, next_step=STEP)]
