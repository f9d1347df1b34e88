"""How each number is obtained, and what it is blind to, in words for the reader."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Buffers": (
        "A model of least-recently-used buffers is fitted to all regions at once: 0 to 3 of them, all units from "
        "128 B to 8 KiB, all capacities, times by least squares. The number is chosen by the Bayesian information "
        "criterion with a margin; intervals are those of the profile likelihood. A round size is told where it lies "
        "in the interval. What joins writes is a queue that drains whole units. Capacities are those of all "
        "interleaved DIMMs together. Blind to buffers above half of the largest region; small pages and rows of "
        "DRAM can look like buffers."
    ),
}

methods.add(Method("buffers", TEXTS))
