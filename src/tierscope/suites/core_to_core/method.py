"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Core to core": (
        "Two threads alternately write one line. The time is that of one hand-over, one way, half of a round trip. "
        "Each pair has fresh lines on the node of its first CPU, several of them alternately, because each has its "
        "home in one slice of a shared cache. Pairs run one at a time. Limits: it does not detect a difference "
        "between the two directions, or traffic of others. The system reports what two CPUs share, and a hypervisor "
        "may have invented this report."
    ),
}

READ = {
    "Cache to cache": (
        "One thread, the owner, prepares lines: it stores to each (modified), or flushes and reads each (clean). Then "
        "the other thread reads all of them once in a random chain, and only that is timed. Lines are 128 bytes apart, "
        "so an adjacent-line prefetcher fetches nothing that is read. Both ways of a pair are measured, with the lines "
        "on the node of the reader and on that of the owner. Limits: it does not show which cache or agent answers, "
        "and a clean line may come from memory."
    ),
}

methods.add(Method("cache_to_cache", READ))
methods.add(Method("core_to_core", TEXTS))
