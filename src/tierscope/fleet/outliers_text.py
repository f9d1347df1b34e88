"""Outliers as lines of a terminal, and the exit status that they deserve."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from tierscope.errors import Exit
from tierscope.fleet.confirm_plan import ConfirmPlan
from tierscope.fleet.outliers_result import Group, Outliers, Size, Suspect

SHOWN = 20
NAMED = 10  # suspects without their sessions


def percent(size: Size) -> str:
    """Return '5.1 % (4.7 to 5.6)'."""
    return f"{100 * size.value:.1f} % ({100 * size.low:.1f} to {100 * size.high:.1f})"


def many(count: int, what: str) -> str:
    """Return '1 host' or '2 hosts'."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def status(found: Outliers) -> Exit:
    """Return FAILED for anything found, INCONCLUSIVE for suspects without their sessions, or if no host has peers."""
    worse = any(one.slower_than_before for one in found.groups)
    if found.wrong or found.inefficient or worse or any(one.verdict != "inconclusive" for one in found.suspects):
        return Exit.FAILED
    return Exit.INCONCLUSIVE if open_suspects(found) or not found.groups else Exit.GOOD


def open_suspects(found: Outliers) -> list[Suspect]:
    """Return the suspects that still need sessions."""
    return [one for one in found.suspects if one.verdict == "inconclusive" and not one.tested]


def lines(found: Outliers, plan: ConfirmPlan | None, directory: Path) -> Iterator[str]:
    """Yield the answer, the worst first."""
    verdicts, place = Counter(one.verdict for one in found.suspects), quote(str(directory))
    yield (f"{many(found.machines, 'host')} on {found.day} ({many(found.window_days, 'day')}, "
           f"{many(found.metrics, 'metric')}, {found.origin}): "
           f"{verdicts['slower']} slower than their peers, {verdicts['odd']} odd, "
           f"{verdicts['inconclusive']} inconclusive")  # fmt: skip
    if alone := found.machines - sum(one.machines for one in found.groups):
        yield f"  {many(alone, 'host')} not compared with peers: too few are like them; see tierscope fleet trend"
    sure = [one for one in found.suspects if one.verdict != "inconclusive"]
    for one in sure[:SHOWN]:
        yield f"  {one.host}: {_told(one)}"
    yield from _more(len(sure))
    if waiting := [one.host for one in open_suspects(found)]:
        yield f"  suspects: {', '.join(waiting[:NAMED])}{', ...' if len(waiting) > NAMED else ''}"
    for wrong in found.wrong[:SHOWN]:
        yield f"  {wrong.host}: wrong answers on {wrong.day}; take it out of service"
    yield from _more(len(found.wrong))
    for low in found.inefficient[:SHOWN]:
        yield (f"  {low.host or low.group}: {low.efficiency:.0%} of its peak, peers reach {low.expected:.0%}; "
               "look for missing channels or a lower clock")  # fmt: skip
    yield from _more(len(found.inefficient))
    for group in found.groups:
        yield from _group(group)
    if found.listed:
        yield f"  remarks on this day: {len(found.listed)}; to list them: tierscope fleet collect {place}"
    if plan is not None:
        yield (f"next: {plan.sessions} further sessions of {len(plan.suspects)} suspects and {len(plan.controls)} "
               f"controls, as {quote(str(directory / 'confirm.json'))} lists them")  # fmt: skip
        engine = "imagine" if found.origin == "synthetic" else "run --via ENGINE --out"
        each = "" if found.origin == "synthetic" else "once for each session, at other hours: "
        yield f"  {each}tierscope fleet {engine} {place} --confirm"


def _told(one: Suspect) -> str:
    metrics = ", ".join(each.metric for each in one.metrics if each.confirmed and each.metric != "all")
    more = f"; {'; '.join(one.unlike)}" if one.unlike else ""
    if one.verdict == "odd":
        return f"odd: {one.reason}{more}"
    where = one.reason.removeprefix("slower than its peers in ") if len(metrics) > 60 or not metrics else metrics
    return f"slower than its peers by {percent(one.slower)}: {where}{more}"


def _group(group: Group) -> Iterator[str]:
    beside = f" compared with {group.peers} like them" if group.peers > group.machines else ""
    yield (f"group {group.name}: {many(group.machines, 'host')}{beside}, spread {100 * group.spread:.1f} %; this run "
           f"can see {100 * group.sees:.1f} % on all metrics, {100 * group.sees_one:.1f} % on one")  # fmt: skip
    if group.slower_than_before is not None:
        yield f"  the whole group is slower than in its first days by {percent(group.slower_than_before)}"
    if group.modes_apart is not None and group.slow_share is not None:
        kinds = (
            f"  two kinds, {100 * group.modes_apart:.1f} % apart, {group.slow_share:.0%} of the hosts in the slower one"
        )
        if group.covariate is None:
            yield f"{kinds}: no stored fact separates them"
        else:
            values = ", ".join(group.covariate.slow_values[:3])
            yield f"{kinds}: {group.covariate.fact}={values} ({group.covariate.agreement:.0%} agree)"


def _more(count: int) -> Iterator[str]:
    if count > SHOWN:
        yield f"  {count - SHOWN} more; --json lists all"
