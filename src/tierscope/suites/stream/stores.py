"""Whether a plain store reads its line first, from bandwidths alone.

Seconds of a byte at the roof of a memory: r of reads, z of writes that read nothing (`zva`, else `write_nt`), w of
plain writes, c of a copy (program bytes: half are loads). If all of them are limited by the same bytes on the bus, then

    f = (w - z) / r    or    f = (2 c - r - z) / r          [1]

is the share of stored lines that were read before: 1 where every plain store costs a read, 0 where whole lines are
streamed, as ARM cores and Intel processors with SpecI2M do under load. A plain store moves 1 + f times its bytes.
An estimate, and never conclusive: turns of the bus, write buffers and rows cost time that moves no bytes. On a
simulated machine of one channel, where every plain store reads its line, it gave 0.55 instead of 1.
Blind where the threads do not fill the memory, since then time is latency, not bytes: nothing is stated there.
Source: Arm, Neoverse N1 Core Technical Reference Manual, "Write streaming mode"; J. Laukemann et al., "CloverLeaf on
Intel Multi-Core CPUs: A Case Study in Write-Allocate Evasion", 2023.
"""

from collections.abc import Mapping

from tierscope.stats.median import Interval
from tierscope.tables import Insight

NO_READ = ("zva", "write_nt")  # kernels whose stores read nothing, the surest first
PLAIN = ("write", "copy")
READ = "read"
FULL = 0.9  # of n times one thread: above it, threads still add up, and the memory is not the limit
LIKELY = (-0.2, 1.3)  # beyond them the bandwidths are not of one limit

Points = Mapping[str, Mapping[int, Interval]]
"""Kernel -> threads -> its conclusive bandwidth."""


def reads_of_stores(known: Points, target: str) -> list[Insight]:
    """Return one sentence for each plain kernel."""
    free = next((name for name in NO_READ if name in known), "")
    if not free or READ not in known:
        return []
    return [one for plain in PLAIN if plain in known and (one := _sentence(known, plain, free, target)) is not None]


def _sentence(known: Points, plain: str, free: str, target: str) -> Insight | None:
    threads = max(known[READ].keys() & known[free].keys() & known[plain].keys(), default=0)
    if not threads:
        return None
    who = f"{plain} on {target} with {threads} thread{'' if threads == 1 else 's'}"
    if why := _not_full(known[READ], threads):
        text = f"{who}: whether a store reads its line first is not known: {why}"
        return Insight(name=f"store_reads {plain}", text=text, conclusive=False, detail=True)
    share = share_read(known[READ][threads], known[free][threads], known[plain][threads], copies=plain == "copy")
    if not LIKELY[0] <= share.middle <= LIKELY[1]:
        text = (
            f"{who}: whether a store reads its line first is not known: {READ}, {free} and {plain} have unlike limits"
        )
        return Insight(name=f"store_reads {plain}", text=text, conclusive=False, detail=True)
    told = f"{100 * min(max(share.middle, 0.0), 1.0):.0f} %"
    text = (
        f"{who}: whether a store reads its line first is not known; if bytes alone set the pace of {READ}, {free} and "
        f"{plain}, {told} of stored lines were read, which only counters can confirm"
    )
    value = min(max(share.middle, 0.0), 1.0)
    return Insight(
        name=f"store_reads {plain}", text=text, value=value, unit="1", kind="share", conclusive=False, detail=True
    )


def share_read(read: Interval, free: Interval, plain: Interval, *, copies: bool) -> Interval:
    """Return f of the file's formula with its bounds, all bandwidths in bytes/s."""

    def share(r: float, z: float, w: float) -> float:
        return r * (2 / w - 1 / r - 1 / z) if copies else r * (1 / w - 1 / z)

    corners = [
        share(r, z, w) for r in (read.low, read.high) for z in (free.low, free.high) for w in (plain.low, plain.high)
    ]
    return Interval(min(corners), share(read.middle, free.middle, plain.middle), max(corners), plain.count)


def _not_full(read: Mapping[int, Interval], threads: int) -> str:
    """Return why the memory may not be the limit, or an empty string."""
    if threads == 1 or 1 not in read:
        return "conclusive bandwidths of one thread and of all are needed; run threads=1,N"
    efficiency = read[threads].middle / read[1].middle / threads
    return "" if efficiency < FULL else f"{threads} threads still add up, so the memory is not the limit"
