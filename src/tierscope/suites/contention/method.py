"""How each number is obtained, and what it is blind to, in words for the reader."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Contention": (
        "Both groups start on one barrier and stop together; only the time in which all threads run counts, and "
        "coverage says how much of the blocks that is. The sum is taken at the same moments, with the interval of "
        "that series. Walks are calibrated with all threads in one group and kept in the mixed splits; each thread "
        "walks as much memory in every split. The split that gives most is named only if intervals, widened for the "
        "number of splits, tell it from every other. Blind to who used which channel."
    ),
}
TARGETS = {
    "Two targets alone": (
        "For each number of threads a, then b, with the walk that is fastest on each. Blind to what a target costs "
        "when both are used at once."
    ),
}
THREADS = {
    "Flutter": (
        "Of each thread's undisturbed blocks after the warm-up: the standard deviation over the mean, and dips, "
        "runs of blocks below 0.8 of the thread's median. A period is named from six distances between dips on, if "
        "they vary by less than 0.3 of their mean; chance dips vary by 1. Blind to dips shorter than a block, and "
        "to their cause: time that a hypervisor takes unreported looks the same."
    ),
}

methods.add(Method("contention", TEXTS))
methods.add(Method("targets", TARGETS))
methods.add(Method("threads", THREADS))
