"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Blocks over time": ("Thinned for the page; the page says how. Limits: it does not show changes within a block."),
}

methods.add(Method("series", TEXTS))
