"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Latency and bandwidth between nodes": (
        "Latency is that of one CPU of the row's node on an otherwise idle machine, bandwidth that of all CPUs of "
        "this node, no other node's; both beyond the caches, on pages that were found on the target. Ratios are to "
        "the same node's own memory. Distances (SLIT) and reported values (HMAT) come from the firmware. Limits: it "
        "does not measure several nodes at the same time, which share links."
    ),
}

methods.add(Method("numa", TEXTS))
