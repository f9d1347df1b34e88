"""The smallest document: two figures that a text derives from its own numbers, one of them wrongly.

`tierscope reproduce skeleton` shows them. Numbers of more than a line are a table of `reference/`.
"""

from tierscope.reproduce import Claim, Document, Figure, reproduce

SECONDS = {"alone": 10.0, "beside": 12.0}  # as printed


def claims() -> list[Claim]:
    """Return the claims of the document: each figure as printed, and as recomputed."""
    ratio = SECONDS["beside"] / SECONDS["alone"]
    figures = (
        # label, printed, recomputed, and what its last printed digit is worth
        Figure("ratio", 1.2, ratio, 0.1),
        # A wrong figure needs the reason; the tests fail if the figure is right.
        Figure("growth", 17, 100 * (ratio - 1), 1, fault="share of the longer time; the time itself grows by 20 %"),
    )
    return [Claim("section 1", "cost of a neighbour", "1", figures)]


def remarks() -> list[str]:
    """Return what else the figures show."""
    return []


reproduce.add(Document("skeleton", "two figures of a made document", claims, remarks))
