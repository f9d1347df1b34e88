"""The findings of `blocks`: the most, efficiency, threads beyond the CPUs, the cost of a call, the best count.

A thread count of an operation and size is called the best only if its throughput is conclusive and the highest. It
must also be faster than every other one, by intervals widened for their number (`stats.compare.compare_all`).
Otherwise the finding names the counts that are not distinguished from it.
"""

from statistics import median
from typing import NamedTuple

from tierscope.record.result import Run
from tierscope.stats.compare import Comparison, compare, compare_all
from tierscope.stats.median import Interval
from tierscope.suites.blocks.row import BlocksRow
from tierscope.tables import Insight, Number
from tierscope.tables.measured import median_of, percent, ratio_word, sure, sure_rows
from tierscope.units import show_rate, show_seconds, show_size

CALLS_BYTES = 64  # size of a block: up to a line, the call costs more than the bytes
RANDOM = "random_write"  # a line at a random address costs more than the call


def sentences(run: Run, rows: list[BlocksRow]) -> list[Insight]:
    """Return the findings, the most important first, from conclusive rows only."""
    known = sure_rows(rows, lambda row: row.throughput)
    conclusive = [row for row, _ in known]
    return [*_most(run, known, len(rows)), *_efficiency(conclusive), *_beyond(known), *_calls(known), *_best(rows)]


def best_row(row: BlocksRow, rows: list[BlocksRow]) -> bool | None:
    """Return whether its thread count is the best of its operation and size; None if none is shown to be best."""
    peers = _peers(rows, row)
    best, tied = _highest(peers)
    return None if best is None or tied or len(peers) < 2 else row is best.row


def _threads(count: int) -> str:
    return "1 thread" if count == 1 else f"{count} threads"


def _name(row: BlocksRow) -> str:
    return f"{row.operation.replace('_', ' ')} of {show_size(row.block_bytes)} blocks"


class Peer(NamedTuple):
    """A row with its throughput, conclusive or not."""

    row: BlocksRow
    rate: Interval


def _peers(rows: list[BlocksRow], row: BlocksRow) -> list[Peer]:
    """Return the rows of the same operation and size, fewest threads first."""
    same = [one for one in rows if (one.point, one.target) == (row.point, row.target)]
    peers = [Peer(one, one.throughput) for one in same if one.throughput]
    return sorted(peers, key=lambda peer: peer.row.threads)


def _highest(peers: list[Peer]) -> tuple[Peer | None, list[Peer]]:
    """Return the row of the highest median, and those that may be as fast; all of them, if it is inconclusive."""
    if not peers:
        return None, []
    best = max(peers, key=lambda peer: peer.rate.middle)
    others = [peer for peer in peers if peer is not best]
    found = compare_all([(peer.rate, best.rate) for peer in others])
    return best, [peer for peer, one in zip(others, found, strict=True) if not _shown(best.row, peer.row, one)]


def _shown(best: BlocksRow, other: BlocksRow, one: Comparison) -> bool:
    return best.conclusive and other.conclusive and one.verdict == "faster"


def _best(rows: list[BlocksRow]) -> list[Insight]:
    """Return one finding for each operation and size that ran with several thread counts."""
    seen: dict[tuple[str, int], list[Peer]] = {}
    for row in rows:
        seen.setdefault(row.point, _peers(rows, row))
    return [one for peers in seen.values() for one in _best_of(peers)]


def _best_of(peers: list[Peer]) -> list[Insight]:
    best, tied = _highest(peers)
    if best is None or len(peers) < 2:
        return []
    row, count = best.row, best.row.threads
    highest = f"{_name(row)}: {_threads(count)} measured highest"
    rate, known = f", {show_rate(best.rate.middle)}", sure(row, best.rate) is not None
    if not known:
        text = f"{highest}, but inconclusive; the best count is unknown"
    elif tied:
        text = f"{highest}{rate}, not distinguishable from {', '.join(str(peer.row.threads) for peer in tied)}"
    else:
        text = f"{_name(row)}: {_threads(count)} {'is' if count == 1 else 'are'} best{rate}"
    return [
        Insight(
            name=f"best_threads {row.operation} {row.block_bytes}",
            text=text,
            value=None if tied or not known else float(count),
            unit="1",
            kind="count",
            conclusive=known,
        )
    ]


def _most(run: Run, known: list[tuple[BlocksRow, Interval]], total: int) -> list[Insight]:
    """Return the highest throughput, and its share of the peak if known; total: all rows, also doubtful ones."""
    if not known:
        return []
    row, rate = max(known, key=lambda pair: pair[1].middle)
    name = _name(row)
    of = "the highest of all" if len(known) == total else f"the highest of {len(known)} of {total} points"
    rest = "" if len(known) == total else "; the others are inconclusive"
    words = f"{name[:1].upper()}{name[1:]} with {_threads(row.threads)} reaches"
    most = Insight.of(
        rate,
        name="most_throughput",
        text=f"{words} {show_rate(rate.middle)}, {of}{rest}",
        unit="B/s",
    )
    return [most, *_of_peak(run, rate)]


