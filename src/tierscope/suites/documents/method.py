"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Claims of the document": (
        "Each claim is a bound for one number at one or more points, such as the time of clflush over that of clwb at "
        "five sizes. It is true if the whole interval of every point is within the bound. It is not true if the whole "
        "interval of a point, widened for the number of points, is outside. All else is not known: no point, an "
        "inconclusive point, or an interval on both sides of the bound. The bounds are ours, since the documents "
        "print no intervals; they are listed with each claim. Published numbers of the documents are of a single run. "
        "Limits: a stand-in for a tier shows what the stand-in does, and another program than that of the document "
        "may behave differently; both are named."
    ),
}

methods.add(Method("claims", TEXTS))
methods.add(Method("document_tables", {}))
