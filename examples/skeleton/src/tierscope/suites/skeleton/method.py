"""How the numbers are obtained, in words for the reader of a report. A method says what it is blind to."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Read bandwidth over footprints": (
        "One CPU reads each footprint from its first line to its last one, again and again. The number is 64 bytes "
        "times the median rate of lines. Blind to other threads, and to stores."
    ),
}

methods.add(Method("skeleton", TEXTS))
