"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Latency and bandwidth between nodes": (
        "Latency is that of one CPU of the row's node on an otherwise idle machine, bandwidth that of all CPUs of "
        "this node, no other node's; both beyond the caches, on pages that were found on the target. Ratios are to "
        "the same node's own memory. Distances (SLIT) and reported values (HMAT) come from the firmware. "
        "Latency under load is that of the first CPU while the other CPUs of its node run the kernel on the same "
        "target, measured at another time. Limits: only one node asks at a time."
    ),
}
INJECTION = {
    "All nodes at the same time": (
        "All CPUs of each node run the kernel on the memory of their own node: first each node alone, then all nodes "
        "at the same time, with the same loop variants. The sum is taken over the same moments, in which all nodes are "
        "at work. Limits: no node uses memory of another one here, so links between nodes are idle."
    ),
}

methods.add(Method("numa", TEXTS))
methods.add(Method("injection", INJECTION))
