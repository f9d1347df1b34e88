"""How each number is obtained, and what it is blind to, in words for the reader."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Latency over footprint": (
        "One thread follows one random cycle through all lines of the footprint: each load needs the one before, so "
        "no prefetcher can run ahead. It is time from load to use with an otherwise idle memory, as one CPU sees "
        "it. Blind to which TLB level served the address: compare the page sizes. A cyclic walk misleads on caches "
        "that do not evict the oldest line; the random draws beside it do not, but revisit some lines early."
    ),
    "Cache sizes found": (
        "Plateaus and ramps are fitted to the curve; a capacity is where a quarter of the accesses miss. It is the "
        "share that this CPU got at that time, so neighbours make it smaller than the cache is. A level is "
        "inconclusive where a long rise may hide another one, where page walks may make the step, or where too few "
        "conclusive points show it. Blind to levels narrower than three footprints."
    ),
}

methods.add(Method("latency", TEXTS))
