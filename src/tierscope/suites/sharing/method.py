"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Shared cores and memory": (
        "Two CPUs add in registers, and then write memory past the caches, alone and at the same time, in batches of "
        "10 ms that alternate. On one core, each takes twice the time of one alone. If one thread fills the path to "
        "memory, or if it is capped, two threads move no more bytes than one. A class is stated only if its whole "
        "interval is within the bounds; everything else is not known. It is stated as lasting only if at least two "
        "moments show it and none shows another class. Limits: it measures a few pairs, at the start and at the end of "
        "the run. It cannot distinguish a full path from a capped one; and its result is valid for its own kernel: two "
        "threads of another kernel may get more than one."
    ),
}

methods.add(Method("sharing", TEXTS))
