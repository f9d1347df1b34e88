"""The least and the most that a tier can change a program that nobody followed: by three patterns of accesses.

    chase       loads of lines in random order, each of which waits for the one before: the latency
    read        loads of lines one behind the other, none of which waits: the bandwidth
    write       stores to lines one behind the other: the bandwidth of writes

Each visits COUNT lines in the machine of here and in the tier, less the time with a memory that answers immediately. A
program mixes such accesses and instructions that need no memory, so its time there over that here is between the least
and the most of these ratios, or 1.
Blind to: a pattern that only the tier is slow for, such as the flushes of persistent memory.
"""

import random
from collections.abc import Sequence
from pathlib import Path

from tierscope.simulated.replay import Traced
from tierscope.simulated.trace import trace_file

COUNT = 20_000
SPREAD = 1 << 24  # lines, of 1 GiB: no cache contains them
LINE = 64
BASE = 0x1000_0000
SEED = 1995


def factors(here: str, instant: str, tiers: Sequence[str], folder: Path) -> list[tuple[float, float]]:
    """Return the least and the most of each tier. here, tiers: words of machines; instant: of one whose memory answers
    immediately, "": there is none.
    """
    words = [here, *tiers, *([instant] if instant else [])]
    found: list[list[float]] = [[] for _ in tiers]
    for name, text in _patterns().items():
        path = folder / f"{name}.lackey"
        path.write_text(text)
        own, *others = (_seconds(one, waits=name == "chase") for one in trace_file(words, path))
        work = others.pop() if instant else 0.0
        for ratios, there in zip(found, others, strict=True):
            ratios.append((there - work) / (own - work) if own > work else 1.0)
    return [(min(ratios), max(ratios)) for ratios in found]


def _seconds(traced: Traced, *, waits: bool) -> float:
    return (traced.seconds_waiting if waits else traced.seconds_overlapped) or 0.0


def _patterns() -> dict[str, str]:
    draw = random.Random(SEED)  # noqa: S311 (a pattern)
    chase = [draw.randrange(SPREAD) for _ in range(COUNT)]
    return {
        "chase": _lackey("L", chase),
        "read": _lackey("L", range(COUNT)),
        "write": _lackey("S", range(COUNT)),
    }


def _lackey(kind: str, lines: Sequence[int]) -> str:
    """Return accesses as lackey of Valgrind writes them."""
    return "".join(f"I  00400000,4\n {kind} {BASE + line * LINE:x},8\n" for line in lines)
