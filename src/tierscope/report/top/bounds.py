"""How sure a run is whose rows have bounds and no judged blocks: how many, how wide, and why others have none."""

from collections.abc import Iterator

from tierscope.report.content import Content, Section
from tierscope.report.top.brief import begun
from tierscope.report.top.parts import GOOD, NOTE, Answer
from tierscope.stats.median import Interval
from tierscope.tables import Unjudged
from tierscope.units import show_half

QUESTION = "How sure?"
NARROW = 0.10  # distance of the farther bound over the number, up to which the mark is good: the aim of predictions
SHOWN = 3  # rows that are refused


def bounded(content: Content) -> Answer | None:
    """Return the answer; None where no table states which of its numbers have bounds.

    The first table of the page gives the short answer. The text has the widths of the others, and all refusals.
    """
    sections = [(section, section.bounded) for section in content.sections.values()]
    found = [(section, one) for section, one in sections if one and section.typed]
    if not found:
        return None
    (first, of_first), *others = found
    halves = _halves(first, of_first)
    rows = len(first.typed)
    sure = len(halves) == rows and max(halves) <= NARROW
    beside = [f"{begun(_short(section, one))}." for section, one in others]
    refused = [f"{reason}." for section, one in found for reason in _refused(section, one)]
    text = [*beside, *dict.fromkeys(refused), *([of_first.limits] if halves and of_first.limits else [])]
    return Answer(QUESTION, begun(_short(first, of_first)), " ".join(text), GOOD if sure else NOTE)


def _short(section: Section, one: Unjudged) -> str:
    """Return '2 of 3 predictions have bounds, ±4.1 to 12.0 %', or 'none of the 3 predictions is known'."""
    rows, halves = len(section.typed), _halves(section, one)
    many = f"{one.thing}{'s' if rows > 1 else ''}"
    if not halves:
        return f"the only {one.thing} is not known" if rows == 1 else f"none of the {rows} {many} is known"
    width = show_half(min(halves))
    if f"{100 * min(halves):.1f}" != f"{100 * max(halves):.1f}":
        width = f"±{100 * min(halves):.1f} to {100 * max(halves):.1f} %"
    if rows == 1:
        return f"the only {one.thing} has bounds of {width}"
    count = f"all {rows}" if len(halves) == rows else f"{len(halves)} of {rows}"
    return f"{count} {many} {'has' if len(halves) == 1 else 'have'} bounds, {width}"


def _halves(section: Section, one: Unjudged) -> list[float]:
    """Return how far the farther bound is from the number, over the number, of each row that has one."""
    found = [getattr(row, one.number) for row in section.typed]
    return [max(value.high - value.middle, value.middle - value.low) / value.middle for value in found
            if isinstance(value, Interval) and value.middle > 0]  # fmt: skip


def _refused(section: Section, one: Unjudged) -> Iterator[str]:
    """Yield each reason with the rows that have it."""
    rows = [row for row in section.typed if getattr(row, one.number) is None]
    reasons = dict.fromkeys(str(getattr(row, one.why)) for row in rows)
    for reason in reasons:
        names = list(dict.fromkeys(str(getattr(row, one.names)) for row in rows if getattr(row, one.why) == reason))
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        yield f"Not known for {', '.join(names[:SHOWN])}{more}: {reason or 'no reason is known'}"
