"""How each number is obtained, and what it is blind to, in words for the reader."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Groups": (
        "All groups of one experiment run at once, and only the time in which all of them ran counts. What one "
        "group costs another shows only against an experiment without it. Blind to which part of the machine they "
        "share."
    ),
}

methods.add(Method("groups", TEXTS))
