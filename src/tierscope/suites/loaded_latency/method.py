"""How each number is obtained, and what it is blind to, in words for the reader."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Latency under load": (
        "One thread chases pointers while the others read and write the same memory, with a delay between bursts. "
        "The loop variant of the load is the fastest of a calibration, as for bandwidth. Batches with the load "
        "alternate with batches without, so that a machine that drifts does not change the ratio over idle. The "
        "bandwidth is that of the load alone; the table also contains the chaser's. A few threads cannot fill the "
        "memory, so the curve ends at the limit of the threads, not of the memory. Limits: it cannot measure "
        "latencies beyond that end, and it calls no load faster than idle, even where a load raises a clock."
    ),
}

methods.add(Method("loaded_latency", TEXTS))
