"""How each number is obtained, and what it is blind to, in words for the reader."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Stores that are flushed": (
        "The instructions of one chunk size run in turns on one CPU, each on memory of its own; times are compared "
        "round by round, as with neighbours. Store, flush and fence are one number: a clock read after a store "
        "fence does not wait for the flush, so that parts timed by themselves would change places. Each block of "
        "about 1 ms ends with a fence that waits for all of it. On DRAM this is the way of lines out of the caches; "
        "on persistent memory, to the memory controller's queue, which counts as persistent. Ticks are those of the "
        "clock named beside them, not core cycles, which only counters tell. Seconds for more bytes than were "
        "really written are extrapolated. Blind to when a line reaches the medium, and to what keeps a medium busy "
        "for longer than a turn: name total= to write it all."
    ),
}

methods.add(Method("flush", TEXTS))
