"""Tierscope in the same terms: the calibrated walk of a kernel, its passes' best and average, its blocks' median.

Best and average are taken over passes of the whole footprint, with all disturbances, as the peers do it; the
median is that of clean blocks, as Tierscope reports it.
"""

import time
from dataclasses import dataclass
from typing import Self

import msgspec
import numpy as np
import numpy.typing as npt

from against.reading import Reading
from tierscope.core import Session, catalogue
from tierscope.record.catalogue import Catalogue
from tierscope.record.experiment import Experiment, Group, Target, Team, Workload
from tierscope.record.result import SIZING, Blocks, GroupFacts
from tierscope.record.work.line import LineWork
from tierscope.run.calibrate import calibrate
from tierscope.stats.together import together

MEASURE_S = 0.7  # seven passes or more of three arrays of 512 MiB at 16 GB/s, as many as the peers take
BLOCK_S = 1e-3
WHOLE_S = 0.1  # blocks of library calls and string instructions: the whole share in one call, as a program calls them
WHOLE = ("libc", "string")


@dataclass(frozen=True, slots=True)
class Ours:
    """The numbers that the peers print, and those that Tierscope reports."""

    reading: Reading
    median: float  # of clean blocks, bytes/s; NaN if there was none


class Stand:
    """One session on one page size and thread count; walks are calibrated once."""

    def __init__(self, pages: str, threads: int) -> None:
        self._session = Session()
        self._catalogue: Catalogue = catalogue()
        self._target = Target.parse("node:0", pages)
        self._team = Team(cpus=tuple(range(threads)))
        self._walks: dict[str, Workload] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._session.close()

    def measure(self, kernel: str, array_bytes: int) -> Ours:
        variants = self._catalogue.variants(kernel)
        lines = sum(operand.lines for operand in variants[0].operands)
        block_s = WHOLE_S if variants[0].store in WHOLE else BLOCK_S
        group = self._group(kernel, lines * array_bytes)
        facts = self._session.prepare([group])[0]
        if kernel not in self._walks:
            experiment = Experiment(table="calibration", groups=(group,))
            found = calibrate(self._session, experiment, variants, time.monotonic) if block_s == BLOCK_S else None
            self._walks[kernel] = found.trials[0].workload if found else group.workload
            group = self._group(kernel, lines * array_bytes)
        facts = self._session.set(0, group)
        blocks = self._session.measure(MEASURE_S, block_s)
        return self._figures(kernel, facts, blocks)

    def _group(self, kernel: str, footprint_bytes: int) -> Group:
        work = self._walks.get(kernel) or Workload(kernel=kernel, footprint_bytes=footprint_bytes, work=LineWork())
        work = msgspec.structs.replace(work, footprint_bytes=footprint_bytes)
        return Group(workload=work, target=self._target, team=self._team)

    def _figures(self, kernel: str, facts: GroupFacts, blocks: Blocks) -> Ours:
        clock = self._session.clock.hz
        weight = facts.program_bytes_per_operation
        passes = _passes(blocks, clock, facts.footprint_bytes / weight) * weight
        clean = together(blocks, clock, 1).rates[0] * weight
        variant = f"{facts.isa} {facts.streams}x{facts.unroll}" + (" paged" if facts.interleave_bytes else "")
        variant += f" +{facts.prefetch_bytes}" * (facts.prefetch_bytes > 0)
        variant += f" w{facts.prefetchw_bytes}" * (facts.prefetchw_bytes > 0)
        best, average = float(passes.max()), passes.size / float(np.sum(1 / passes))
        return Ours(
            Reading("tierscope", kernel, variant, best, average), float(np.median(clean)) if clean.size else np.nan
        )


def _passes(blocks: Blocks, hz: float, operations: float) -> npt.NDArray[np.float64]:
    """Return operations/s of the whole team in each pass of `operations`, gaps and disturbed blocks included."""
    timed = blocks[(blocks["flags"] & SIZING) == 0]
    threads = [timed[timed["thread"] == thread] for thread in np.unique(timed["thread"])]
    begin = max(int(t["start_ticks"][0]) for t in threads)
    end = min(int(t["stop_ticks"][-1]) for t in threads)
    moments = np.linspace(begin, end, 1000)  # work done is a straight line within a block
    done = np.zeros(moments.size)
    for thread in threads:
        stops = np.concatenate([thread["start_ticks"][:1], thread["stop_ticks"]]).astype(np.float64)
        done += np.interp(moments, stops, np.concatenate([[0.0], np.cumsum(thread["operations"].astype(np.float64))]))
    done -= done[0]
    count = max(int(done[-1] / operations), 1)
    edges = np.interp(np.linspace(0, min(count * operations, done[-1]), count + 1), done, moments)
    return np.asarray(np.diff(np.interp(edges, moments, done)) / np.diff(edges) * hz)
