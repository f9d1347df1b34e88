"""The pages of a fleet: static files that need no network. One for the fleet, and one for each suspect.

The style is that of the report of a run. The table of all machines is data in the page that a short script shows: at
most SHOWN rows at a time, so that 10,000 machines are searched and sorted immediately.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from markupsafe import Markup

from tierscope.files import write_atomically
from tierscope.fleet.outliers_result import Outliers, Suspect
from tierscope.fleet.page.charts import distribution, timeline
from tierscope.fleet.page.words import lead, percent, size, unchanged
from tierscope.fleet.trend_result import Trend
from tierscope.report.pages import PAGE, colours, pages

HERE = Path(__file__).parent
OWN = re.compile(r"[0-9a-f]{16}\.html")  # the page of a suspect
CHARTS = 12  # groups that are drawn, the largest; the table has all
WORST = "wrong answers"
HEALTHY = "like its peers"


class Machine(NamedTuple):
    """One machine of the table."""

    host: str
    machine: str
    group: str


class Fleet(NamedTuple):
    """All that the pages show. machines: of the day; past: machine -> (day, deviation from its peers).

    failed: hosts that did not answer in the first session of the day; later: a sentence about a day without reports.
    """

    title: str
    outliers: Outliers
    trend: Trend
    machines: Sequence[Machine]
    failed: Mapping[str, str]
    past: Mapping[str, Sequence[tuple[str, float]]]
    later: str = ""


def write_pages(fleet: Fleet, page: Path) -> int:
    """Write the page of the fleet, and of each suspect below NAME-hosts/; return the number of suspects."""
    folder = page.with_name(f"{page.stem}-hosts")
    write_atomically(page, _fleet(fleet, folder.name).encode())
    names = {_file(suspect.machine) for suspect in fleet.outliers.suspects}
    for suspect in fleet.outliers.suspects:
        folder.mkdir(exist_ok=True)
        write_atomically(folder / _file(suspect.machine), _host(fleet, suspect, f"../{page.name}").encode())
    for path in folder.glob("*.html"):
        if OWN.fullmatch(path.name) and path.name not in names:  # of a former suspect
            path.unlink()
    return len(names)


def _fleet(fleet: Fleet, folder: str) -> str:
    found = fleet.outliers
    by_group: dict[str, list[tuple[float, Suspect | None]]] = {}
    suspects = {one.machine: one for one in found.suspects}
    for one in fleet.machines:
        if one.machine in found.scores:
            by_group.setdefault(one.group, []).append((found.scores[one.machine], suspects.get(one.machine)))
    groups = sorted(found.groups, key=lambda one: -one.machines)
    drawn = {one.name: distribution(by_group[one.name]) for one in groups[:CHARTS] if by_group.get(one.name)}
    charts = {name: Markup(picture) for name, picture in drawn.items()}  # noqa: S704 (texts are escaped by the renderer)
    link = {one.machine: f"{folder}/{_file(one.machine)}" for one in found.suspects}
    return _render(
        "fleet", title=fleet.title, lead=lead(found, fleet.failed), found=found, trend=fleet.trend, groups=groups,
        charts=charts, failed=fleet.failed, later=fleet.later, unchanged=unchanged(fleet.trend), link=link,
        data=Markup(_data(fleet, suspects, folder)),  # noqa: S704
        script=Markup((HERE / "table.js").read_text(encoding="utf-8")),  # noqa: S704
    )  # fmt: skip


def _host(fleet: Fleet, suspect: Suspect, back: str) -> str:
    past = fleet.past.get(suspect.machine, ())
    group = next((one for one in fleet.outliers.groups if one.name == suspect.group), None)
    changes = [one for one in fleet.trend.changes if one.machine == suspect.machine]
    chart = Markup(timeline(past, group.spread if group else 0.0)) if past else ""  # noqa: S704
    return _render(
        "host", title=suspect.host, suspect=suspect, group=group, chart=chart, changes=changes, back=back,
        day=fleet.outliers.day, origin=fleet.outliers.origin,
    )  # fmt: skip


def _render(name: str, **words: Any) -> str:
    text = (HERE / f"{name}.html.jinja").read_text(encoding="utf-8")
    style = colours() + (PAGE / "page.css").read_text(encoding="utf-8") + (HERE / "fleet.css").read_text("utf-8")
    return pages().from_string(text).render(style=Markup(style), percent=percent, size=size, **words)  # noqa: S704


def _data(fleet: Fleet, suspects: Mapping[str, Suspect], folder: str) -> str:
    """Return rows [host, group, score in 1e-4, verdict, page] as JSON that is safe in a page."""
    names = sorted({one.group for one in fleet.machines})
    number = {name: place for place, name in enumerate(names)}
    wrong = {one.machine for one in fleet.outliers.wrong}
    rows = []
    for one in fleet.machines:
        score, suspect = fleet.outliers.scores.get(one.machine), suspects.get(one.machine)
        verdict = WORST if one.machine in wrong else suspect.verdict if suspect else HEALTHY
        row: list[Any] = [one.host, number[one.group], None if score is None else round(score * 1e4), verdict]
        rows.append(row if verdict != HEALTHY else row[:3])
        if suspect:
            row.append(f"{folder}/{_file(one.machine)}")
    text = msgspec.json.encode({"groups": names, "healthy": HEALTHY, "rows": rows}).decode()
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _file(machine: str) -> str:
    """Return the name of a suspect's page, without any text of the host."""
    return f"{hashlib.sha256(machine.encode()).hexdigest()[:16]}.html"
