"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Response to latency": (
        "A lever slows the memory in steps: other CPUs load it, it is that of another node, or a file of the kernel "
        "caps a clock or a bandwidth. The program runs at each step in each round. Between its runs, a chase and a "
        "read measure the latency and the bandwidth at the same step, on the same CPU. A straight line through the "
        "ratios gives the share of the time that grows with latency; both ratios have errors. A lever that does "
        "not surely change the latency by 25 % is refused. Beyond the last step the bounds widen, and beyond 10x "
        "the range the answer is not known. Limits: a lever changes more than latency. The line "
        "is that of memory with at least the bandwidth that the lever left."
    ),
}

methods.add(Method("response", TEXTS))
methods.add(Method("response_fit", {}))
methods.add(Method("response_tiers", {}))
