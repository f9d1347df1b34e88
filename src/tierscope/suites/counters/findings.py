"""The findings of `counters`: what is missing and what to do, what was scaled, and the cost of counting."""

import math
from collections.abc import Iterator, Sequence

from tierscope.record.counting import LINES_MOVED, PERF_EVENT, SIMULATED, Counted
from tierscope.stats.median import Interval
from tierscope.suites.counters.row import CountersRow
from tierscope.tables import Insight, Number
from tierscope.units import show_seconds

HOST = "on a virtual machine, enable a PMU on its host (QEMU: -cpu host,pmu=on), or use counters=simulated"
REMEDIES = {
    "memory controller": "on the host itself, `perf list` shows what there is",
    "paranoid=0": "sudo sysctl kernel.perf_event_paranoid=0, or run as a user with CAP_PERFMON",
    "no PMU counts it": HOST,
    "has no PMU": HOST,
    "not allowed": "lower it with: sudo sysctl kernel.perf_event_paranoid=1, or run as a user with CAP_PERFMON",
    "Too many open files": "raise `ulimit -n`: each event needs one file per thread; or name fewer events",
    "is closed": "allow perf_event_open in the container's seccomp profile (docker: --security-opt seccomp=...)",
}  # fmt: skip
ALL = "all"  # the counter of a row that shows why there are none
OTHERWISE = "see `tierscope catalogue` and the events of `perf list`"


def sentences(rows: list[CountersRow], counted: Sequence[Counted]) -> list[Insight]:
    """Return the findings in the order of their importance."""
    events = (_not_counted, _simulated, _user_only, _multiplexed)
    return [*_memory(rows), *(said for kind in events for said in kind(rows)), *_cost(counted)]


def _memory(rows: list[CountersRow]) -> Iterator[Insight]:
    """Yield the bytes of all channels for each program byte, of the first group that has them."""
    found = [row for row in rows if row.counter in LINES_MOVED.values() and row.over_program is not None]
    first = [row for row in found if (row.experiment, row.take) == (found[0].experiment, found[0].take)]
    for row in first:
        factor = row.over_program
        assert factor is not None
        moved = next(moves for moves, name in LINES_MOVED.items() if name == row.counter)
        what = "moved" if moved == "both" else moved
        yield Insight(
            name="memory_factor",
            text=f"{row.kernel}: the memory controllers counted {factor.middle:.3g}{_range(factor)} bytes {what} for "
            "each program byte, with those of all other programs.",
            value=factor.middle,
            low=None if math.isnan(factor.low) else factor.low,
            high=None if math.isnan(factor.high) else factor.high,
            unit="1",
        )


def _range(factor: Interval) -> str:
    """Return ' (1.31 to 1.35)'; '' where too few batches give an interval."""
    return "" if math.isnan(factor.low) else f" ({factor.low:.3g} to {factor.high:.3g})"


def _not_counted(rows: list[CountersRow]) -> Iterator[Insight]:
    """Yield, for each reason, the events that were not counted, and the remedy."""
    lacking: dict[str, dict[str, None]] = {}
    for row in rows:
        if row.kind == "event" and row.reason:
            lacking.setdefault(row.reason, {})[row.counter] = None
    for reason, names in lacking.items():
        remedy = next((step for part, step in REMEDIES.items() if part in reason), OTHERWISE)
        text = f"No counts: {reason}." if ALL in names else f"Not counted: {', '.join(names)}: {reason}; {remedy}."
        yield Insight(name="not_counted", text=text, value=float(len(names)), unit="1")


def _simulated(rows: list[CountersRow]) -> Iterator[Insight]:
    if any(row.origin == SIMULATED and row.value is not None for row in rows):
        yield Insight(
            name="simulated_counts",
            text="Rows of origin simulated count events of simulated caches, not of this processor. They exclude "
            "instructions, and prefetchers that the simulated machine does not have.",
        )


def _user_only(rows: list[CountersRow]) -> Iterator[Insight]:
    if any(row.scope == "user" for row in rows):
        yield Insight(
            name="user_mode_alone",
            text="Events were counted in user mode only, because perf_event_paranoid is above 1: the kernel's work for "
            "the blocks is missing.",
        )


def _multiplexed(rows: list[CountersRow]) -> Iterator[Insight]:
    shares = {row.counter: row.multiplexed_share for row in rows if row.kind == "event" and row.multiplexed_share}
    if shares:
        worst = max(shares, key=lambda name: shares[name])
        yield Insight(
            name="multiplexed",
            text=f"{len(shares)} events shared the PMU and were scaled; {worst} was counted for "
            f"{100 * (1 - shares[worst]):.0f} % of the time. Name fewer events in counters= for exact counts.",
            value=shares[worst],
            unit="1",
            kind="share",
            others=(Number(value=1 - shares[worst], kind="share"),),
        )


def _cost(counted: Sequence[Counted]) -> Iterator[Insight]:
    """Yield the cost of one start and stop, which is outside of the timed part."""
    of = [one for one in counted if one.origin == PERF_EVENT and one.pair_s > 0 and any(e.counted for e in one.events)]
    if not of:
        return
    pair = sum(one.pair_s for one in of) / len(of)
    blocks, seconds = sum(one.blocks for one in of), sum(one.seconds for one in of)
    share = pair * blocks / seconds if seconds else 0.0
    beside = f": {_times(share)} that part" if share else ""
    yield Insight(
        name="counting_cost",
        text=f"Starting and stopping the counters took {show_seconds(pair)} for each block, outside its timed "
        f"part{beside}.",
        value=pair,
        unit="s",
        others=(Number(value=share),),
    )


def _times(share: float) -> str:
    """Return '0.21 % of', or '1.5x' for more than all of it: what is larger cannot be a part."""
    return f"{100 * share:.2g} % of" if share <= 1 else f"{share:.2g}x"
