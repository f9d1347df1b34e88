"""How each number is obtained, and its limits, in the reader's terms."""

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

TAIL = {
    "Tail of latency": (
        "Each batch of accesses is timed alone; the column states how many accesses a batch has. Empty batches show "
        "the time of the clock itself: their median is subtracted, and the rest of their range is in each interval. "
        "The intervals are order statistics. A percentile is absent if too few batches carry it, or if the "
        "clock's part is more than half of it. Limits: between batches the program asks the system for context "
        "switches, which may evict an entry of the TLB; interrupts that do not switch threads are in the tail."
    ),
}

methods.add(Method("latency_tail", TAIL))
methods.add(Method("loaded_latency", TEXTS))
