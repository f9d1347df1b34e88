"""What the rows of `blocks` say: the most, efficiency, threads beyond the CPUs, the price of a call, the best count.

Among thread counts of one operation and size the highest throughput is called the best only if it is conclusive and
faster than every other one by intervals widened for their number (`stats.compare.compare_all`); else the counts that
are not told apart from it are named.
"""

from statistics import median

from tierscope.record.result import Run
from tierscope.stats.compare import Comparison, compare, compare_all
from tierscope.stats.median import Interval
from tierscope.tables import Flat, Insight, Number
from tierscope.tables.measured import interval_of, median_of, percent, ratio_word, sure_flat, sure_rows_flat, whole
from tierscope.units import show_rate, show_seconds, show_size

CALLS_BYTES = 64  # of a block: up to a line, the call costs more than the bytes
RANDOM = "random_write"  # a line that was drawn at random costs more than the call


def sentences(run: Run, rows: list[Flat]) -> list[Insight]:
    """The most important first; only conclusive rows."""
    known = [row for row, _ in sure_rows_flat(rows, "throughput", "bytes_per_s")]
    return [*_most(run, known, rows), *_efficiency(known), *_beyond(known), *_calls(known), *_best(rows)]


def best_row(row: Flat, rows: list[Flat]) -> bool | None:
    """Whether its thread count is the best of its operation and size; None where none is told apart from all others."""
    peers = _peers(rows, row)
    best, tied = _highest(peers)
    return None if best is None or tied or len(peers) < 2 else row is best


def _threads(count: int) -> str:
    return "1 thread" if count == 1 else f"{count} threads"


def _rate(row: Flat) -> Interval | None:
    return interval_of(row, "throughput", "bytes_per_s")


def _name(row: Flat) -> str:
    return f"{str(row['operation']).replace('_', ' ')} of {show_size(whole(row, 'block_bytes'))} blocks"


def _peers(rows: list[Flat], row: Flat) -> list[Flat]:
    """Rows of the same operation and size, fewest threads first."""
    same = [one for one in rows if all(one[key] == row[key] for key in ("operation", "block_bytes", "target"))]
    return sorted((one for one in same if _rate(one)), key=lambda one: whole(one, "threads"))


def _highest(peers: list[Flat]) -> tuple[Flat | None, list[Flat]]:
    """The row of the highest median, and those that it is not shown to be faster than; all, if it is inconclusive."""
    known = [(row, rate) for row in peers if (rate := _rate(row))]
    if not known:
        return None, []
    best, top = max(known, key=lambda pair: pair[1].middle)
    others = [(row, rate) for row, rate in known if row is not best]
    found = compare_all([(rate, top) for _, rate in others])
    tied = [row for (row, _), one in zip(others, found, strict=True) if not _shown(best, row, one)]
    return best, tied


def _shown(best: Flat, other: Flat, one: Comparison) -> bool:
    return bool(best["conclusive"] and other["conclusive"]) and one.verdict == "faster"


def _best(rows: list[Flat]) -> list[Insight]:
    """One sentence for each operation and size that ran with several thread counts."""
    seen: dict[tuple[object, object], list[Flat]] = {}
    for row in rows:
        seen.setdefault((row["operation"], row["block_bytes"]), _peers(rows, row))
    return [_best_of(peers) for peers in seen.values() if len(peers) > 1]


def _best_of(peers: list[Flat]) -> Insight:
    best, tied = _highest(peers)
    assert best is not None
    count = whole(best, "threads")
    rate = f", {show_rate(float(best['throughput_bytes_per_s'] or 0))}"
    highest = f"{_name(best)}: {_threads(count)} measured highest"
    known = sure_flat(best, "throughput", "bytes_per_s") is not None
    if not known:
        text = f"{highest}, but inconclusive; the best count is unknown"
    elif tied:
        text = f"{highest}{rate}, not distinguishable from {', '.join(str(row['threads']) for row in tied)}"
    else:
        text = f"{_name(best)}: {_threads(count)} {'is' if count == 1 else 'are'} best{rate}"
    return Insight(
        name=f"best_threads {best['operation']} {best['block_bytes']}",
        text=text,
        value=None if tied or not known else float(count),
        unit="1",
        conclusive=known,
    )


