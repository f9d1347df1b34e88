"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Latency over footprint": (
        "One thread follows one random cycle through all lines of the footprint. Each load needs the previous one, "
        "so no prefetcher can run ahead. The result is the time from load to use on one CPU, with an otherwise idle "
        "memory. Limits: it does not detect which TLB level served the address; compare the page sizes. A cycle "
        "misleads on caches that do not evict the oldest line. The random draws next to it do not, but they visit "
        "some lines again early. If the staircase ends before the cache that the system reports, blocks of 16 lines, "
        "which are loaded at the same time, visit footprints around its end. They come back to a line sooner, and "
        "show whether others take lines from the cache after a time."
    ),
    "Cache sizes found": (
        "Plateaus and ramps are fitted to the curve. A capacity is the footprint at which a quarter of the accesses "
        "miss. It is the share of the cache that this CPU had at that time, so neighbours reduce it. A level is "
        "inconclusive if a long rise may contain another level, if page walks may cause the step, or if too few "
        "conclusive points show it. Limits: it does not detect levels narrower than three footprints."
    ),
}

methods.add(Method("latency", TEXTS))
