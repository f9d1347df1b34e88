"""The verdicts and the checks of the doctor, for docs/reference/doctor.md."""

from tierscope.cli.reference import Part, grid, parts
from tierscope.doctor.check import BANDWIDTH, EVERY, MEANINGS, NONE, Check, checks
from tierscope.doctor.text import VERDICTS
from tierscope.report.view import MARKS

PAGE = "docs/reference/doctor.md"
GROUPS = {EVERY: "all", BANDWIDTH: "bandwidth", NONE: "none"}


def row(check: Check) -> tuple[str, str, str, str]:
    """Return name, affected tables, what the check looks at, and what to do."""
    touches = GROUPS.get(check.touches) or ", ".join(check.touches)
    return f"`{check.name}`", touches, check.looks_at, check.advice


def _verdicts() -> str:
    rows = [(f"`{name}`", VERDICTS[name][0], MARKS[name], meaning) for name, meaning in MEANINGS.items()]
    return grid("verdict | in the terminal | on the page | meaning", rows)


def _groups() -> str:
    named = {"all": EVERY, "bandwidth": BANDWIDTH}
    rows = [(word, ", ".join(f"`{name}`" for name in sorted(tables))) for word, tables in named.items()]
    return grid("affects | tables", [*rows, ("none", "no table, except of a target that the check is about")])


def _checks() -> str:
    return grid("check | affects | what it looks at | what to do", [row(checks[name]) for name in checks])


parts.add(Part("verdicts", PAGE, _verdicts))
parts.add(Part("groups-of-tables", PAGE, _groups))
parts.add(Part("checks", PAGE, _checks))
