"""Why points of a run are inconclusive, in one line: the commonest reason, and what to do about it.

Reasons that differ in their numbers only are one; the line gives the numbers of the first point that has it, and
says so where there are several.
"""

import re
from collections import Counter

from tierscope.record.origin import steadier
from tierscope.report.content import Content
from tierscope.report.picks import judged
from tierscope.stats.visited import BETWEEN

KNOBS = ("budget", "limit")  # options of suites that give a point more time


def doubtful(content: Content) -> str:
    """'Note: 2 of 3 points are inconclusive, 2 of them: ... Next: ...'; "" where none is."""
    told = why(content)
    return f"Note: {told}" if told else ""


def why(content: Content) -> str:
    """The same without its first word."""
    rows = judged(content)
    told = [str(row["reasons"] or "no reason is known") for row in rows if not row["conclusive"]]
    if not told:
        return ""
    kinds = Counter(kind for text in told for kind in {_kind(reason): None for reason in text.split("; ")})
    (kind, count), *_ = kinds.most_common(1)
    first = next(reason for text in told for reason in text.split("; ") if _kind(reason) == kind)
    verb = "is" if len(told) == 1 else "are"
    often = f", {count} of them" if count < len(told) else ""
    many = {reason for text in told for reason in text.split("; ") if _kind(reason) == kind}
    where = " at the first of them" if len(many) > 1 else ""
    return (
        f"{len(told)} of {len(rows)} points {verb} inconclusive{often}: {first}{where}. Next: {_step(content, first)}."
    )


def _kind(reason: str) -> str:
    return re.sub(r"[0-9]+([.][0-9]+)?|inf|nan", "#", reason)


def _step(content: Content, reason: str) -> str:
    result = content.run.result
    step = steadier(result.origin)
    if result.origin == "imported" or reason.endswith(BETWEEN):
        return step  # more time in each visit does not make the visits alike
    given = {key: result.options.get(key) for key in KNOBS}
    had = " ".join(f"{key}={value:g}s" for key, value in given.items() if isinstance(value, int | float) and value)
    return f"{step}{f', with more time than {had}' if had else ''}"
