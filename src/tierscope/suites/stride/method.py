"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Strided accesses": (
        "Bytes touched count, bytes left out between do not. The unit is where the time of an access, which rises with "
        "the stride while several share a unit, stays level. It is found by a segmented line, with the interval of its "
        "profile likelihood; there is none where that is not better than a level line. Reads whose lines may stay in "
        "the caches do not count. Limits: it does not detect who makes the unit: a medium, or a prefetcher that "
        "fetches neighbours."
    ),
}

methods.add(Method("stride", TEXTS))
