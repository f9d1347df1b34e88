"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Imported": (
        "Numbers that another tool printed, in base units; the units are those of its own documents. Digits are kept "
        "as printed. Nothing was measured by Tierscope: there are no samples and no intervals, and what the output "
        "does not report about its machine is unknown. Limits: what the tool did not print is unknown."
    ),
}

methods.add(Method("imported", TEXTS))
