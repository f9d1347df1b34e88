"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

COUNTS = {
    "Events next to known bytes": (
        "Kernels whose reads and writes of memory are known run on arrays that exceed the caches, while all events are "
        "counted in their timed blocks. Each kernel is repeated, and the count of one operation is the mean of the "
        "repeats, without the count of an empty block. Limits: a kernel that stores fewer bytes than 50 last-level "
        "caches is left out, because lines that are still in the cache were not written yet."
    ),
}
VERDICT = {
    "What events count": (
        "An event follows a known quantity if its factor to it is the same, within 10 %, with every kernel that has "
        "some of it, by intervals widened for the number of kernels. It must also count almost nothing with kernels "
        "that have none. Quantities are lines read from memory, written to it or both, lines that the program loads, "
        "operations and time. Limits: prefetchers read lines that no program asked for; memory controllers also count "
        "the traffic of others; an event that depends on something else remains without a verdict."
    ),
}

methods.add(Method("event_counts", COUNTS))
methods.add(Method("event_verdict", VERDICT))
