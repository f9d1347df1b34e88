"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Operations on structures": (
        "A round is a sequence of operations on keys that was drawn before it; each round is timed as a whole, "
        "without the time to make and fill a structure. Operations per second count rehashes and waits for a lock, "
        "latencies of single operations do not. Each operation includes one read of the clock, whose cost is a "
        "column. After the rounds everything that should be in the structure is looked up; a wrong structure has no "
        "result. Limits: it does not separate the cost of the first touch of new memory, which is part of an insert. "
        "On simulated memory a structure's own loads, stores, flushes and fences are recorded as it runs and take "
        "simulated time, each load after the previous one, without any read of a clock. "
        "On an emulated tier the first load of each line in an operation waits for the floor, also where a cache "
        "contains the line: "
        "times are those of a memory without caches. Stores, flushes, fences and the fill are not delayed."
    ),
}

methods.add(Method("maps", TEXTS))
