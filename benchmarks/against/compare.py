"""Ratios per kernel, from pairs of neighbours in time: ours over the best peer, by the same statistic.

A pair is one run of a peer and our run next to it; its ratio takes best over best where the peer prints its best
pass, else average over average. Both of ours include every disturbance, as the peer's do. The best peer of a kernel
is the one with the largest median figure. The interval is the whole range of the ratios: the aims are about the median
and about the worst round.
"""

from collections import defaultdict
from dataclasses import asdict, dataclass
from statistics import median

from against.ours import Ours
from against.reading import Reading

ROUNDS = 7  # fewer are a trial
MIDDLE, WORST = 0.99, 0.97  # aims: least ratio of the median, and of any round
REACHED, MISSED, TRIAL = "reached", "missed", "a trial"

# what each kernel of ours is compared with: the same work, or the same result by any means where nobody has our form
CONTENDERS = {
    "read": ("read",),
    "write": ("write", "memset"),
    "write_nt": ("write_nt", "memset"),
    "copy": ("copy",),
    "copy_nt": ("copy_nt", "memcpy"),
    "copy_movdir64b": ("copy_nt", "memcpy"),
    "scale": ("scale",),
    "scale_nt": ("scale_nt", "scale"),
    "add": ("add",),
    "add_nt": ("add_nt", "add"),
    "triad": ("triad",),
    "triad_nt": ("triad_nt", "triad"),
    "update": ("update",),
    "memcpy": ("memcpy",),
    "memset": ("memset",),
}


@dataclass(frozen=True, slots=True)
class Pair:
    """One run of a peer and ours next to it."""

    threads: int
    pages: str
    ours: Ours
    peer: Reading


@dataclass(frozen=True, slots=True)
class Row:
    """Rates in bytes/s; ratios without unit; `statistic` is the name of the statistic."""

    kernel: str
    threads: int
    pages: str
    ours_median: float
    ours_low: float
    ours_high: float
    ours_walk: str
    peer: str
    peer_variant: str
    peer_rate: float
    statistic: str
    ratio: float
    ratio_low: float
    ratio_high: float
    rounds: int
    verdict: str


def ratio(pair: Pair) -> float:
    ours = pair.ours.reading
    if pair.peer.best is not None and ours.best is not None:
        return ours.best / pair.peer.best
    assert ours.average is not None
    assert pair.peer.average is not None
    return ours.average / pair.peer.average


def rate(reading: Reading) -> float:
    return reading.best if reading.best is not None else reading.average or 0.0


def rows(pairs: list[Pair]) -> list[Row]:
    """Return one row for each kernel, thread count and page size that a peer offers, against the best of them."""
    groups: dict[tuple[str, int, str], list[Pair]] = defaultdict(list)
    for pair in pairs:
        groups[pair.ours.reading.kernel, pair.threads, pair.pages].append(pair)
    order = list(CONTENDERS)
    return [
        _row(key, group) for key, group in sorted(groups.items(), key=lambda item: (order.index(item[0][0]), item[0]))
    ]


def _row(key: tuple[str, int, str], pairs: list[Pair]) -> Row:
    by_peer: dict[tuple[str, str], list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_peer[pair.peer.tool, pair.peer.kernel].append(pair)
    best = max(by_peer.values(), key=lambda group: median(rate(pair.peer) for pair in group))
    ratios = [ratio(pair) for pair in best]
    ours = [pair.ours.median for pair in best if pair.ours.median == pair.ours.median] or [float("nan")]
    middle, low, high = median(ratios), min(ratios), max(ratios)
    return Row(
        *key, median(ours), min(ours), max(ours), best[-1].ours.reading.variant,
        best[-1].peer.tool, best[-1].peer.variant, median(rate(pair.peer) for pair in best),
        "best" if best[-1].peer.best is not None else "average", middle, low, high, len(ratios),
        verdict(ratios),
    )  # fmt: skip


def verdict(ratios: list[float]) -> str:
    """Return whether a kernel reaches both aims; a trial where there are too few rounds."""
    if len(ratios) < ROUNDS:
        return TRIAL
    return REACHED if median(ratios) >= MIDDLE and min(ratios) >= WORST else MISSED


def markdown(table: list[Row]) -> str:
    lines = [
        "| kernel | threads | pages | ours, median (GB/s) | walk | best peer | GB/s | of | ratio | verdict |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in table:
        ours = f"{row.ours_median / 1e9:.1f} [{row.ours_low / 1e9:.1f}, {row.ours_high / 1e9:.1f}]"
        ratios = f"{row.ratio:.3f} [{row.ratio_low:.3f}, {row.ratio_high:.3f}]"
        peer = f"{row.peer} ({row.peer_variant})"
        lines.append(
            f"| {row.kernel} | {row.threads} | {row.pages} | {ours} | {row.ours_walk} | {peer} "
            f"| {row.peer_rate / 1e9:.1f} | {row.statistic} | {ratios} | {row.verdict} |"
        )
    return "\n".join(lines)


def plain(table: list[Row]) -> list[dict[str, object]]:
    return [asdict(row) for row in table]
