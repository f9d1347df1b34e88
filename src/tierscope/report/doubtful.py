"""Why points of a run are inconclusive, in one line: the commonest reason, and what to do about it.

Reasons that differ in their numbers only are one; the line gives the numbers of the first point that has it, and
states so where there are several.
"""

import math
import re
from collections import Counter

from tierscope.record.origin import steadier
from tierscope.report.content import Content
from tierscope.report.picks import judged
from tierscope.stats.lost import BUSY as BUSY_MACHINE
from tierscope.stats.lost import OTHER_MARKS
from tierscope.stats.point import COLD
from tierscope.stats.summary import LONGER
from tierscope.stats.visited import BETWEEN, NOT_YET, ONCE, SLOWED, SLOWLY, WIDTHS

KNOBS = ("budget", "limit")  # options of suites that give a point more time
SHORT = (LONGER, "give a longer budget")  # ends of reasons that more time removes
ADVICE = re.compile(": ((?:name|use|give|run|leave|try|add|free|stop|take) .*)$")  # a reason that states its remedy
SCATTER = re.compile("±|wider than its own number|not steady")  # within a visit; `COLD` apart
ENOUGH_RUNS = 4  # earlier ones: they replace `stats.between_runs.GUEST`, and count as much as `stats.visits.ASSUMED`
PRECISIONS = (0.03, 0.05, 0.1, 0.2)  # that are proposed; less would not be a measurement
MOST = 0.75  # of the points that are too wide
OTHERS = re.compile(f"^other programs used|^others use the memory|: {BUSY_MACHINE}$")
HALF = 0.5
HALF_WIDTH = re.compile("±([0-9.]+) %")
FEW_VISITS, USUAL_VISITS = 2, 3  # a drift needs two; suites have three
RESTED, BUSY = 0.1, 0.25  # CPUs that other programs used in the mean: up to which they did nothing, from which much


def why(content: Content) -> str:
    """Return '2 of 3 points are inconclusive, 1 of them: the machine is busy'; "" where none is."""
    rows = judged(content)
    told = _reasons(content)
    if not told:
        return ""
    first, count, several = _commonest(told)
    if len(rows) == 1:
        return f"The only point is inconclusive: {first}"
    verb = "is" if len(told) == 1 else "are"
    often = f", {count} of them" if count < len(told) else ", all" if several else ""
    like = " like the first" if several else ""
    return f"{len(told)} of {len(rows)} points {verb} inconclusive{often}{like}: {first}"


def first_reason(content: Content) -> str:
    """Return the commonest reason, as the first point states it; "" where all points are conclusive."""
    told = _reasons(content)
    return _commonest(told)[0] if told else ""


def cause(content: Content) -> str:
    """Return the same without its numbers and its remedy, as a headline needs it: 'the machine is busy'."""
    reason = ADVICE.sub("", first_reason(content))
    if reason.endswith(SHORT):
        return "its points were too short"
    for mark in (", since ", ": "):
        if (last := reason.rpartition(mark)[2]) != reason and last.startswith(("the ", "others ")):
            return last
    return "its intervals are too wide" if reason.startswith("interval ") else reason


def next_step(content: Content) -> str:
    """Return what makes most of the inconclusive points conclusive; "" where there are none."""
    told = _reasons(content)
    return _step(content, _commonest(told)[0]) if told else ""


def more_visits(content: Content) -> dict[str, str]:
    """Return the options that halve the intervals of a run whose machine changes between visits; {} where none do.

    An interval is as wide as t / sqrt(visits): 9 in place of 4 make 3.18 / 2 into 2.31 / 3. They do not help where
    other programs disturb the run, or where an interval also contains what changes between runs. A `limit` ends the
    visits, so it grows with them.
    """
    if content.run.result.earlier is not None:
        return {}
    options = content.run.result.options
    visits, limit = options.get("visits"), options.get("limit")
    told = _reasons(content)
    if not isinstance(visits, int) or visits < 1 or content.run.result.origin != "real" or not told:
        return {}
    used = _used(content)
    if not _commonest(told)[0].endswith(BETWEEN) or (used is not None and used >= BUSY):
        return {}
    more = 2 * visits + 2
    found = {"visits": f"{more}"}
    if isinstance(limit, int | float) and limit > 0:
        found["limit"] = f"{math.ceil(limit * (more + 1) / (visits + 1))}s"
    return found


def second_visit(content: Content) -> dict[str, str]:
    """Return the options that let a run visit each point again, whose points were visited once; {} for others.

    A quiet machine does not help here: a drift needs two visits. Either the plan asked for one, or `limit` ended the
    visits.
    """
    options, told = content.run.result.options, _reasons(content)
    visits, limit = options.get("visits"), options.get("limit")
    if content.run.result.origin != "real" or not told or not _commonest(told)[0].endswith(ONCE):
        return {}
    asked = visits if isinstance(visits, int) else USUAL_VISITS
    found = {"visits": f"{USUAL_VISITS}"} if asked < FEW_VISITS else {}
    if isinstance(limit, int | float) and limit > 0:
        found["limit"] = f"{2 * limit:g}s"
    return found


def changes(content: Content) -> dict[str, str]:
    """Return the options with which the next run has more conclusive points; {} where the same run again may do."""
    return more_visits(content) or second_visit(content) or less_precision(content) or more_time(content)


