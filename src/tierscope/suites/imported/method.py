"""How each number is obtained, and what it is blind to, in words for the reader."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Imported": (
        "Numbers that another tool printed, in base units; the units are those of its own documents. Digits are "
        "kept as printed. Nothing was measured by Tierscope: there are no samples and no intervals, and what the "
        "output does not say of its machine is not known. Blind to everything that the tool did not print."
    ),
}

methods.add(Method("imported", TEXTS))
