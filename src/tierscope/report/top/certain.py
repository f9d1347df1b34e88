"""How sure: what part of a run is conclusive, how precise the key numbers are, and why the rest is not."""

from collections.abc import Sequence
from datetime import datetime

from tierscope.report.content import Content
from tierscope.report.doubtful import why
from tierscope.report.picks import judged
from tierscope.report.top.bounds import QUESTION, bounded
from tierscope.report.top.memory import Memory
from tierscope.report.top.parts import BAD, GOOD, NOTE, Answer, Key
from tierscope.units import NO_SCATTER, ROUNDING

SHOWN = 2  # earlier runs that show a drift at least
TWO_DAYS = 2
LEAST = 0.1  # percent that a sentence states
NEARLY, HALF = 0.95, 0.5  # of the points, and of the numbers of a memory


def certain(content: Content, keys: Sequence[Key], found: Memory | None = None) -> Answer:
    """Return how far a reader may trust this run.

    found: the numbers of its memory, if it has any. The worse of them and of all points decides, as in the headline.
    """
    rows = judged(content)
    sure = sum(bool(row["conclusive"]) for row in rows)
    failures = content.audit.failures
    if failures:
        short = f"No: {len(failures)} number{'s are' if len(failures) > 1 else ' is'} impossible"
        return Answer(QUESTION, short, _audited(content), BAD)
    if not rows:
        return bounded(content) or Answer(QUESTION, "Not judged: these rows have no intervals")
    texts = [_precise(keys), _lasting(content), _because(content)]
    text = " ".join(one for one in texts if one)
    if sure == len(rows) and content.run.result.complete:
        return Answer(QUESTION, "The only point is conclusive" if sure == 1 else f"Sure: all {sure} points", text, GOOD)
    if not content.run.result.complete:
        return Answer(QUESTION, f"Not yet: the run is incomplete; {sure} of {len(rows)} points so far", text, NOTE)
    points = f"{_numbers(found)}{sure} of {len(rows)} points"
    shares = [sure / len(rows), *([found.known / found.measured] if found and found.measured else [])]
    if min(shares) >= NEARLY:
        return Answer(QUESTION, f"Sure: {points}", text, GOOD)
    return Answer(QUESTION, f"{'Fairly' if min(shares) >= HALF else 'Not yet'}: {points}", text, NOTE)


def _numbers(found: Memory | None) -> str:
    """Return '1 of 4 key numbers, ' where some are missing; "" where all of them are known."""
    if not found or found.known == found.measured:
        return ""
    return f"{found.known} of {found.measured} key numbers, "


def _precise(keys: Sequence[Key]) -> str:
    """Return 'Key numbers are within ±0.5 to 1.8 %.'; simulated ones have no scatter."""
    halves = [
        (key.high - key.low) / 2 / key.value
        for key in keys
        if key.low is not None and key.high is not None and key.value > 0 and not key.rough
    ]
    if not halves:
        return ""
    if max(halves) <= ROUNDING:
        return f"Key numbers have {NO_SCATTER}."
    least, most = f"{100 * min(halves):.1f}", f"{max(100 * max(halves), LEAST):.1f}"
    return (
        f"Key numbers are within ±{least} to {most} %."
        if LEAST <= float(least) < float(most)
        else (f"Key numbers are within ±{most} %.")
    )


def _lasting(content: Content) -> str:
    """Return what the intervals of several visits contain, and what not; "" where nothing was visited again."""
    result = content.run.result
    if result.origin != "real" or not result.visits:
        return ""
    seconds = sum(record.seconds for record in (*result.records, *result.visits))
    within = f"Intervals contain what changed within the {seconds:.0f} s of this run"
    if result.earlier is None:
        return f"{within}, not slower changes."
    if (one := result.earlier.assumed) and result.earlier.runs <= one.degrees:
        assumed = f"slower changes as on other virtual machines ({100 * one.variance**0.5:.0f} %)"
        return f"{within}, and {assumed} until four runs show those of this machine."
    if result.earlier.runs < SHOWN:
        return f"{within}, and as much again for slower changes, since no earlier runs of this machine show them."
    runs, days = result.earlier.runs, _days(result.earlier.since, result.started)
    return f"{within}, and slower changes as {runs} earlier runs{days} show them."


def _days(since: str, until: str) -> str:
    """Return ' of 3 days': how far back the earlier runs go."""
    days = (datetime.fromisoformat(until) - datetime.fromisoformat(since)).total_seconds() / 86400
    return f" of {days:.0f} days" if days >= TWO_DAYS else f" of {24 * days:.0f} hours" if 24 * days >= 2 else ""


def _because(content: Content) -> str:
    told = why(content)
    return f"{told}." if told else ""


def _audited(content: Content) -> str:
    first = content.audit.failures[0]
    return f"Audit: {first.identity}: {first.text}."
