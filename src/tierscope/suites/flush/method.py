"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Stores that are flushed": (
        "The instructions of one chunk size alternate on one CPU, each on its own memory; times are compared round by "
        "round, as with neighbours. Store, flush and fence are one number: a clock read after a store fence does not "
        "wait for the flush, so that parts timed by themselves would change places. Each block of about 1 ms ends "
        "with a fence that waits for all of it. On DRAM, it measures the path of lines out of the caches; on "
        "persistent memory, the path to the memory controller's queue, which counts as persistent. Ticks are those of "
        "the named clock, not core cycles, which only counters show. Seconds for more bytes than were written are "
        "extrapolated. Limits: it does not detect when a line reaches the medium, or what keeps a medium busy for "
        "longer than one take: give total= to write everything."
    ),
}

methods.add(Method("flush", TEXTS))
