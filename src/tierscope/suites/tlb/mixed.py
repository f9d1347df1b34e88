"""The share of the pages that are translated in parts, by the probes of a run: each of their blocks is a page.

The largest share counts: of both probes, the first one and that of the pages of the curve, and of all visits.
"""

from collections.abc import Iterator

import numpy as np

from tierscope.record.result import Record, Run
from tierscope.record.work.hop import HopWork
from tierscope.stats.tlb import PARTS
from tierscope.stats.tlb_windows import Times, entering, share_in_parts, times_of
from tierscope.stats.together import UNCLEAN
from tierscope.suites.tlb.labels import TlbLabels
from tierscope.tables.measured import page_bytes, records, visits_of


def shares(run: Run) -> dict[int, float | None]:
    """Return the share for each size of pages in bytes that was probed; None: its pages were not timed often enough.

    ResultError for samples that are damaged.
    """
    found: dict[int, float | None] = {}
    for record in _probes(run):
        size = TlbLabels.read(record.experiment).found_page_bytes
        known = [share_in_parts(times) for visit in visits_of(run, record) if (times := _times(run, visit)).size]
        known += [before for before in (found.get(size),) if before is not None]
        found[size] = max(known, default=None)
    return found


def _probes(run: Run) -> Iterator[Record]:
    for record in records(run, "tlb"):
        labels = TlbLabels.read(record.experiment)
        if labels.layout == PARTS and record.experiment.groups[0].workload.per_block:
            yield record


def _times(run: Run, record: Record) -> Times:
    """Return the seconds of each window; empty where that is not known."""
    work, labels = record.experiment.groups[0].workload, TlbLabels.read(record.experiment)
    lines, blocks = work.per_block, run.blocks(record)
    batches, counts = np.unique(blocks["batch"], return_counts=True)
    if not batches.size or page_bytes(record.groups[0]) != labels.found_page_bytes:
        return np.empty(0)
    longest = blocks[blocks["batch"] == batches[np.argmax(counts)]]
    if np.any(longest["operations"] != lines):
        return np.empty(0)  # windows and blocks differ
    seconds = (longest["stop_ticks"] - longest["start_ticks"]) / record.clock.hz - record.clock.read_cost_s
    seconds[(longest["flags"] & UNCLEAN) != 0] = np.nan
    windows, hops = labels.touched // lines, work.of(HopWork)
    times = times_of(seconds, windows, record.clock.resolution_s)
    return (
        times[entering(windows, hops.locality_bytes, hops.element_bytes, labels.found_page_bytes)]
        if times.size
        else times
    )
