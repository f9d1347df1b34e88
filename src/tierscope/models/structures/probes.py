"""How far Robin Hood hashing probes in an array that is filled to a share a, keys drawn evenly.

Each slot's surplus moves to the next: a queue with Poisson arrivals of mean a and one service a slot. It is empty with
probability (1 - a) e^a, so a slot's own first key is at home with probability (1 - a)(e^a - 1) / a. A stored key is a /
(2 (1 - a)) slots from home on average. From a random slot, the first empty one is (1 / (1 - a)^2 - 1) / 2 slots away.
Source: D. E. Knuth, The Art of Computer Programming, volume 3, section 6.4, exercises on linear probing; P. Celis,
P.-A. Larson, J. I. Munro, "Robin Hood Hashing", FOCS 1985.
"""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Probes:
    """Slots beyond the first one, on average; and the share of those operations that stay with the first."""

    beyond: float
    at_home: float


def hit(filled: float) -> Probes:
    """Return the probes to a key that is there."""
    return Probes(filled / (2 * (1 - filled)), (1 - filled) * math.expm1(filled) / filled)


def free(filled: float) -> Probes:
    """Return the probes to the first empty slot, which is how far an insert moves keys."""
    return Probes((1 / (1 - filled) ** 2 - 1) / 2, 1 - filled)
