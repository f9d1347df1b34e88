"""A run as it goes on: one live line with the point under way and the time left, one line for each point done."""

import time
from contextlib import suppress
from typing import Self

from rich.live import Live
from rich.text import Text

from tierscope.cli.console import Console
from tierscope.record.experiment import Experiment
from tierscope.record.result import Record
from tierscope.run.observer import Observer
from tierscope.stats.judged import Judged
from tierscope.units import show_bytes, show_size

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
        """Seconds: the plan's estimate at first, the pace of this machine more and more."""
        elapsed = time.monotonic() - self._began
        share = min(self._done / self._total, 1.0)
        measured = elapsed / share if share else self._seconds
        return max((1 - share) * (share * measured + (1 - share) * self._seconds), 0.0)

    def _words(self, of: str) -> str:
        """'3 of 22 points, 0:40 left'; some plans look closer at what they find, and then have more."""
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


POLICY = {
    "interleave": "lines stored every {}",
    "migration": "single writes to {}",
    "sizing": "pace of single writes to {}",
    "combining": "lines stored in fresh regions of {}",
}
"""Of `run policy`, by table; {} is a size."""


def describe(experiment: Experiment) -> str:
    """'triad_nt, 2 threads' or 'latency, 64 MiB, 4k' or 'read beside a chase, delay 200'."""
    group = experiment.groups[-1]
    work = group.workload
    if work.kernel.startswith("flush_") and experiment.takes and experiment.table in ("flush", "sizing"):
        return _flushes(experiment)
    if experiment.table == "emulation":
        return f"{experiment.labels['quantity']} of {group.target.word}"
    if experiment.table == "latency" or (experiment.table, work.kernel) == ("sizing", "chase"):
        return f"latency, {show_bytes(work.footprint_bytes)}, {group.target.pages}"
    if experiment.table == "loaded_latency":
        loaded = len(experiment.groups) > 1
        return f"{work.kernel} beside a chase, delay {work.pace_cycles}" if loaded else "idle latency"
    if experiment.table == "contention":
        labels = experiment.labels
        return f"{labels['mode']}, A:B = {labels['a_threads']}:{labels['b_threads']}"
    if experiment.table == "core_to_core":
        first, last = group.team.cpus
        pairs = len(experiment.groups)
        return f"hand-over between CPU {first} and {f'{pairs} others' if pairs > 1 else f'CPU {last}'}"
    if experiment.table == "neighbors":
        most = sum(one.role == "aggressor" for one in experiment.groups)
        return f"{experiment.labels['victim']} beside 0 to {most} x {experiment.labels['aggressor_kernel']}, in turns"
    return _kernels(experiment)


def _kernels(experiment: Experiment) -> str:
    """What has no words of its own: kernels and threads."""
    group = experiment.groups[-1]
    work, threads = group.workload, len(group.team.cpus)
    if group.role == "writer" and (text := POLICY.get(experiment.table)):
        return text.format(show_size(int(experiment.labels.get("region_bytes") or work.element_bytes)))
    if experiment.table == "sizing":
        return f"how {group.target.word} persists"
    if experiment.table == "blocks":
        name = f"{group.role.replace('_', ' ')} of {show_size(work.element_bytes)} blocks"
        return f"{name}, {threads} thread{'s' if threads > 1 else ''}"
    if experiment.table == "regions":
        return f"{experiment.labels['operation']}, fresh regions of {show_bytes(work.locality_bytes)}"
    if experiment.table == "stride":
        return f"{work.kernel}, {show_size(work.access_bytes)} every {show_size(work.element_bytes)}"
    return _structure(experiment) or _plainly(experiment)


def _structure(experiment: Experiment) -> str:
    """What is looked for in a memory or a machine; "" of anything else."""
    group = experiment.groups[-1]
    if experiment.table == "maps":
        work, threads = group.workload, len(group.team.cpus)
        return f"{work.operation} of {work.count} keys, {work.kernel}, {threads} thread{'s' if threads > 1 else ''}"
    if experiment.table == "tlb":
        layout = {"pages": "a page apart", "lines": "side by side"}[str(experiment.labels["layout"])]
        return f"{experiment.labels['touched']} lines {layout}, {group.target.pages}"
    if experiment.table == "storage":
        kind = f"{group.workload.order} {experiment.labels['mix']} of {show_size(group.workload.element_bytes)}"
        return f"{kind}, depth {experiment.labels['depth']}"
    if experiment.table == "closed_loop":
        return f"{experiment.labels['prober']} on device {experiment.labels['device']}"
    if experiment.table == "numa":
        nodes = f"node {experiment.labels['initiator']} to node {experiment.labels['target']}"
        return f"{group.workload.kernel}, {nodes}"
    return ""


def _plainly(experiment: Experiment) -> str:
    threads = len(experiment.groups[-1].team.cpus)
    return ", ".join(g.workload.kernel for g in experiment.groups) + f", {threads} thread{'s' if threads > 1 else ''}"


def _flushes(experiment: Experiment) -> str:
    """'4 KiB chunks, a fence after each chunk: clflush, clwb'; of the takes that run."""
    work = experiment.groups[0].workload
    names = [experiment.groups[take[0]].workload.kernel.removeprefix("flush_") for take in experiment.takes]
    fence = "no fence" if work.fence == "never" else f"a fence after each {work.fence}"
    random = ", random order" if work.order == "random" else ""
    return f"{show_size(work.element_bytes)} chunks, {fence}{random}: {', '.join(names)}"


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
