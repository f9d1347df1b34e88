"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Counters": (
        "The kernel counts performance events from just before the first clock reading of a block to just after the "
        "last one. A count that shared the hardware with others is scaled by the time for which it was counted, and "
        "that share is shown. Counts include the blocks that the summaries leave out, and the cost of the two clock "
        "readings, which is shown for an empty block. Limits: it does not detect what the events of this processor "
        "miss: not every event counts what its name states."
    ),
}

methods.add(Method("counters", TEXTS))
