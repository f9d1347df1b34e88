"""The loop variant of each kernel: found by a search, remembered in a run and kept for later ones."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from tierscope.record.catalogue import Catalogue, Kernel
from tierscope.record.experiment import Experiment, Workload
from tierscope.record.facts import Trial
from tierscope.record.result import Record, Warn
from tierscope.record.work.line import LineWork
from tierscope.run.around import is_variant
from tierscope.run.calibrate import Calibrated, calibrate, guesses_of, usable_of
from tierscope.run.candidates import Candidate
from tierscope.run.climb import LONGEST_S
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

    def searches(self, experiments: Sequence[Experiment]) -> int:
        """Return how many searches these still need: points of one team share a variant."""
        wanted = {_key(one): one for one in experiments if one.calibrate and _key(one) not in self._found}
        return sum(len(guesses_of(one.groups[-1], self._entries(one)[1])) > 1 for one in wanted.values())

    def choose(
        self, session: Measurer, experiment: Experiment, clock: Callable[[], float], longest_s: float = LONGEST_S
    ) -> Choice | None:
        """Find the variant of the last group, which must be prepared; None where it has one way only.

        longest_s: of the search.
        """
        entries, usable = self._entries(experiment)
        winner = self._winners.of(experiment, usable)
        kept, near = winner.candidate if winner else None, self._near(experiment, usable)
        found = calibrate(session, experiment, entries, clock, kept, near, longest_s)
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

    def _entries(self, experiment: Experiment) -> tuple[Sequence[Kernel], Sequence[Kernel]]:
        """Return the entries of the last group's kernel in the catalogue: all, and those of the ISA that it names."""
        last = experiment.groups[-1]
        entries = self._catalogue.variants(last.workload.kernel)
        return entries, usable_of(last, entries)

    def _near(self, experiment: Experiment, usable: Sequence[Kernel]) -> Candidate | None:
        """Return the variant that was last found for this kernel with another team; None where there is none."""
        kernel, own = experiment.groups[-1].workload.kernel, _key(experiment)
        found = [walk for key, (walk, _) in self._found.items() if walk.kernel == kernel and key != own]
        near = [Candidate(walk.isa, walk.of(LineWork)) for walk in reversed(found)]
        return next((one for one in near if is_variant(one, usable)), None)

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
