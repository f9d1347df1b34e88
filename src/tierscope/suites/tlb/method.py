"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Translation": (
        "Dependent accesses to n lines on n pages, less those to n lines side by side, so that the caches cancel. "
        "Levels are plateaus between change points; entries are where a quarter of the accesses miss, from the most "
        "pages that miss nothing to the fewest with which half of the accesses miss. Large pages are timed one by one. "
        "If some are translated in parts, as a host may map them, no level is known; if all are, levels are of parts. "
        "Limits: it does not detect page-table entries that are not in a cache or, in a virtual machine, which of the "
        "two translations misses."
    ),
}

methods.add(Method("tlb", TEXTS))
methods.add(Method("tlb_levels", {}))
