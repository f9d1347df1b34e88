"""The first thing a reader sees: one or two sentences and a row of numbers, picked from rows and insights.

Nothing is computed here; what the rows do not hold is called unknown. Only conclusive numbers stand here: where most
points are inconclusive, the lead says so, with the reason and the next step.
"""

from dataclasses import dataclass

from tierscope.draw.words import threads_name
from tierscope.report.content import Content, ranked
from tierscope.report.doubtful import why
from tierscope.report.picks import (
    Load,
    Speed,
    Wait,
    fastest,
    idle,
    judged,
    most_loaded,
    passed_over,
    rate_span,
    reaches_memory,
    time_span,
)  # fmt: skip
from tierscope.report.tiles import Tile, tiles
from tierscope.suites.stream.table import StreamRow
from tierscope.tables import BESIDE, tables
from tierscope.units import show_rate, show_seconds

ADDS_UP = 0.9
"""Of n times one thread. A memory at its limit gives the second thread nothing, so two threads stay near 0.5 and
more fall lower; what is lost above 0.9 is within what neighbours and clock steps take."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """`lead` is the headline; `lines` follow in smaller type."""

    lead: str
    lines: tuple[str, ...]
    tiles: tuple[Tile, ...]


def verdict(content: Content) -> Verdict:
    """For any run, also one that measured a single table or nothing yet."""
    speed, wait, load = fastest(content), idle(content), most_loaded(content)
    clauses = [
        _speed_clause(speed, passed_over(content)),
        _wait_clause(wait, content),
        "" if speed and wait else _load_clause(load),
    ]
    told = " ".join(clause for clause in clauses if clause) or _first_words(content)
    nothing = _nothing(content, told)
    lead, sure = (nothing, told) if nothing else (told or _counted(content), _sure(content))
    lines = (_audited(content), _over(speed), sure, _limits(content), _worst(content), _half(content))
    return Verdict(lead, tuple(line for line in lines if line), tiles(content))


def _nothing(content: Content, told: str) -> str:
    """What a run says of which half the points or more are inconclusive, as in its exit status; "" for others.

    told: what it shows in spite of that.
    """
    rows = judged(content)
    sure = sum(bool(row["conclusive"]) for row in rows)
    if not rows or 2 * (len(rows) - sure) < len(rows):
        return ""
    return f"{'Few results are' if told or sure else 'No result is'} conclusive yet: {why(content)}"


def _speed_clause(speed: Speed | None, passed: StreamRow | None) -> str:
    """passed: one that was faster, but is not sure."""
    if speed is None:
        return ""
    row, bandwidth = speed
    reached = f"{show_rate(bandwidth.middle)}{rate_span(bandwidth)} with {threads_name(row.threads)}"
    faster = f"; {passed.kernel} measured higher, but is inconclusive" if passed else ""
    return f"{row.kernel} reaches {reached}, {_of_peak(row.peak_share)}{faster}."


def _of_peak(share: float | None) -> str:
    if share is None:
        return "share of peak unknown"
    return "more than the theoretical peak" if share > 1 else f"{100 * share:.0f} % of the theoretical peak"


def _wait_clause(wait: Wait | None, content: Content) -> str:
    if wait is None:
        return ""
    what = "Idle memory latency" if reaches_memory(content) else "Idle latency"
    return f"{what} is {show_seconds(wait.latency.middle)}{time_span(wait.latency)}."


def _load_clause(load: Load | None) -> str:
    if load is None:
        return ""
    wait = f"{show_seconds(load.latency.middle)}{time_span(load.latency)}"
    reached = f"{show_rate(load.bandwidth.middle)}{rate_span(load.bandwidth)}"
    return f"At the highest load, {reached}, an access takes {wait}."


def _first_words(content: Content) -> str:
    """The headline of a run without bandwidth and latency: its first conclusive insight; "" where there is none.

    What only explains other numbers makes no headline.
    """
    for section in content.sections.values():
        first = next((one for one in section.insights if one.conclusive), None)
        if first and section.sure and tables[section.name].place < BESIDE:
            return _begun(first.text)
    return ""


def _counted(content: Content) -> str:
    """What there is, where no number says anything."""
    rows = sum(len(section.rows) for section in content.sections.values())
    if not rows:
        return "This run has no finished experiment yet."
    tables = len(content.sections)
    return f"{rows} row{'' if rows == 1 else 's'} in {tables} table{'' if tables == 1 else 's'}."


def _audited(content: Content) -> str:
    """Nothing where every identity holds: that is the rule."""
    failures = content.audit.failures
    if not failures:
        return ""
    first = f"{failures[0].identity}: {failures[0].text}"
    many = f"{len(failures)} numbers break" if len(failures) > 1 else "1 number breaks"
    return f"Audit: {many} an identity. {first}."


def _begun(text: str) -> str:
    """With a capital letter, but for a first word that names a target: `sim:optane100`."""
    return text if ":" in text.split(" ", 1)[0].rstrip(":,") else f"{text[:1].upper()}{text[1:]}"


def _sure(content: Content) -> str:
    rows = judged(content)
    doubtful = sum(1 for row in rows if not row["conclusive"])
    if not rows:
        return ""
    if not doubtful:
        return "The only point is conclusive." if len(rows) == 1 else f"All {len(rows)} points are conclusive."
    if len(rows) == 1:
        return "The only point is inconclusive; it is marked."
    verb, marked = ("is", "it is") if doubtful == 1 else ("are", "they are")
    return f"{doubtful} of {len(rows)} points {verb} inconclusive; {marked} marked."


def _limits(content: Content) -> str:
    """What the insights say about what limits the bandwidth, and the size from which memory is measured."""
    told = {insight.name: insight for insight in content.conclusions}
    words = []
    scaling = told.get("scaling")
    if scaling and scaling.value is not None:
        adds = scaling.value >= ADDS_UP
        cores = "Each thread adds bandwidth: the cores are the limit, not the memory."
        words.append(cores if adds else "The threads share this bandwidth.")
        words.append(f"{scaling.text}.")
    if "effective_cache" in told:
        words.append(f"{_begun(told['effective_cache'].text)}.")
    return " ".join(words)


def _worst(content: Content) -> str:
    findings = [finding for finding in ranked(content.run.result.findings) if finding.verdict != "good"]
    if not findings:
        return ""
    worst = findings[0]
    effect = f" ({worst.effect})" if worst.effect else ""
    return f"Doctor: {worst.name}: {worst.state}{effect}."


def _over(speed: Speed | None) -> str:
    """A share over 1 is no feat."""
    if speed is None or (speed.row.peak_share or 0) <= 1:
        return ""
    return "That is more than the theoretical peak: either the peak is wrong, or some of the bytes never left a cache."


def _half(content: Content) -> str:
    return "" if content.run.result.complete else "The run is incomplete: `tierscope resume` continues it."
