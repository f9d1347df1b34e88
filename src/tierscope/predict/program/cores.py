"""Cores that this machine may have: a small and a large one, and a Latin hypercube between them that needs no draw.

    rank of core i in parameter k     i 2^k mod 13                              i = 1 ... 12
    value                             small (large / small)^((rank - 1/2) / 12)

The time here may be the same on most cores, if it is limited by something that no parameter changes, such as divisions.
On a slower memory, they then differ by how many misses overlap, and most of all the small and the large one. In six
dimensions, no core of the hypercube is near either. So both are among the cores, with the likely kind of prefetcher.

Parameters are those of the small and the large core, in their order, and then the kind of prefetcher. Ranks of two
parameters correlate by at most 0.36, which is the least of all lattices of 12 points and six parameters. Half of the
cores have the likely kind of prefetcher, a quarter each of the two others.

Half of the cores have the eager reading of the front end, and the others the lazy one (`front_end`). The former are
those whose number is a square modulo 13. A factor maps these to themselves or to the others, and so does -1, which is a
square. So each half has the same mean rank in each parameter. The small core fetches the least, and the large one the
most, in this respect, too.
Source: N. M. Korobov, "The approximate computation of multiple integrals", Doklady Akademii Nauk SSSR 124, 1959; K.-T.
Fang, Y. Wang, "Number-theoretic Methods in Statistics", 1994, chapter 1.
"""

from collections.abc import Mapping, Sequence

from tierscope.predict.program.front_end import UNPROBED, FrontEnd

BETWEEN = 12  # each replays the whole trace for each tier: 24 give bounds that are hardly narrower
COUNT = BETWEEN + 2
PRIME, GENERATOR = BETWEEN + 1, 2  # 2 is a primitive root of 13, so no two parameters have the same ranks
FURTHER = 9  # its number: from 6 on, its ranks are those of another one, in reverse (here of the cost of a wrong guess)
SQUARES = {number**2 % PRIME for number in range(1, PRIME)}


def parameters(words: str) -> dict[str, float]:
    """Return the parameters of a core that are numbers: all but the kind of prefetcher. words: "core.width=2,..."."""
    pairs = (word.split("=") for word in words.split(","))
    return {key: float(value) for key, value in pairs if not key.endswith(".prefetch")}


def cores(
    small: Mapping[str, float],
    large: Mapping[str, float],
    prefetchers: Sequence[str],
    front_end: FrontEnd = UNPROBED,
) -> tuple[str, ...]:
    """Return the words of COUNT cores, behind a machine; the last two are the small and the large one.

    small, large: the ends of each parameter, both with the same keys. prefetchers: words of each kind, the likely one
    first.
    """
    between = (_core(number, small, large, prefetchers, front_end) for number in range(1, PRIME))
    ends = ((small, front_end.lazy), (large, front_end.eager))
    return *between, *(_words(end) + prefetchers[0] + path for end, path in ends)


def spread(low: float, high: float) -> list[float]:
    """Return the values of a further parameter of all COUNT cores, in their order: those of a cache that others use."""
    ranks = [number * GENERATOR**FURTHER % PRIME for number in range(1, PRIME)]
    return [*(low * (high / low) ** ((rank - 0.5) / BETWEEN) for rank in ranks), low, high]


def _core(
    number: int, small: Mapping[str, float], large: Mapping[str, float], prefetchers: Sequence[str], front_end: FrontEnd
) -> str:
    ranks = [number * GENERATOR**k % PRIME for k in range(len(small) + 1)]
    values = {
        key: least * (large[key] / least) ** ((rank - 0.5) / BETWEEN)
        for (key, least), rank in zip(small.items(), ranks, strict=False)
    }
    return _words(values) + _kind(ranks[-1], prefetchers) + (front_end.eager if number in SQUARES else front_end.lazy)


def _words(values: Mapping[str, float]) -> str:
    return "".join(f",{key}={max(round(value), 1)}" for key, value in values.items())


def _kind(rank: int, prefetchers: Sequence[str]) -> str:
    """Return the first kind for half of the ranks; the others share the rest."""
    likely, *others = prefetchers
    half = BETWEEN // 2
    return likely if rank <= half or not others else others[(rank - half - 1) * len(others) // half]
