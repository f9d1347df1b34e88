"""How each number is obtained, and what it is blind to, in words for the reader."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Operations on structures": (
        "A round is a sequence of operations on keys that was drawn before it; rounds are timed as wholes, what "
        "makes and fills a structure lies outside. Operations per second count rehashes and waits for a lock, "
        "latencies of single operations do not. Each operation holds one look at the clock, whose cost is a column. "
        "After the rounds everything that should be in the structure is looked up; a wrong structure has no result. "
        "Blind to what the first touch of new memory costs by itself: it is part of an insert. On simulated memory "
        "a structure's own loads, stores, flushes and fences are recorded as it runs and take simulated time, each "
        "load behind the one before; nobody looks at a clock there."
    ),
}

methods.add(Method("maps", TEXTS))
