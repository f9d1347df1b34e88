"""Depths of a trie over the digits of keys, without nodes where all keys below agree, keys drawn evenly.

With n other keys and digits of b values, q = 1 / b: an inner node is on a key's way at level j if some other key shares
its first j digits and not the next, of probability 1 - (1 - q^j (1 - q))^n. The sum is log_b n + O(1).
At the lowest of these levels there are K other keys, and the mean of x^K is the sum over j of (1 - q^j + x q^j (1 -
q))^n - (1 - q^j)^n: this determines the number of digits that they have.
Source: D. E. Knuth, The Art of Computer Programming, volume 3, section 6.3, exercises on Patricia.
"""

import math

from tierscope.models.structures import Step

FAINT = 1e-6  # a level of less probability ends the sum


def _power(share: float, exponent: float) -> float:
    """Return (1 - share) ** exponent, exact for small shares."""
    return math.exp(exponent * math.log1p(-share)) if share < 1 else 0.0


def levels(others: float, base: int) -> list[float]:
    """Return the probability that an inner node is on the way, level by level from the top."""
    found: list[float] = []
    while not found or found[-1] > FAINT or len(found) < math.log(others + 1, base):
        share = float(base) ** -len(found) * (1 - 1 / base)
        found.append(1 - _power(share, others))
    return found


def nodes(keys: float, base: int, level: int) -> float:
    """Return the inner nodes of a level: prefixes with two digits or more below."""
    share = float(base) ** -level
    two = 1 - base * _power(share * (1 - 1 / base), keys) + (base - 1) * _power(share, keys)
    return max(0.0, two) / share


def way(keys: float, base: int, lines: float, others: float, share: float = 1.0) -> tuple[Step, ...]:
    """Return the inner nodes on a key's way, which touches `lines` lines of each; share: of a line that is its own."""
    return tuple(
        Step(f"inner node of level {level}", seen * lines, share * lines * nodes(keys, base, level))
        for level, seen in enumerate(levels(others, base))
    )


def beside(others: float, base: int, x: float) -> float:
    """Return the mean of x ** K, K: keys next to a key at the lowest inner node on its way."""
    total, level = 0.0, 0
    while level == 0 or others * float(base) ** -level > FAINT:
        share = float(base) ** -level
        total += _power(share * (1 - x * (1 - 1 / base)), others) - _power(share, others)
        level += 1
    return total
