"""The share of the pages that are translated in parts, by the probes of a run: each of their blocks is a page.

The probe over the pages of the curve counts, or else the first one, of fewer pages.
"""

from collections.abc import Iterator

import numpy as np

from tierscope.record.result import Record, Run
from tierscope.stats.tlb import PARTS
from tierscope.stats.tlb_windows import Times, share_in_parts, times_of
from tierscope.stats.together import UNCLEAN
from tierscope.suites.tlb.labels import TlbLabels
from tierscope.tables.measured import page_bytes, records, visits_of


def shares(run: Run) -> dict[int, float]:
    """Return the share for each size of pages in bytes; none for a size whose pages were not timed often enough.

    ResultError for samples that are damaged.
    """
    found: dict[int, float] = {}
    for record in sorted(_probes(run), key=lambda one: TlbLabels.read(one.experiment).touched):
        times = max((_times(run, visit) for visit in visits_of(run, record)), key=len)
        if times.size:
            found[page_bytes(record.groups[0]) or 0] = share_in_parts(times)
    return found


def _probes(run: Run) -> Iterator[Record]:
    for record in records(run, "tlb"):
        labels = TlbLabels.read(record.experiment)
        if labels.layout == PARTS and record.experiment.groups[0].workload.per_block:
            yield record


def _times(run: Run, record: Record) -> Times:
    """Return the seconds of each window; empty where that is not known."""
    lines = record.experiment.groups[0].workload.per_block
    blocks = run.blocks(record)
    batches, counts = np.unique(blocks["batch"], return_counts=True)
    if not batches.size:
        return np.empty(0)
    longest = blocks[blocks["batch"] == batches[np.argmax(counts)]]
    if np.any(longest["operations"] != lines):
        return np.empty(0)  # windows and blocks differ
    seconds = (longest["stop_ticks"] - longest["start_ticks"]) / record.clock.hz - record.clock.read_cost_s
    seconds[(longest["flags"] & UNCLEAN) != 0] = np.nan
    return times_of(seconds, TlbLabels.read(record.experiment).touched // lines)
