"""Changes as lines of a terminal, and the exit status that they deserve."""

from collections.abc import Iterator

from tierscope.errors import Exit
from tierscope.fleet.outliers_text import many, percent
from tierscope.fleet.trend_result import FactChange, Trend


def status(found: Trend) -> Exit:
    """Return FAILED for a confirmed change, INCONCLUSIVE for one that waits, or where there are too few days."""
    if any(one.state == "confirmed" for one in found.changes) or any(one.slower.low > 0 for one in found.groups):
        return Exit.FAILED
    return Exit.INCONCLUSIVE if found.changes or found.groups or not found.followed else Exit.GOOD


def lines(found: Trend) -> Iterator[str]:
    """Yield the answer, the largest confirmed change first."""
    sure = [one for one in found.changes if one.state == "confirmed"]
    yield (f"{many(found.machines, 'host')}, {many(found.days, 'day')} from {found.first} to {found.last}: {len(sure)} "
           f"became slower, {len(found.changes) - len(sure)} wait for more days")  # fmt: skip
    for one in found.changes:
        waits = "" if one.state == "confirmed" else ", not confirmed yet"
        own = f" than in {one.against}" if one.against != "its peers" else ""
        yield f"  {one.host}: slower by {percent(one.slower)}{own} since {one.day}{waits}{_facts(one.facts)}"
    for group in found.groups:
        yield (f"  group {group.group}: {group.metric} lower by {percent(group.slower)} since {group.day}"
               f"{_facts(group.facts)}")  # fmt: skip
    for listed in found.listed:
        yield f"  {listed.what}: {listed.reason}"


def _facts(facts: tuple[FactChange, ...]) -> str:
    told = [f"{one.fact} {one.before or 'unknown'} -> {one.after or 'unknown'} on {one.day}" for one in facts]
    return f"; {', '.join(told)}" if told else ""
