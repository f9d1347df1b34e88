"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Fresh regions": (
        "Each line of a region is visited once in a random order, then the next region follows, so that the "
        "processor's caches do not contain any line that is requested again. Regions up to 8 KiB are scattered over "
        "the footprint in `run buffers`, larger ones follow by address. The time is the mean over whole regions, "
        "since their first lines are slower. Writes bypass the caches, with a fence after each region. Limits: it "
        "does not detect buffers whose unit is one line."
    ),
}

methods.add(Method("regions", TEXTS))
