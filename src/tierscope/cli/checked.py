"""The work of `tierscope check`: measure or load, judge, and show the answer in the requested forms."""

import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from tierscope.check import junit, text
from tierscope.check.file import CheckFile, read_file
from tierscope.check.judge import judge
from tierscope.check.write import thresholds_of
from tierscope.cli import door
from tierscope.errors import MachineError, TierscopeError, UsageError, refusal
from tierscope.files import write_to
from tierscope.record.result import Run, load
from tierscope.run.commands import Agree
from tierscope.units import parse_value


@dataclass(frozen=True)
class Asked:
    """One call of the command. junit: the XML file, if any."""

    file: Path
    junit: Path | None
    as_json: bool
    quiet: bool
    started: float = field(default_factory=time.monotonic)

    def check(self, directory: Path | None, out: Path | None, agree: Agree) -> int:
        """Judge the run in a directory, or a new one in `out`; the XML file has the error where that is impossible."""
        try:
            file = read_file(self.file)
            if directory is not None:
                return self._judge(file, load(directory))
            return self._measure(file, out, agree)
        except TierscopeError as error:
            self._write(junit.error(error, self._seconds()))
            raise

    def _measure(self, file: CheckFile, out: Path | None, agree: Agree) -> int:
        from tierscope.cli.finish import run_and
        from tierscope.run.asked import asked
        from tierscope.run.hosts import HERE
        from tierscope.run.start import begin

        try:
            suite, options, plan = asked(file.suite, file.options, file.path.parent)
        except UsageError as error:
            raise type(error)(f"{file.path}: {error}") from error
        name = str(file.path.parent / file.suite) if plan else suite
        argv = ("tierscope", "run", name, *(f"{key}={word}" for key, word in file.options.items()))
        directory, _ = begin(suite, options, plan, argv, out, agree)
        quiet = self.quiet or not sys.stderr.isatty()  # a log of ten seconds needs no progress
        return run_and(directory, quiet, True, lambda run: self._judge(file, run), HERE)

    def _judge(self, file: CheckFile, run: Run) -> int:
        found = judge(run, file.thresholds)
        self._write(junit.report(found, self._seconds()))
        if self.as_json:
            door.document(text.data(found))
        elif not self.quiet:
            for line in (text.sentence(found), *text.details(found)):
                door.line(line)
        return found.status

    def _seconds(self) -> float:
        return time.monotonic() - self.started

    def _write(self, content: bytes) -> None:
        if self.junit is None:
            return
        try:
            write_to(self.junit, content)
        except OSError as error:
            raise MachineError(f"cannot write {refusal(error)}; try another --junit PATH") from error


def write_thresholds(source: Path | None, margin: str | None) -> int:
    """Print a thresholds file of a run."""
    if source is None or margin is None:
        raise UsageError("--write RUN and --margin SHARE belong together; try --write RUN --margin 10%")
    share = parse_value(margin, "1")
    if not 0 <= share < 1:
        raise UsageError(f"--margin {margin} is not a share from 0 up to 1; try --margin 10%")
    door.lines(thresholds_of(load(source), share))
    return 0
