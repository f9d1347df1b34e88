"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Contention": (
        "Both groups start on one barrier and stop together. Only the time in which all threads run counts; coverage "
        "is its share of the blocks. The sum is taken at the same moments, with the interval of that series. Loop "
        "variants are calibrated with all threads in one group and kept in the mixed splits. Each thread visits the "
        "same amount of memory in every split. The split with the highest total is named only if intervals, widened "
        "for the number of splits, distinguish it from all others. Limits: it does not detect who used which channel."
    ),
}
TARGETS = {
    "Two targets alone": (
        "For each number of threads: first a, then b, with the loop variant that is fastest on each. Limits: it does "
        "not measure the cost when both are used at the same time."
    ),
}
THREADS = {
    "Flutter": (
        "The standard deviation over the mean of each thread's undisturbed blocks after the warm-up, and dips: runs "
        "of blocks below 0.8 of the thread's median. A period is reported for six or more distances between dips "
        "that vary by less than 0.3 of their mean; chance dips vary by 1. Limits: it does not detect dips shorter "
        "than a block, or their cause: time that a hypervisor takes without a report looks the same."
    ),
}

methods.add(Method("contention", TEXTS))
methods.add(Method("targets", TARGETS))
methods.add(Method("threads", THREADS))
