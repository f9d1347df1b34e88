"""The loop variant of each kernel: found by a search, remembered in a run and kept for later ones."""

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from tierscope.record.catalogue import Catalogue
from tierscope.record.experiment import Experiment, Workload
from tierscope.record.facts import Trial
from tierscope.record.result import Record, Warn
from tierscope.run.calibrate import Calibrated, calibrate, usable_of
from tierscope.run.measurer import Measurer
from tierscope.run.winners import Winner, Winners


class Choice(NamedTuple):
    """The result of a calibration. trials: the chosen variant first; source: its origin, as a record states it."""

    trials: tuple[Trial, ...] = ()
    source: str = ""


class Walks:
    """The variants found so far in one run. winners: those of earlier runs."""

    def __init__(self, catalogue: Catalogue, winners: Winners | None = None) -> None:
        self._catalogue = catalogue
        self._winners = winners or Winners()
        self._found: dict[tuple[object, ...], tuple[Workload, str]] = {}

    @property
    def refused(self) -> Warn | None:
        """Return why the variants of earlier runs are not used."""
        return self._winners.refused

    def choose(self, session: Measurer, experiment: Experiment, clock: Callable[[], float]) -> Choice | None:
        """Find the variant of the last group, which must be prepared; None where it has one way only."""
        last = experiment.groups[-1]
        entries = self._catalogue.variants(last.workload.kernel)
        winner = self._winners.of(experiment, usable_of(last, entries))
        found = calibrate(session, experiment, entries, clock, winner.candidate if winner else None)
        if found is None:
            return None
        source = self._told(experiment, found, winner)
        self._found[_key(experiment)] = found.trials[0].workload, source
        return Choice(found.trials, source)

    def remember(self, record: Record) -> None:
        """Take the choice of a record that was measured before."""
        if record.calibration:
            self._found[_key(record.experiment)] = record.calibration[0].workload, record.variant_from

    def on(self, experiment: Experiment) -> tuple[Experiment, str]:
        """Return the variant that was found for such a group before, if any, under this experiment's size and pace.

        With where it came from; "" where there is none.
        """
        walk, source = self._found.get(_key(experiment), (None, "")) if experiment.calibrate else (None, "")
        if walk is None:
            return experiment, ""
        last = experiment.groups[-1]
        own = last.workload
        work = msgspec.structs.replace(
            walk, footprint_bytes=own.footprint_bytes, pace_cycles=own.pace_cycles, burst_bytes=own.burst_bytes
        )
        groups = (*experiment.groups[:-1], msgspec.structs.replace(last, workload=work))
        return msgspec.structs.replace(experiment, groups=groups, calibrate=False), source

    def _told(self, experiment: Experiment, found: Calibrated, winner: Winner | None) -> str:
        """Return where the choice came from, and keep it for later runs."""
        if found.trials[0].rate is None:
            return "not searched: no trial had a clean moment"
        trials = f"{found.found.trials} trials here"
        if winner and found.found.stayed:
            return f"kept since {winner.found.isoformat()}: nothing was faster in {trials}"
        self._winners.add(experiment, found.found.order[0][0])
        return f"searched: {trials}" + (", faster than the kept one" if winner else "")


def _key(experiment: Experiment) -> tuple[object, ...]:
    """Return what the choice depends on in one run: kernel, place and team of the last group, and if others run."""
    last = experiment.groups[-1]
    return (
        last.workload.kernel, last.workload.isa, last.target, last.source, last.team, last.role,
        len(experiment.groups),
    )  # fmt: skip
