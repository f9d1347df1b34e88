"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Blocks over time": (
        "The page shows thinned series, and states how they were thinned. Limits: it does not show "
        "changes within a block."
    ),
}

methods.add(Method("series", TEXTS))
