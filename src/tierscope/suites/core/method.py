"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Parameters of a core": (
        "Two chains of loads that miss all caches, with n instructions between them, take the time of one load while "
        "both fit the reorder buffer, and of two when they do not. The step is the number of entries. With stores "
        "or loads between them, it is that of the store buffer or the load buffer, and with instructions that write a "
        "register that of free registers. Lines in flight are the latency over the least time of a line. "
        "A branch that goes by a random number misses half of the time. Page walks at the same time are the time of "
        "one over the least time of a load that needs one, with up to eight chains of loads. The prefetcher is asked "
        "by windows of pages: some lines are visited, and the time of one more shows whether it was fetched. Loops of "
        "much code show how many lines of it are on their way, and how many jumps have targets that the core knows. "
        "Limits: without performance counters, a part that another one fills first has a bound only."
    ),
}

methods.add(Method("core_parameters", TEXTS))
methods.add(Method("core_points", {}))
methods.add(Method("core_code", {}))
