"""How each number is obtained, and what it is blind to, in words for the reader."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Closed loop": (
        "Random simulated memories, whose structure is known, are handed to the probers as a word. What these infer "
        "is held against what the word says: sizes, units and numbers must be right as they are, latencies within 3 "
        "%, periods within 5 %, stalls within 10 %, queues within 2 lines. Blind to faults that the simulator and "
        "the probers share."
    ),
}

methods.add(Method("closed_loop", TEXTS))
