"""The scalar product, without BLAS.

For more than 10,000 numbers OpenBLAS uses a thread on each CPU. These threads spin for some 50 ms after it returns,
while the next batch is measured, and the last digits depend on the number of CPUs.
Source: OpenBLAS 0.3, kernel/x86_64/ddot.c, and THREAD_TIMEOUT in driver/others/blas_server.c.
"""

import numpy as np

from tierscope.arrays import Floats


def product(one: Floats, other: Floats) -> float:
    """Return the sum of one * other, both of shape (points,), by numpy's pairwise summation."""
    return float(np.add.reduce(one * other))
