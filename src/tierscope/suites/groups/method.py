"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Groups": (
        "All groups of one experiment run at the same time, and only the time in which all of them ran counts. To see "
        "what one group costs another, compare with an experiment without it. Limits: it does not detect which part "
        "of the machine they share."
    ),
}

methods.add(Method("groups", TEXTS))
