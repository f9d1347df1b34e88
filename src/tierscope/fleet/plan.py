"""The plan of a fleet: one for the core, whose `measure` lines name their metric, `measure seconds=0.1 # NAME`.

It is a template: the host puts its own CPUs, nodes and footprints in (`canary`). So one digest names the plan of all
hosts. A `measure` of the same metric again is another visit.

The digest is that of the text on a host with pages of 4 KiB. A plan that named these pages `4k` in an earlier version
and leaves them to the host now is therefore the same plan, and the fleet's history continues.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tierscope.core.ask import catalogue
from tierscope.core.plan import USUAL, group_words
from tierscope.errors import UsageError, reason
from tierscope.plans import suites
from tierscope.plans.options import read_options
from tierscope.record.experiment import Experiment
from tierscope.suites.groups.experiments import OwnGroups, read_groups

METRIC = re.compile(r"#\s*([A-Za-z0-9_.:+-]{1,120})\s*$")
SUITE = "suite "  # begins the plan of a suite
FILES = "groups"  # the suite of a file of groups
VISITS = 3  # of each experiment of a file
LONGEST_S = 1.0  # of a batch of a file
BASE = "@base@"  # the smallest pages of the host: 4k, 16k or 64k, also in the name of a metric
USUAL_BASE = "4k"


@dataclass(frozen=True, slots=True)
class FleetPlan:
    """A plan and its name. text: lines of a plan with words in @, which the host replaces."""

    name: str
    text: str

    @property
    def suite(self) -> tuple[str, ...]:
        """Return the words of `tierscope run` where the plan is a suite, else nothing."""
        return tuple(self.text.removeprefix(SUITE).splitlines()) if self.text.startswith(SUITE) else ()

    @property
    def digest(self) -> str:
        """Return twelve hex digits of its text with pages of 4 KiB."""
        return hashlib.sha256(self.text.replace(BASE, USUAL_BASE).encode()).hexdigest()[:12]


def metric_of(line: str) -> str:
    """Return the metric that a `measure` names; UsageError for one without a name."""
    found = METRIC.search(line)
    if found is None:
        raise UsageError(f"{line!r} names no metric; write `measure seconds=0.1 # NAME`")
    return found[1]


def read_plan(word: str, options: Mapping[str, str] | None = None) -> FleetPlan:
    """Return the plan that a user names: `canary`, a suite with its options, or a TOML file of groups.

    A suite decides while it runs, so its plan is the words of `tierscope run`, which this machine runs for each host.
    """
    from tierscope.fleet import canary

    if word in suites and word != FILES:
        return of_suite(word, options or {})
    if options:
        raise UsageError(f"{word} takes no options, and {'='.join(next(iter(options.items())))} is one; name a suite")
    if word == canary.NAME:
        return canary.canary()
    path = Path(word)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = reason(error) if isinstance(error, OSError) else str(error)
        raise UsageError(
            f"plan {word!r} is neither canary, nor a suite, nor a file that can be read: {why}; "
            "`tierscope suites` lists the suites"
        ) from error
    return of_groups(path.stem, read_groups(text, catalogue(pools=False).tasks()))


def of_suite(name: str, options: Mapping[str, str]) -> FleetPlan:
    """Return the plan of a suite; UsageError for a wrong option, before any host is asked."""
    read_options(name, suites[name].options, dict(options))
    return FleetPlan(name, f"{SUITE}{name}\n" + "".join(f"{key}={word}\n" for key, word in sorted(options.items())))


def of_groups(name: str, groups: OwnGroups) -> FleetPlan:
    """Return the plan of a file of groups; its CPUs and nodes are those of every host."""
    lines = [line for _ in range(VISITS) for one in groups.experiments for line in _lines(one)]
    return FleetPlan(re.sub(r"[^A-Za-z0-9_.-]", "-", name)[:60] or "plan", "\n".join(lines) + "\n")


def _lines(one: Experiment) -> Iterator[str]:
    for group in one.groups:
        words = {key: word for key, word in group_words(group).items() if USUAL.get(key) != word}  # as a person types
        yield " ".join(["group", *(f"{key}={word}" for key, word in words.items())])
    label = re.sub(r"[^A-Za-z0-9_.:+-]+", "-", str(one.labels.get("label", ""))).strip("-")[:80] or "groups"
    seconds = min(one.schedule.budget_s, LONGEST_S)
    yield from ("prepare", f"measure seconds={seconds:g}s block={one.schedule.block_s:g}s # {label}", "check", "drop")
