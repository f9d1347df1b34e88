"""How each number is obtained, and what it is blind to, in words for the reader."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Latency under load": (
        "One thread chases pointers while the others read and write the same memory with an injected delay between "
        "bursts. The bandwidth is that of the load alone; the chaser's own is in the table. With few threads the "
        "memory is not filled, so the curve ends where the threads do, not where the memory does. Blind to "
        "latencies beyond that end."
    ),
}

methods.add(Method("loaded_latency", TEXTS))
