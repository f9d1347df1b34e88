"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Blocks of fixed memory": (
        "The same memory is shared out among the threads; one operation is one call of memcpy or memset for one "
        "block. Throughput counts program bytes as STREAM does, a copied byte twice; what these functions do on the "
        "bus is unknown. It comes from timed blocks of about 1 ms, or of one operation where that is longer."
    ),
    "Latency of one operation": (
        "The latency is that of timed blocks with exactly one operation, without the cost of reading the clock; blocks "
        "under 1 KB are timed in batches, whose percentiles are those of means. A percentile is given only where "
        "enough operations carry it. Limits: it does not detect what comes less often than once in the measurement."
    ),
    "More threads than CPUs": (
        "Such threads share CPUs. Their rate is work over time in cells of 10 ms. The latency of an operation "
        "includes its wait for a CPU. Limits: it does not detect time slices of other programs."
    ),
}

methods.add(Method("blocks", TEXTS))
