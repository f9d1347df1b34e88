"""The least and the most that a tier can change a program that nobody followed: by small patterns of accesses.

    chase                          loads of lines in random order, each of which waits for the one before
    read, write                    loads of lines one behind the other, and stores
    scattered_reads, _writes       loads in random order, none of which waits, and stores
    reads_STRIDE, writes_STRIDE    loads at a distance of STRIDE bytes, and stores
    copy_same, copy_other          loads of lines one behind the other, each with a store to a second place: 1 GiB away,
                                   so that both use the same bank of a memory, or at another distance

Each visits COUNT lines in the machine of here and in the tier, less the time with a memory that answers immediately.
Stores at a stride visit MANY, so that caches write lines back. The most of these ratios is that of these patterns: a
program may have a worse one for a tier.
Blind to: a pattern that only the tier is slow for, such as the flushes of persistent memory.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tierscope.simulated.replay import Traced
from tierscope.simulated.trace import trace_file

COUNT = 20_000
MANY = 600_000  # more lines than most caches contain
SPREAD = 1 << 24  # lines, of 1 GiB: no cache contains them
LINE = 64
BASE = 0x1000_0000
SEED = 1995
STRIDES = (256, 4096)  # bytes: a line of persistent memory, and a page
SAME = 1 << 30  # bytes
OTHER = SAME + 65_000 * LINE  # such that neither a row nor a bank is the same


def factors(here: str, instant: str, tiers: Sequence[str], folder: Path) -> list[tuple[float, float]]:
    """Return the least and the most of each tier. here, tiers: words of machines; instant: of one whose memory answers
    immediately, "": there is none.
    """
    words = [here, *tiers, *([instant] if instant else [])]
    found: list[list[float]] = [[] for _ in tiers]
    for name, text in _patterns():
        path = folder / f"{name}.lackey"
        path.write_text(text)
        own, *others = (_seconds(one, waits=name == "chase") for one in trace_file(words, path))
        work = others.pop() if instant else 0.0
        for ratios, there in zip(found, others, strict=True):
            ratios.append((there - work) / (own - work) if own > work else 1.0)
    return [(min(ratios), max(ratios)) for ratios in found]


def _seconds(traced: Traced, *, waits: bool) -> float:
    return (traced.seconds_waiting if waits else traced.seconds_overlapped) or 0.0


def _patterns() -> Iterator[tuple[str, str]]:
    """Yield each name with its accesses, as lackey of Valgrind writes them."""
    row = range(0, COUNT * LINE, LINE)
    yield "chase", _lackey(("L", place) for place in _anywhere())
    for name, kind in (("read", "L"), ("write", "S")):
        yield name, _lackey((kind, place) for place in row)
        yield f"scattered_{name}s", _lackey((kind, place) for place in _anywhere())
        for stride in STRIDES:
            places = range(0, (COUNT if kind == "L" else MANY) * stride, stride)
            yield f"{name}s_{stride}", _lackey((kind, place) for place in places)
    for name, far in (("copy_same", SAME), ("copy_other", OTHER)):
        yield name, _lackey(access for place in row[::2] for access in (("L", place // 2), ("S", place // 2 + far)))


def _anywhere() -> list[int]:
    draw = random.Random(SEED)  # noqa: S311 (a pattern)
    return [draw.randrange(SPREAD) * LINE for _ in range(COUNT)]


def _lackey(accesses: Iterable[tuple[str, int]]) -> str:
    """Return accesses: L or S, and a place in bytes."""
    return "".join(f"I  00400000,4\n {kind} {BASE + place:x},8\n" for kind, place in accesses)
