"""Which loop variant each kernel takes: kept from an earlier run and checked, or searched."""

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from tierscope.record.catalogue import Catalogue
from tierscope.record.experiment import Experiment, Workload
from tierscope.record.facts import Trial
from tierscope.record.result import Record, Warn
from tierscope.run.calibrate import Trials, Ways, checked, searched, ways_of
from tierscope.run.measurer import Measurer
from tierscope.run.winners import Winners


class Choice(NamedTuple):
    """What a calibration found. trials: the chosen variant first; source: where it came from, as a record states it."""

    trials: tuple[Trial, ...]
    source: str


class Walks:
    """The variants found so far in one run. winners: those of earlier runs."""

    def __init__(self, catalogue: Catalogue, winners: Winners | None = None) -> None:
        self._catalogue = catalogue
        self._winners = winners or Winners()
        self._found: dict[tuple[object, ...], tuple[Workload, str]] = {}

    @property
    def refused(self) -> Warn | None:
        """Why the variants of earlier runs are not used."""
        return self._winners.refused

    def choose(
        self, session: Measurer, experiment: Experiment, seconds: float, clock: Callable[[], float]
    ) -> Choice | None:
        """Find the variant of the last group, which must be prepared; None where it has one way only.

        seconds: that a search may take.
        """
        last = experiment.groups[-1]
        entries = self._catalogue.variants(last.workload.kernel)
        ways = ways_of(last, entries)
        if len(ways.all) < 2:
            return None
        choice = self._kept(session, experiment, ways) or self._searched(session, experiment, ways, seconds, clock)
        self._found[key_of(experiment)] = choice.trials[0].workload, choice.source
        return choice

    def remember(self, record: Record) -> None:
        """Take the choice of a record that was measured before."""
        if record.calibration:
            self._found[key_of(record.experiment)] = record.calibration[0].workload, record.variant_from

    def on(self, experiment: Experiment) -> tuple[Experiment, str]:
        """The variant that was found for such a group before, if any, under this experiment's size and pace.

        With where it came from; "" where there is none.
        """
        walk, source = self._found.get(key_of(experiment), (None, "")) if experiment.calibrate else (None, "")
        if walk is None:
            return experiment, ""
        last = experiment.groups[-1]
        own = last.workload
        work = msgspec.structs.replace(
            walk, footprint_bytes=own.footprint_bytes, pace_cycles=own.pace_cycles, burst_bytes=own.burst_bytes
        )
        groups = (*experiment.groups[:-1], msgspec.structs.replace(last, workload=work))
        return msgspec.structs.replace(experiment, groups=groups, calibrate=False), source

    def _kept(self, session: Measurer, experiment: Experiment, ways: Ways) -> Choice | None:
        """Check the variant of an earlier run; None where it must be searched."""
        winner = self._winners.of(experiment, ways.all)
        if winner is None:
            return None
        found = checked(Trials(session, experiment), winner.candidate, ways.default, winner.gain)
        return None if found is None else Choice(found, f"cache of {winner.found.isoformat()}, checked here")

    def _searched(
        self, session: Measurer, experiment: Experiment, ways: Ways, seconds: float,
        clock: Callable[[], float],
    ) -> Choice:  # fmt: skip
        trials, began = Trials(session, experiment), clock()
        found = searched(trials, ways, seconds, clock)
        told = trials.told(found.order)
        if told[0].rate is None:
            return Choice(told, "default: no trial had a clean moment")
        chosen, rates = found.order[0], dict(found.order)
        if default := rates.get(ways.default):
            self._winners.add(experiment, chosen[0], (chosen[1] or default) / default)
        tie = ", as fast as the fastest and simpler" if found.tied else ""
        return Choice(told, f"searched here: {found.trials} trials in {clock() - began:.1f} s{tie}")


def key_of(experiment: Experiment) -> tuple[object, ...]:
    """What the choice depends on in one run: kernel, place and team of the last group, and whether others run."""
    last = experiment.groups[-1]
    return (
        last.workload.kernel, last.workload.isa, last.target, last.source, last.team, last.role,
        len(experiment.groups),
    )  # fmt: skip
