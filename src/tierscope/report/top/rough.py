"""Ranges of one memory where intervals are wider than asked for: never single numbers.

On a shared machine that changes from visit to visit by 10 %, no number is known to 2 %, but its range is known, and
the reader has no better machine. A number counts here if only the width of its interval is against it, and if this is
at most ROUGHEST.
"""

from tierscope.draw.words import threads_name
from tierscope.report.content import Content
from tierscope.report.doubtful import first_reason
from tierscope.report.top.brief import short_rate
from tierscope.report.top.memory import COPIES, READ
from tierscope.stats.contrast import SLOWDOWN
from tierscope.stats.median import Interval
from tierscope.stats.summary import WIDE
from tierscope.stats.visited import DRIFTS
from tierscope.suites.latency.row import LatencyRow
from tierscope.suites.loaded_latency.row import LoadedLatencyRow
from tierscope.suites.stream.table import StreamRow
from tierscope.units import show_bytes

WIDTHS = (WIDE, SLOWDOWN)
ROUGHEST = 0.25  # half of an interval over its middle


def roughly(content: Content, target: str) -> str:
    """Return '202 to 228 GB/s read with 16 threads, 126 to 131 ns idle at 1 GiB'; "" where no range is known.

    None is known of a run whose commonest doubt is another one than a width between visits or runs: such an interval
    does not contain what disturbed the run.
    """
    if not first_reason(content).endswith(DRIFTS):
        return ""
    speeds: list[StreamRow] = content.typed("stream")
    waits: list[LatencyRow] = content.typed("latency")
    loads: list[LoadedLatencyRow] = content.typed("loaded_latency")
    parts = []
    for kernels, verb in (((READ,), "read"), (COPIES, "copied")):
        own = [(row, found) for row in speeds if row.kernel in kernels for found in _usable(row, target, row.bandwidth)]
        if own:
            row, found = max(own, key=lambda one: one[1].middle)
            parts.append(f"{_range(found, 1e9)} GB/s {verb} with {threads_name(row.threads)}")
    cycles = [row for row in waits if (row.probe, row.order) == ("cycle", "global")]
    if last := max(cycles, key=lambda row: (row.footprint_bytes, row.page_bytes or 0), default=None):
        parts += [
            f"{_range(found, 1e-9)} ns idle at {show_bytes(last.footprint_bytes)}"
            for found in _usable(last, target, last.latency)
        ]
    under = [(row, found) for row in loads if row.load_threads for found in _usable(row, target, row.latency)]
    if under:
        most, found = max(under, key=lambda one: one[0].bandwidth.middle if one[0].bandwidth else 0.0)
        rate = f" of {short_rate(most.bandwidth.middle)}" if most.bandwidth else ""
        parts.append(f"{_range(found, 1e-9)} ns under a load{rate}")
    return ", ".join(parts)


def _range(found: Interval, unit: float) -> str:
    return f"{found.low / unit:.3g} to {found.high / unit:.3g}"


def _usable(row: StreamRow | LatencyRow | LoadedLatencyRow, target: str, found: Interval | None) -> list[Interval]:
    """Return the interval where only its width is against the number; else nothing."""
    narrow = found is not None and found.low > 0 and found.relative <= ROUGHEST
    usable = narrow and row.target == target and all(one.startswith(WIDTHS) for one in row.reasons)
    return [found] if usable and found else []
