"""The text of a check: one line, a line for each point that did not pass, and all of it as a document."""

import shlex
from collections.abc import Iterator
from typing import Any

from tierscope.check.judge import FAILED, NOT_KNOWN, PASSED, Checked, Judged
from tierscope.record.origin import named, steadier


def sentence(found: Checked) -> str:
    """Return 'check: passed: 3 of 3 points; runs/A', with the origin of numbers that are not real."""
    total, passed = len(found.points), found.count(PASSED)
    if found.verdict == PASSED:
        counts = f"{passed} of {total} points"
    elif found.verdict == FAILED:
        unknown = f", {found.count(NOT_KNOWN)} not known" if found.count(NOT_KNOWN) else ""
        counts = f"{found.count(FAILED)} of {total} points{unknown}"
    else:
        counts = f"{found.count(NOT_KNOWN)} of {total} points, {passed} passed"
    result = found.run.result
    origin = "" if result.origin == "real" else f" ({named(result.origin, result.origin_by)})"
    return f"check: {found.verdict}: {counts}{origin}; {found.run.path}"


def details(found: Checked) -> list[str]:
    """Return one line for each point that did not pass, those that failed first, and what to do about doubt."""
    lines = [
        f"  {verdict}: {told(one)}" for verdict in (FAILED, NOT_KNOWN) for one in found.points if one.verdict == verdict
    ]
    return [*lines, *(f"Next: {step}." for step in _next_steps(found))]


def _next_steps(found: Checked) -> Iterator[str]:
    """Yield what settles points that are not known: of those that are conclusive, and of the others."""
    unknown = [one for one in found.points if one.verdict == NOT_KNOWN]
    if any(one.conclusive and one.low is not None for one in unknown):
        yield "give the points whose interval contains their threshold more time, or move the threshold"
    if not all(one.conclusive for one in unknown):
        shown = f"tierscope show {shlex.quote(str(found.run.path))} states why points are inconclusive, and what helps"
        yield shown if found.run.result.origin == "real" else steadier(found.run.result.origin)


def told(one: Judged) -> str:
    """Return 'stream bandwidth: read, threads 2: 17.2 GB/s (16.9 GB/s to 17.4 GB/s), must be at least 20 GB/s'."""
    name = f"{one.threshold.name}: " if one.threshold.name else ""
    why = f"; {one.reasons[0]}" if one.reasons else ""
    if more := len(one.reasons[1:]):
        why += f" (and {more} more reason{'s' if more > 1 else ''})"
    return f"{name}{one.point}: {one.said}, must be {one.threshold.asked}{why}"


def data(found: Checked) -> dict[str, Any]:
    """Return everything as a document."""
    return {
        "verdict": found.verdict,
        "run": str(found.run.path),
        "origin": found.run.result.origin,
        **{word.replace(" ", "_"): found.count(word) for word in (PASSED, FAILED, NOT_KNOWN)},
        "points": [
            {
                "threshold": one.threshold.number,
                "name": one.threshold.name,
                "point": one.point,
                "unit": one.threshold.measure.unit,
                "value": one.value,
                "low": one.low,
                "high": one.high,
                **one.threshold.bounds,
                "conclusive": one.conclusive,
                "verdict": one.verdict,
                "reasons": one.reasons,
            }
            for one in found.points
        ],
    }
