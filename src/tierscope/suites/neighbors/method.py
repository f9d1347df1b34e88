"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Slowdown": (
        "The victim alone and the victim with aggressors alternate, round after round; the slowdown is the "
        "Hodges-Lehmann estimate of the ratio of their times within a round, with the interval of Wilcoxon's signed "
        "ranks. A drift of the machine affects both. The time is that of one task with its interruptions, or of one "
        "pass over the victim's footprint at undisturbed moments. Several victims are compared with one alone. "
        "Limits: it does not detect the cause: caches, memory bandwidth, clock rate and the hypervisor all count; "
        "sleeping aggressors (aggressor=sleep) must show 1.00."
    ),
}

methods.add(Method("neighbors", TEXTS))
