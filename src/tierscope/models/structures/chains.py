"""The common part of the maps with chained buckets: the size of the array, and the part of a chain that is read.

An array of b buckets for n keys: chains have Poisson lengths of mean n / b. A key that is there is behind (n - 1) /
(2 b) others of its chain on average; one that is not is looked for behind all n / b.
Limits: chains that are longer by chance (they double the array early) and deletions are ignored.
Source: D. E. Knuth, The Art of Computer Programming, volume 3, section 6.4.
"""

import math

FIRST_BUCKETS = 10
LOAD = 2  # entries to a bucket, beyond which the array doubles


def buckets(elements: float) -> float:
    """Return the smallest array for this number of elements: 10, 20, 40, ..."""
    return FIRST_BUCKETS * 2.0 ** max(0, math.ceil(math.log2(elements / (LOAD * FIRST_BUCKETS))))


def hit(elements: float, array: float) -> float:
    """Return the entries up to and including the requested one."""
    return 1 + (elements - 1) / (2 * array)


def neighbours(elements: float, array: float) -> float:
    """Return the entries of a circular chain up to the wanted one, with the one behind it and the one before it.

    For a chain of L entries: 1, 2, and (L + 1) / 2 + 1 from three on; L - 1 is Poisson.
    """
    others = (elements - 1) / array
    return 2 + others / 2 - math.exp(-others) * (1 + others / 2)
