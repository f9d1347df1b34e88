"""How each number is obtained, and what it is blind to, in words for the reader."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Calibration": (
        "Before it measures a kernel, Tierscope tries its loop variants (streams, unrolling, prefetch distances, "
        "page interleave) for about 10 to 30 ms each, and uses the fastest. Trials are too short to be results. A "
        "trial without an undisturbed moment has no bandwidth, and its loop variant is the last choice. Limits: "
        "only the listed variants were tried."
    ),
}

methods.add(Method("calibration", TEXTS))
