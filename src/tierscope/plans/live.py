"""The text of an experiment in the live line of a run: 'triad_nt, 2 threads', 'latency, 64 MiB, 4k'."""

from collections.abc import Callable
from dataclasses import dataclass

from tierscope.record.experiment import Experiment
from tierscope.record.work.block import BlockWork
from tierscope.registry import Registry
from tierscope.tables.regions import RegionLabels
from tierscope.units import show_bytes, show_size

SIZING = "sizing"  # of the points that a suite measures to size its own, which no table shows


@dataclass(frozen=True, slots=True)
class Live:
    """The live line of the experiments of the table `name`."""

    name: str
    say: Callable[[Experiment], str]


lives: Registry[Live] = Registry("live line", "tierscope.suites", part="live", group="tierscope.lives")


def describe(experiment: Experiment) -> str:
    """Return the live line of an experiment: kernels and threads where its table has no line of its own."""
    if experiment.table == SIZING:
        return sizing(experiment)
    return (lives[experiment.table].say if experiment.table in lives else plainly)(experiment)


def plainly(experiment: Experiment) -> str:
    """Return the kernels of all groups and the threads of the last one."""
    kernels = ", ".join(group.workload.kernel for group in experiment.groups)
    return f"{kernels}, {threads_of(experiment)}"


def threads_of(experiment: Experiment) -> str:
    """Return '1 thread' or '4 threads', of the last group."""
    threads = len(experiment.groups[-1].team.cpus)
    return f"{threads} thread{'s' if threads > 1 else ''}"


def footprint(experiment: Experiment) -> str:
    """Return 'latency, 64 MiB, 4k'."""
    group = experiment.groups[-1]
    return f"latency, {show_bytes(group.workload.footprint_bytes)}, {group.target.pages}"


def written(experiment: Experiment, text: str) -> str:
    """Return the text with the size of the region, or of the elements, for {}."""
    known = "region_bytes" in experiment.labels
    work = experiment.groups[-1].workload
    size = RegionLabels.read(experiment).region_bytes if known else work.of(BlockWork).element_bytes
    return text.format(show_size(size))


def flushes(experiment: Experiment) -> str:
    """Return '4 KiB chunks, a fence after each chunk: clflush, clwb', of the takes that run."""
    work = experiment.groups[0].workload.of(BlockWork)
    names = [experiment.groups[take[0]].workload.kernel.removeprefix("flush_") for take in experiment.takes]
    fence = "no fence" if work.fence == "never" else f"a fence after each {work.fence}"
    random = ", random order" if work.order == "random" else ""
    return f"{show_size(work.element_bytes)} chunks, {fence}{random}: {', '.join(names)}"


def sizing(experiment: Experiment) -> str:
    """Return what is looked for before the points of a suite."""
    group = experiment.groups[-1]
    if group.workload.kernel.startswith("flush_") and experiment.takes:
        return flushes(experiment)
    if group.workload.kernel == "chase":
        return footprint(experiment)
    if group.role == "writer":
        return written(experiment, "pace of single writes to {}")
    return f"how {group.target.word} persists"
