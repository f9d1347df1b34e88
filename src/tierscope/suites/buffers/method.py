"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Buffers": (
        "A model of least-recently-used buffers is fitted to all regions at the same time: 0 to 3 of them, all units "
        "from 128 B to 8 KiB, all capacities, times by least squares. The number is chosen by the Bayesian information "
        "criterion with a margin; intervals are those of the profile likelihood. A round size is reported if it is in "
        "the interval. The model of write combining is a queue that drains whole units. Capacities are those of all "
        "interleaved DIMMs together. Limits: it does not detect buffers above half of the largest region; small pages "
        "and rows of DRAM can look like buffers. Buffers of other kinds (first in, first out, random, hashed sets, "
        "units that are not powers of two) are fitted, too. If they explain the curve as well with other buffers, the "
        "answer is inconclusive."
    ),
}

methods.add(Method("buffers", TEXTS))
