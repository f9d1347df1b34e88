"""A run in progress: one live line with the current point and the time left, one line for each point done."""

import time
from contextlib import suppress
from typing import Self

from rich.live import Live
from rich.text import Text

from tierscope.cli.console import Console
from tierscope.plans.live import describe
from tierscope.record.experiment import Experiment
from tierscope.record.result import Record
from tierscope.run.observer import Observer
from tierscope.stats.judged import Judged

BAR = 24  # characters


class Progress(Observer):
    """Draws on a terminal; elsewhere, one plain line every ten seconds."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, refresh_per_second=8, transient=True) if console.is_terminal else None
        self._total, self._seconds, self._done = 1, 1.0, 0
        self._began = self._spoken = time.monotonic()
        self._current = ""

    def __enter__(self) -> Self:
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            with suppress(OSError):  # of a terminal that is gone, which ends no run
                self._live.stop()

    def planned(self, experiments: int, seconds: float) -> None:
        self._total, self._seconds = max(experiments, 1), seconds

    def started(self, experiment: Experiment, number: int) -> None:
        self._current = describe(experiment)
        self._draw()

    def measured(self, experiment: Experiment, found: Judged) -> None:
        sure = found.contrasts[-1].ratio if found.contrasts else found.points[0].groups[0].interval
        middle = sure.relative
        self._current = describe(experiment) + (f"  ±{middle:.1%}" if middle < 1 else "")
        self._draw()

    def finished(self, record: Record, found: Judged, resumed: bool) -> None:
        self._done += 1
        self._draw()

    def _left(self) -> float:
        """Return the seconds left: first by the plan's estimate, later more and more by the pace of this machine."""
        elapsed = time.monotonic() - self._began
        share = min(self._done / self._total, 1.0)
        measured = elapsed / share if share else self._seconds
        return max((1 - share) * (share * measured + (1 - share) * self._seconds), 0.0)

    def _words(self, of: str) -> str:
        """Return '3 of 22 points, 0:40 left'; some plans look closer at what they find, and then have more."""
        if self._done > self._total:
            return f"{self._done} points, a closer look at what was found"
        return f"{self._done}{of}{self._total} points, {_clock(self._left())} left"

    def _draw(self) -> None:
        full = round(BAR * min(self._done / self._total, 1.0))
        bar = f"{'━' * full}{'─' * (BAR - full)}"
        line = f"{bar} {self._words('/')}  {self._current}"
        with suppress(OSError):
            if self._live:
                self._live.update(Text(line, no_wrap=True, overflow="ellipsis"))
            elif time.monotonic() - self._spoken > 10:
                self._spoken = time.monotonic()
                self._console.print(Text(self._words(" of ")))


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
