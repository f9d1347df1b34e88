"""How each number is obtained, and what it is blind to, in words for the reader."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Calibration": (
        "Before it measures a kernel, Tierscope searches the fastest of its loop variants (streams, lines per step, "
        "prefetch distances, page interleave) by trials of 2 ms, where it expects the most, and ends with rounds of "
        "the best ones. Of those that are as fast, it takes the simplest. It keeps the choice. A later run checks it "
        "against the default, and searches again if it is slower. Trials are too short to be results. A trial without "
        "an undisturbed moment has no bandwidth. Limits: layouts that the core does not contain; a single fast "
        "variant that is unlike all similar ones."
    ),
}

methods.add(Method("calibration", TEXTS))
