"""How each number is obtained, and what it is blind to, in words for the reader."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Fresh regions": (
        "Each line of a region is visited once in a random order, then the next region is walked, so that caches of "
        "the processor hold nothing that is asked for again. Regions up to 8 KiB are scattered over the footprint "
        "in `run buffers`, larger ones follow by address. The time is the mean over whole regions, since their "
        "first lines are slower. Writes pass the caches by, with a fence behind each region. Blind to buffers whose "
        "unit is one line."
    ),
}

methods.add(Method("regions", TEXTS))
