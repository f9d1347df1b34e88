"""The verdicts and the checks of the doctor, for docs/reference/doctor.md."""

from tierscope.cli.reference import Part, grid, parts
from tierscope.doctor.check import BANDWIDTH, EVERY, MEANINGS, NONE, Check, checks
from tierscope.doctor.text import VERDICTS
from tierscope.report.view import MARKS
from tierscope.tables import tables

PAGE = "docs/reference/doctor.md"
GROUPS = {EVERY: "all", BANDWIDTH: "bandwidth", NONE: "none"}


def row(check: Check) -> tuple[str, str, str, str, str]:
    """Return name, topics, what the check looks at, what to do, and whether `--apply` does it."""
    touches = GROUPS.get(check.touches) or ", ".join(check.touches)
    return f"`{check.name}`", touches, check.looks_at, check.advice, "yes" if check.applies else "no"


def _verdicts() -> str:
    rows = [(f"`{name}`", VERDICTS[name][0], MARKS[name], meaning) for name, meaning in MEANINGS.items()]
    return grid("verdict | in the terminal | on the page | meaning", rows)


def _topics() -> str:
    topics = sorted({topic for name in tables for topic in tables[name].topics})
    known = {topic: [f"`{name}`" for name in tables if topic in tables[name].topics] for topic in topics}
    return grid("topic | tables", [(topic, ", ".join(names)) for topic, names in known.items()])


def _checks() -> str:
    return grid("check | topics | what it looks at | what to do | `--apply`", [row(checks[name]) for name in checks])


parts.add(Part("verdicts", PAGE, _verdicts))
parts.add(Part("topics", PAGE, _topics))
parts.add(Part("checks", PAGE, _checks))
