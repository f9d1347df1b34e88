"""Settings of the machine that differ between runs, as the checks of `doctor` found them at the start of each.

A setting that both runs know, and that differs, may explain a change of numbers: the comparison and the history name
it. They do not judge by it, since a user may compare two runs to see what a setting does. One that a run does not
know, as a guest that sees no clock, may differ as well.

Two states that are both good differ only in words, such as "off" and "not built into this kernel". The states of
CHOSEN name the setting itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tierscope.record.glance import Seen
from tierscope.record.result import Finding

SETTINGS = (
    "governor", "turbo", "smt", "cpus", "cgroup_cpu", "resctrl", "thp", "numa_balancing", "demotion", "damon",
    "isolation",
)  # fmt: skip
"""Checks whose states are settings: they contain no counts, loads or sizes of the moment."""

CHOSEN = frozenset({"governor", "cpus", "thp"})
GOOD, UNKNOWN = "good", "unknown"
SHOWN = 5  # settings in a note


@dataclass(frozen=True, slots=True)
class Changed:
    """A setting, and its states in words."""

    name: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.name} ({self.before} before, {self.after} after)"


def changed(before: Seen, after: Seen) -> tuple[Changed, ...]:
    """Return the settings that both know, and that differ."""
    return differing(known(before), known(after))


def differing(old: Mapping[str, Finding], new: Mapping[str, Finding]) -> tuple[Changed, ...]:
    """Return the settings of both that differ."""
    pairs = [(name, old[name], new[name]) for name in SETTINGS if name in old and name in new]
    return tuple(
        Changed(name, one.state, other.state)
        for name, one, other in pairs
        if one.state != other.state and (name in CHOSEN or not one.verdict == other.verdict == GOOD)
    )


def note(before: Seen, after: Seen) -> str:
    """Return the settings that differ as a note; "" if none does."""
    found = changed(before, after)
    return (
        f"Note: settings of the machine differ: {listed(found)}. The ratios may contain their effect." if found else ""
    )


def listed(found: Sequence[Changed]) -> str:
    """Return the first SHOWN settings, and how many more there are."""
    more = len(found) - SHOWN
    return ", ".join(map(str, found[:SHOWN])) + (f" and {more} more" if more > 0 else "")


def not_known(before: Seen, after: Seen) -> tuple[str, ...]:
    """Return the settings that one of the runs looked at and could not find out: they may differ."""
    unknown = {one.name for run in (before, after) for one in run.result.findings if one.verdict == UNKNOWN}
    return tuple(name for name in SETTINGS if name in unknown)


def known(run: Seen) -> dict[str, Finding]:
    """Return the settings of a run whose state is known, by name."""
    return {one.name: one for one in run.result.findings if one.name in SETTINGS and one.verdict != UNKNOWN}
