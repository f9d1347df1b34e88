"""Which walk each kernel takes, found by a short calibration and remembered for all groups like it."""

import msgspec

from tierscope.record.catalogue import Catalogue
from tierscope.record.experiment import Experiment, Group, Workload
from tierscope.record.result import Trial
from tierscope.run.calibrate import walks_of


class Walks:
    """The walks found so far in one run."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._found: dict[tuple[object, ...], Workload] = {}

    def candidates(self, group: Group) -> list[Workload]:
        """Return the walks to try."""
        return walks_of(group, self._catalogue.variants(group.workload.kernel))

    def remember(self, experiment: Experiment, trials: tuple[Trial, ...]) -> None:
        """Keep the first of the trials, which is the fastest."""
        if trials:
            self._found[_key(experiment)] = trials[0].workload

    def on(self, experiment: Experiment) -> Experiment:
        """The walk that was found for such a group before, if any, under this experiment's size and pace."""
        walk = self._found.get(_key(experiment)) if experiment.calibrate else None
        if walk is None:
            return experiment
        last = experiment.groups[-1]
        own = last.workload
        work = msgspec.structs.replace(
            walk, footprint_bytes=own.footprint_bytes, pace_cycles=own.pace_cycles, burst_bytes=own.burst_bytes
        )
        groups = (*experiment.groups[:-1], msgspec.structs.replace(last, workload=work))
        return msgspec.structs.replace(experiment, groups=groups, calibrate=False)


def _key(experiment: Experiment) -> tuple[object, ...]:
    """What the choice of a walk rests on: kernel, place and team of the last group, and whether others run."""
    last = experiment.groups[-1]
    return (
        last.workload.kernel, last.workload.isa, last.target, last.source, last.team, last.role,
        len(experiment.groups),
    )  # fmt: skip
