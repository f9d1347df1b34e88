"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Calibration": (
        "Before it measures a kernel, Tierscope searches the fastest of its loop variants (streams, lines per "
        "step, prefetch distances, page interleave). It tries some guesses for 3 ms each, then what is one step "
        "away from the fastest. The 24 best ones are tried again in four rounds, and the six best of these "
        "alternate in 20 rounds of 6 ms, or 40 on a noisy machine. A run with a limit gives a search a second at "
        "most, and ends it earlier. The simplest of those that are slower by no "
        "more than 0.5 % wins. Tierscope keeps the choice for each processor model, so that a later run begins "
        "with it. The kept variant stays unless another one is faster by more than 1.5 %, beyond doubt. Each row "
        "states where the variant came from. Trials are too short to be results. A trial without an undisturbed "
        "moment has no bandwidth. Limits: layouts that the core does not contain; a fast variant far from all "
        "that are fast."
    ),
}

methods.add(Method("calibration", TEXTS))