def _most(run: Run, rows: list[Flat], run_rows: list[Flat]) -> list[Insight]:
    """The highest throughput of `rows`, and its share of the peak where that is known; run_rows: doubtful ones too."""
    known = sure_rows_flat(rows, "throughput", "bytes_per_s")
    if not known:
        return []
    row, rate = max(known, key=lambda pair: pair[1].middle)
    name, total = _name(row), len(run_rows)
    of = "the highest of all" if len(known) == total else f"the highest of {len(known)} of {total} points"
    rest = "" if len(known) == total else "; the others are inconclusive"
    words = f"{name[:1].upper()}{name[1:]} with {_threads(whole(row, 'threads'))} reaches"
    most = Insight(
        name="most_throughput",
        text=f"{words} {show_rate(rate.middle)}, {of}{rest}",
        value=rate.middle,
        low=rate.low,
        high=rate.high,
        unit="B/s",
    )
    return [most, *_of_peak(run, rate)]


def _of_peak(run: Run, rate: Interval) -> list[Insight]:
    """A share above 1 is none: what never left a cache is not held by the memory."""
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


def _efficiency(rows: list[Flat]) -> list[Insight]:
    """Of the most threads that have a CPU each: median and range over operations and sizes, one thread being sure."""
    alone = {(row["operation"], row["block_bytes"]) for row in rows if row["threads"] == 1}
    own = [row for row in rows if not row["shared"] and sure_flat(row, "efficiency", "")]
    own = [row for row in own if (row["operation"], row["block_bytes"]) in alone]
    most = max((whole(row, "threads") for row in own), default=1)
    shares = {_name(row): float(row["efficiency"] or 0) for row in own if row["threads"] == most}
    if most == 1 or not shares:
        return []
    worst, best = min(shares, key=lambda key: shares[key]), max(shares, key=lambda key: shares[key])
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
        )
    ]


def _beyond(rows: list[Flat]) -> list[Insight]:
    """Each count of threads that take turns, against the most threads with a CPU each."""
    by = {(row["operation"], row["block_bytes"], row["threads"]): row for row in rows}
    most = max((whole(row, "threads") for row in rows if not row["shared"]), default=0)
    found = []
    for count in sorted({whole(row, "threads") for row in rows if row["shared"]}):
        pairs = [
            (_rate(by[operation, size, most]), _rate(row))
            for (operation, size, threads), row in by.items()
            if threads == count and (operation, size, most) in by
        ]
        ratios = [ratio for own, many in pairs if own and many and (ratio := compare(own, many).middle) > 0]
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


def _calls(rows: list[Flat]) -> list[Insight]:
    """What one call costs, for each operation whose smallest block is at most a line; with one thread.

    Most of it is the call where the bytes alone, at the rate of the largest blocks, take under half of the time.
    """
    found = []
    alone = [row for row in rows if row["threads"] == 1 and sure_flat(row, "latency", "s")]
    for name in dict.fromkeys(str(row["operation"]) for row in alone):
        own = sorted((row for row in alone if row["operation"] == name), key=lambda row: whole(row, "block_bytes"))
        small, large = own[0], own[-1]
        slower = 2 * float(small["throughput_bytes_per_s"] or 0) < float(large["throughput_bytes_per_s"] or 0)
        if name != RANDOM and slower and whole(small, "block_bytes") <= CALLS_BYTES < whole(large, "block_bytes"):
            found.append(_call(small, large))
    return found


def _call(small: Flat, large: Flat) -> Insight:
    wait, rate, fast = (float(row[key] or 0) for row, key in (
        (small, "latency_s"), (small, "throughput_bytes_per_s"), (large, "throughput_bytes_per_s")
    ))  # fmt: skip
    size = show_size(whole(large, "block_bytes"))
    interval = interval_of(small, "latency", "s")
    assert interval is not None  # the latency is there
    return Insight(
        name=f"call_cost {small['operation']}",
        text=f"{_name(small)} takes {show_seconds(wait)}, most of it for the call: {show_rate(rate)}; "
        f"{size} blocks reach {show_rate(fast)}",
        value=wait,
        low=interval.low,
        high=interval.high,
        unit="s",
        others=(Number(value=rate), Number(value=fast)),
    )
