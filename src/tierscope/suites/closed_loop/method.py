"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Closed loop": (
        "The probers measure random simulated memories whose structure is known. Their results are compared with that "
        "structure: sizes, units and numbers must be exact, latencies within 3 %, periods within 5 %, stalls within "
        "10 %, queues within 2 lines. Limits: it does not detect faults that the simulator and the probers share."
    ),
}

methods.add(Method("closed_loop", TEXTS))
