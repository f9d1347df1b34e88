"""How each number is obtained, and what it is blind to, in words for the reader."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Blocks over time": ("Thinned for the page; the page says how. Blind to everything within a block."),
}

methods.add(Method("series", TEXTS))