def more_time(content: Content) -> dict[str, str]:
    """Return the options that double the time of a run whose points were too short; {} where that is not the cause.

    Points that scatter although no other program ran need more time, too.
    """
    told, options = _reasons(content), content.run.result.options
    if content.run.result.origin != "real" or not told:
        return {}
    first = _commonest(told)[0]
    if not first.endswith(SHORT) and not _scatters_at_rest(content, first):
        return {}
    given = {key: options.get(key) for key in KNOBS}
    return {key: f"{2 * value:g}s" for key, value in given.items() if isinstance(value, int | float) and value > 0}


def _scatters_at_rest(content: Content, reason: str) -> bool:
    """Return whether a point scatters within its visits, and no other program can be why."""
    used = _used(content)
    scatters = SCATTER.search(reason) and not reason.endswith((*WIDTHS, COLD))
    return bool(scatters) and used is not None and used < RESTED


def _options(options: dict[str, str]) -> str:
    return " ".join(f"{key}={value}" for key, value in options.items())


def advised(content: Content) -> bool:
    """Return whether the commonest reason states what to change, so that the same run again helps nobody."""
    told = _reasons(content)
    return bool(told and ADVICE.search(_commonest(told)[0]))


def _used(content: Content) -> float | None:
    """Return the mean number of CPUs that other programs used in the run; None where nothing was observed."""
    result = content.run.result
    seen = [one.background.cpus for one in (*result.records, *result.visits) if one.background]
    known = [used for used in seen if used is not None]
    return sum(known) / len(known) if known else None


def _reasons(content: Content) -> list[str]:
    """Return the reasons of each inconclusive point."""
    return [str(row.get("reasons") or "no reason is known") for row in judged(content) if not row["conclusive"]]


def _commonest(told: list[str]) -> tuple[str, int, bool]:
    """Return (the commonest reason, its points, whether they differ in their numbers).

    Points may have one visit because other programs took the time. A further visit next to these would be in doubt
    again, so they come first if they concern HALF as many points.
    """
    kinds = Counter(kind for text in told for kind in {same_but_numbers(reason): None for reason in text.split("; ")})
    (kind, count), *less = kinds.most_common()
    if kind.endswith(ONCE):
        kind, count = next(((one, n) for one, n in less if OTHERS.search(one) and n >= HALF * count), (kind, count))
    first = next(reason for text in told for reason in text.split("; ") if same_but_numbers(reason) == kind)
    many = {reason for text in told for reason in text.split("; ") if same_but_numbers(reason) == kind}
    return first, count, len(many) > 1


def _of_drift(content: Content, reason: str) -> str:
    """Return what helps on a machine that changes between visits or runs: more runs, until ENOUGH_RUNS are known, since
    the drift between runs is assumed until then; after that a lower precision.
    """
    earlier, used = content.run.result.earlier, _used(content)
    if reason.endswith(SLOWED) or (used is not None and used >= BUSY):
        return steadier(content.run.result.origin)
    if reason.endswith(NOT_YET):
        return "repeat it: four runs of the same points show how much they change from run to run"
    known = earlier.runs if earlier else 0
    if known < ENOUGH_RUNS and not reason.endswith(SLOWLY):
        runs = "1 earlier run of this machine is" if known == 1 else f"{known} earlier runs of this machine are"
        return f"repeat it: {runs} known, and {ENOUGH_RUNS} show how much it drifts"
    asked = _options(less_precision(content)) or "precision="
    return f"ask for a precision that this machine has ({asked}); tierscope compare A B --rerun 5 cancels drift"


def less_precision(content: Content) -> dict[str, str]:
    """Return the precision that MOST of the points have whose machine changes from run to run; {} where that is not
    the cause, and where it is none of PRECISIONS.
    """
    told = _reasons(content)
    if not told or not _commonest(told)[0].endswith(SLOWLY) or "precision" not in content.run.result.options:
        return {}
    halves = sorted(float(found[1]) / 100 for text in told if (found := HALF_WIDTH.search(text)))
    enough = halves[min(int(MOST * len(halves)), len(halves) - 1)] if halves else math.inf
    return next(({"precision": f"{100 * one:g}%"} for one in PRECISIONS if one >= enough), {})


def same_but_numbers(reason: str) -> str:
    """Return what a reason has in common with those that differ from it in numbers only."""
    return re.sub(r"[0-9]+([.][0-9]+)?|inf|nan", "#", reason)


def _step(content: Content, reason: str) -> str:
    result = content.run.result
    step = steadier(result.origin)
    if options := more_visits(content):
        used = _used(content)
        rested = used is not None and used < RESTED
        why = "no other program disturbed this run" if rested else "a quiet machine helps, too (tierscope doctor)"
        return f"repeat it with more visits of each point ({_options(options)}): {why}"
    if result.origin == "real" and reason.endswith(ONCE):
        again = _options(second_visit(content))
        return f"let it visit each point again{f' ({again})' if again else ', with more visits='}"
    if result.origin == "imported" or reason.endswith(WIDTHS):  # more time in each visit does not make visits alike
        return step if result.earlier is None else _of_drift(content, reason)
    if result.origin == "real" and reason.endswith(SHORT):
        longer = _options(more_time(content))
        return f"measure longer ({longer})" if longer else "measure longer"
    if advice := ADVICE.search(reason):
        return advice[1]
    if reason.endswith(OTHER_MARKS):
        return "see what tierscope doctor reports about the clock, and let nothing move the threads of this process"
    if result.origin == "real" and _scatters_at_rest(content, reason):
        longer = _options(more_time(content))
        return f"measure longer{f' ({longer})' if longer else ''}: no other program disturbed this run"
    given = {key: result.options.get(key) for key in KNOBS}
    had = " ".join(f"{key}={value:g}s" for key, value in given.items() if isinstance(value, int | float) and value)
    return f"{step}{f', with more time than {had}' if had else ''}"
