"""How each number is obtained, and what it is blind to, in words for the reader."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Slowdown": (
        "Victim alone and victim beside aggressors run in turns, round after round; the slowdown is the "
        "Hodges-Lehmann estimate of the ratio of their times within a round, with the interval of Wilcoxon's signed "
        "ranks. A machine that drifts drifts for both. The time is that of one task, interruptions and all, or of "
        "one walk over the victim's footprint at undisturbed moments. Several victims are compared with one alone. "
        "Blind to why: caches, memory bandwidth, clock rate and the hypervisor all count; sleeping aggressors "
        "(aggressor=sleep) must show 1.00."
    ),
}

methods.add(Method("neighbors", TEXTS))
