"""How each number is obtained, and what it is blind to, in words for the reader."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Calibration": (
        "Before a kernel is measured, its walks (streams, unrolling, prefetch distances, page interleave) are tried "
        "for some 10 to 30 ms each, and the fastest runs. Trials are too short to be quoted. A trial without a "
        "clean moment has no bandwidth, and its walk is the last choice. Blind to walks that were not among the "
        "candidates."
    ),
}

methods.add(Method("calibration", TEXTS))
