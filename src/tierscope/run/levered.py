"""Settings of the machine that a take asks for: written before it runs, and put back after it, or by a guard.

The order: store what the files had, start the guard, wait until it is ready, and only then write. A kill at any moment
leaves either nothing changed, or a file and a guard that put all back. Every write is read back: a value that the
kernel rounds or ignores is an error, since the take would be filed by a step that it did not have.
"""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tierscope import stops
from tierscope.host import guard
from tierscope.host.levers_kept import KeptFiles
from tierscope.record.experiment import Experiment, Setting

ROOT = Path("/")


class Levered:
    """Writes the settings of takes below `root`. Nothing is stored or started before the first take that has some."""

    def __init__(self, root: Path = ROOT) -> None:
        self._files = KeptFiles(root)
        self._guard: subprocess.Popen[bytes] | None = None
        self._now: tuple[Setting, ...] = ()

    @contextmanager
    def during(self) -> Iterator[None]:
        """Put back at the end what the takes of an experiment changed, whatever ends it."""
        try:
            yield
        finally:
            self.end()

    def take(self, experiment: Experiment, number: int) -> None:
        """Write the settings of a take; those of the take before are put back first."""
        wanted = experiment.settings[number] if experiment.settings else ()
        if wanted == self._now:
            return
        with stops.held():
            if self._guard is None:
                self._begin([setting.path for settings in experiment.settings for setting in settings])
            self._files.put_back()
            self._now = ()
            for setting in wanted:
                self._files.write(setting.path, setting.text)
        self._now = wanted

    def _begin(self, patterns: Sequence[str]) -> None:
        self._files.keep(patterns)
        try:
            self._guard = guard.start("tierscope.host.lever_guard", self._files.root, "settings")
        except BaseException:
            self._files.restore()
            raise

    def end(self) -> None:
        """Put all back; the guard then finds nothing to do, and ends."""
        if self._guard is None:
            return
        with stops.held():
            process, self._guard, self._now = self._guard, None, ()
            try:
                self._files.restore()
            finally:
                guard.end(process)


def refuse_levered(experiments: Sequence[Experiment], root: Path = ROOT) -> None:
    """Raise MachineError before anything is measured if takes have settings, and a run has left its own changed."""
    if any(experiment.settings for experiment in experiments):
        KeptFiles(root).file.refuse_left()
