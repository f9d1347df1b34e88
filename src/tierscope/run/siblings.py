"""A doubt about a moment: two CPUs were SMT siblings, threads of one core, that the system lists as two cores."""

from datetime import datetime

from tierscope.record import warn
from tierscope.record.experiment import Experiment
from tierscope.record.machine import Machine
from tierscope.record.result import Warn
from tierscope.stats.judged import Judged
from tierscope.suites.sharing.verdict import SHARED, sharing_of

warn.state(one_core="two CPUs shared a core, at that moment, that the system lists as two")

STEP = (
    "count them as one CPU in numbers of several threads near that time; tierscope run sharing shows whether it lasts"
)


def hidden_siblings(experiment: Experiment, found: Judged, machine: Machine, at: datetime) -> list[Warn]:
    """Return a warning where two CPUs were measured to be siblings, threads of one core, and are not listed so.

    at: start of the measurement. One moment does not show whether it lasts: the table compares the moments.
    """
    if experiment.table != "sharing" or sharing_of(found, experiment.schedule).core != SHARED:
        return []
    a, b = (group.team.cpus[0] for group in experiment.groups[:2])
    cores = {cpu.number: (cpu.package, cpu.core) for cpu in machine.identity.cpus}
    if cores[a] == cores[b]:
        return []
    message = f"CPU {a} and CPU {b} shared a core at {at:%H:%M:%S} UTC, although the system lists them as two"
    return [Warn(code="one_core", message=message, next_step=STEP)]
