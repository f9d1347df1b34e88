"""The finding `load`, judged over the whole run instead of the minute before it.

A program that ended before the run, such as a build, raises the load average and disturbs nothing. While a run
lasts, each visit states how many CPUs other programs used. Their mean takes the place of the load average.
Blind to programs that run during calibration alone, and to those of other guests of the same host: see `steal`.
"""

from collections.abc import Sequence

import msgspec

from tierscope.doctor.checks.load import BAD, EFFECT, SOME
from tierscope.record.result import Finding, Record, Result

NAME = "load"
FEWEST = 3  # visits that were watched: the mean of fewer is uncertain


def over_the_run(result: Result) -> tuple[Finding, ...]:
    """Return the findings of a run, with the load that its visits met where that is known."""
    found = _load(result)
    if found is None:
        return result.findings
    return tuple(_restated(one, *found) if one.name == NAME else one for one in result.findings)


def _load(result: Result) -> tuple[float, float, int] | None:
    """Return (mean, most, CPUs) of other programs while points were measured; weighed by the time of each visit."""
    known = _watched((*result.records, *result.visits))
    cpus = len(result.machine.identity.cpus)  # others may use those that are forbidden here
    total = sum(seconds for _, seconds in known)
    if len(known) < FEWEST or not cpus or not total:
        return None
    return sum(used * seconds for used, seconds in known) / total, max(used for used, _ in known), cpus


def _watched(records: Sequence[Record]) -> list[tuple[float, float]]:
    """Return (CPUs that others used, seconds) of each visit that was watched."""
    return [
        (record.background.cpus, record.seconds)
        for record in records
        if record.background is not None and record.background.cpus is not None
    ]


def _restated(before: Finding, mean: float, most: float, cpus: int) -> Finding:
    state = f"other programs used {mean:.2f} CPUs of {cpus} during the run, at most {most:.2f} during one point"
    verdict = "good" if mean < SOME * cpus else "bad" if mean >= BAD * cpus else "note"
    quiet = verdict == "good"
    remedy = "" if quiet else "top -b -n 1 | head -15"
    return msgspec.structs.replace(
        before, state=state, verdict=verdict, effect="" if quiet else EFFECT, remedy=remedy, needs_root=False
    )
