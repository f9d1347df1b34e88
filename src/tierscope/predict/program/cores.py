"""Cores that this machine may have, between a small and a large one: a Latin hypercube that needs no draw.

    rank of core i in parameter k     i 2^k mod 13                              i = 1 ... 12
    value                             small (large / small)^((rank - 1/2) / 12)

Parameters are those of the small and the large core, in their order, and then the kind of prefetcher. Ranks of two
parameters correlate by at most 0.36, which is the least of all lattices of 12 points and six parameters. Half of the
cores have the likely kind of prefetcher, a quarter each of the two others.
Source: N. M. Korobov, "The approximate computation of multiple integrals", Doklady Akademii Nauk SSSR 124, 1959; K.-T.
Fang, Y. Wang, "Number-theoretic Methods in Statistics", 1994, chapter 1.
"""

from collections.abc import Mapping, Sequence

COUNT = 12  # each replays the whole trace for each tier: 24 give bounds that are hardly narrower
PRIME, GENERATOR = COUNT + 1, 2  # 2 is a primitive root of 13, so no two parameters have the same ranks


def parameters(words: str) -> dict[str, float]:
    """Return the parameters of a core that are numbers: all but the kind of prefetcher. words: "core.width=2,..."."""
    pairs = (word.split("=") for word in words.split(","))
    return {key: float(value) for key, value in pairs if not key.endswith(".prefetch")}


def cores(small: Mapping[str, float], large: Mapping[str, float], prefetchers: Sequence[str]) -> tuple[str, ...]:
    """Return the words of COUNT cores, behind a machine.

    small, large: the ends of each parameter, both with the same keys. prefetchers: words of each kind, the likely one
    first.
    """
    return tuple(_core(number, small, large, prefetchers) for number in range(1, PRIME))


def _core(number: int, small: Mapping[str, float], large: Mapping[str, float], prefetchers: Sequence[str]) -> str:
    ranks = [number * GENERATOR**k % PRIME for k in range(len(small) + 1)]
    words = [
        f",{key}={max(round(least * (large[key] / least) ** ((rank - 0.5) / COUNT)), 1)}"
        for (key, least), rank in zip(small.items(), ranks, strict=False)
    ]
    return "".join(words) + _kind(ranks[-1], prefetchers)


def _kind(rank: int, prefetchers: Sequence[str]) -> str:
    """Return the first kind for half of the ranks; the others share the rest."""
    likely, *others = prefetchers
    half = COUNT // 2
    return likely if rank <= half or not others else others[(rank - half - 1) * len(others) // half]