def _of_peak(run: Run, rate: Interval) -> list[Insight]:
    """Return the share of the peak; without a value above 1, where bytes did not leave a cache or the peak is wrong."""
    peak, source = run.result.machine.peak_bytes_per_s, run.result.machine.peak_source
    if not peak:
        return []
    of = f"the theoretical peak, {show_rate(peak)} ({source})"
    share = rate.times(1 / peak)
    if share.middle > 1:
        text = f"That is more than {of}; either the bytes did not leave a cache, or the peak is wrong"
        return [Insight(name="block_peak_share", text=text, unit="1")]
    return [
        Insight(
            name="block_peak_share",
            text=f"That is {share.middle * 100:.0f} % of {of}",
            value=share.middle,
            low=share.low,
            high=min(share.high, 1.0),
            unit="1",
            kind="share",
        )
    ]


def _efficiency(rows: list[BlocksRow]) -> list[Insight]:
    """Return the efficiency of the most threads that have a CPU each: median and range over operations and sizes.

    It requires a conclusive row of one thread.
    """
    alone = {row.point for row in rows if row.threads == 1}
    own = sure_rows((row for row in rows if not row.shared and row.point in alone), lambda row: row.efficiency)
    most = max((row.threads for row, _ in own), default=1)
    shares = {_name(row): efficiency.middle for row, efficiency in own if row.threads == most}
    if most == 1 or not shares:
        return []
    worst, best = min(shares, key=shares.__getitem__), max(shares, key=shares.__getitem__)
    middle = median(shares.values())
    return [
        Insight(
            name="block_efficiency",
            text=f"Scaling efficiency with {most} threads, one per CPU: {percent(middle)} "
            f"({median_of(shares, 'operations and sizes')})",
            value=middle,
            low=shares[worst],
            high=shares[best],
            unit="1",
            kind="percent",
        )
    ]


def _beyond(known: list[tuple[BlocksRow, Interval]]) -> list[Insight]:
    """Return a finding for each number of threads that share CPUs, compared with the most threads with a CPU each."""
    by = {(row.point, row.threads): rate for row, rate in known}
    most = max((row.threads for row, _ in known if not row.shared), default=0)
    found = []
    for count in sorted({row.threads for row, _ in known if row.shared}):
        pairs = [
            (by[point, most], rate) for (point, threads), rate in by.items() if threads == count and (point, most) in by
        ]
        ratios = [ratio for own, many in pairs if (ratio := compare(own, many).middle) > 0]
        if ratios:
            found.append(_turns(count, most, ratios))
    return found


def _turns(count: int, most: int, ratios: list[float]) -> Insight:
    middle, low, high = median(ratios), min(ratios), max(ratios)
    span = f" (median of {len(ratios)}; {ratio_word(low)} to {ratio_word(high)})" if len(ratios) > 1 else ""
    return Insight(
        name=f"beyond_cpus {count}",
        text=f"{count} threads that share {most} CPU{'' if most == 1 else 's'} reach {ratio_word(middle)}x the "
        f"throughput of {_threads(most)}{span}",
        value=middle,
        low=low,
        high=high,
        unit="1",
    )


class Call(NamedTuple):
    """A row of one thread with its throughput and the time of one operation, both conclusive."""

    row: BlocksRow
    rate: float
    time: Interval


def _calls(known: list[tuple[BlocksRow, Interval]]) -> list[Insight]:
    """Return the cost of one call with one thread, for each operation whose smallest block is at most a line.

    Most of this time is the call if the bytes alone, at the rate of the largest blocks, take under half of it.
    """
    found = []
    alone = [(row, rate) for row, rate in known if row.threads == 1]
    calls = [Call(row, rate.middle, time) for row, rate in alone if (time := sure(row, row.latency))]
    for name in dict.fromkeys(call.row.operation for call in calls):
        own = sorted((call for call in calls if call.row.operation == name), key=lambda call: call.row.block_bytes)
        small, large = own[0], own[-1]
        sizes = small.row.block_bytes <= CALLS_BYTES < large.row.block_bytes
        if name != RANDOM and sizes and 2 * small.rate < large.rate:
            found.append(_call(small, large))
    return found


def _call(small: Call, large: Call) -> Insight:
    wait = small.time
    return Insight.of(
        wait,
        name=f"call_cost {small.row.operation}",
        text=f"{_name(small.row)} takes {show_seconds(wait.middle)}, most of it for the call: {show_rate(small.rate)}; "
        f"{show_size(large.row.block_bytes)} blocks reach {show_rate(large.rate)}",
        unit="s",
        others=(Number(value=small.rate), Number(value=large.rate)),
    )
