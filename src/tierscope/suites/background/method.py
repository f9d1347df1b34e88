"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Memory traffic of others": (
        "A curve shows how much longer one dependent access takes under a known load of ours, for reads, for writes "
        "and for stores past the caches. Then one CPU chases pointers and nothing else of ours runs. The traffic of "
        "others is the load that explains its latency. The interval contains the intervals of the curves, the unknown "
        "mix of reads and writes, and how much latency varies without load. Additions in registers alternate with the "
        "chase: a core that is slower itself is not taken for traffic. Limits: traffic that was there while the curve "
        "was measured is its zero; traffic that adds no latency, or uses other memory channels or another node, is not "
        "detected; bursts that are shorter than 50 ms only widen the interval."
    ),
}

methods.add(Method("background", TEXTS))
