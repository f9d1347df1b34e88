"""The data of the page's template: plain text that is still to be escaped, never markup."""

from dataclasses import dataclass
from typing import Any

from tierscope import __version__
from tierscope.draw import cells
from tierscope.record.experiment import Label
from tierscope.record.origin import banner
from tierscope.record.result import Finding, Run
from tierscope.report import commands
from tierscope.report.content import Content, Drawing, Section, ranked
from tierscope.report.method import method
from tierscope.report.provenance import (
    EXPERIMENT,
    experiments,
    host,
    machine_facts,
    origin_facts,
    software_facts,
    state_facts,
    warnings,
    where,
)
from tierscope.report.top.parts import Key
from tierscope.report.top.shown import LENGTH, line_of, span_of, value_of
from tierscope.report.top.top import top
from tierscope.tables import Column, Flat

MOST_CELLS = 9000  # of one table in the page, about 250 KiB: nobody reads more; the CSV files contain all
POINTS = 6  # observations below a figure; the others are folded away
MOST_FAILURES = 40  # of the audit in the page; `tierscope audit` has all
MARKS = {"bad": "Problem", "unknown": "Unknown", "note": "Note", "good": "Good"}


@dataclass(frozen=True, slots=True)
class Part:
    """One figure with the text under it, or a table without a figure."""

    name: str
    title: str
    short: str  # for the list of parts
    reading: str
    points: list[str]
    details: list[str]  # folded away
    figure: str  # "" for none
    axes: list[tuple[str, str]]
    notes: list[str]
    findings: list[str]  # names of the bad ones that touch this table; the page shows each of them once
    doubts: int  # how many others touch it
    failures: list[str]  # identities that its numbers do not keep
    table: dict[str, Any] | None
    count: int
    commands: list[tuple[str, str]]


def page(content: Content) -> dict[str, Any]:
    """Return every name that the template uses, but for styles, scripts and specifications."""
    run = content.run
    result = run.result
    machine = result.machine
    found = top(content)
    return {
        "origin": result.origin,
        "banner": banner(result.origin, result.origin_by),
        "title": f"{'' if result.origin == 'real' else result.origin.upper() + ': '}{found.lead} | {host(result)}",
        "where": where(result),
        "top": found,
        "keys": [_key(key) for key in found.keys],
        "parts": parts(content),
        "machine": machine_facts(machine, known=result.origin != "imported") + origin_facts(result),
        "state": state_facts(machine),
        "all_findings": [_finding(finding) for finding in ranked(result.findings)],
        "problems": sum(finding.verdict == "bad" for finding in result.findings),
        "simulated": result.machine.simulated,
        "warnings": warnings(run),
        "failures": [f"{one.identity}: {one.text}" for one in content.audit.failures[:MOST_FAILURES]],
        "failed": len(content.audit.failures),
        "checked": sum(content.audit.checked.values()),
        "method": method(tuple(content.sections), result),
        "experiments": _grid("experiments", EXPERIMENT, experiments(run)),
        "software": software_facts(result),
        "whole": commands.whole(run),
        "version": __version__,
        "started": result.started,
    }


def _key(key: Key) -> dict[str, Any]:
    """Return a key number as text, with its band as places on a line."""
    return {
        "name": key.name, "value": value_of(key), "span": span_of(key), "about": key.about,
        "line": line_of(key), "length": LENGTH, "verdict": key.verdict, "mark": key.mark,
    }  # fmt: skip


def parts(content: Content) -> list[Part]:
    """Return drawings in order, each table under the first figure that shows it; then tables that no figure shows."""
    shown: set[str] = set()
    found = []
    for drawing in content.drawings:
        found.append(_part(content.run, drawing.section, drawing, drawing.section.name in shown))
        shown.add(drawing.section.name)
    rest = [section for name, section in content.sections.items() if name not in shown]
    return found + [_part(content.run, section, None, False) for section in rest]


def _part(run: Run, section: Section, drawing: Drawing | None, again: bool) -> Part:
    told = () if again else section.findings
    own = [] if again else section.insights
    said = [insight.text for insight in own if not insight.detail]
    meta = drawing.spec["usermeta"]["tierscope"] if drawing else {}
    few = len(section.rows) * len(section.used) <= MOST_CELLS and not again and section.name != "series"
    return Part(
        name=drawing.figure.name if drawing else f"only-{section.name}",
        title=drawing.figure.title if drawing else section.title,
        short=(drawing.figure.name if drawing else section.name).replace("_", " ").capitalize(),
        reading=drawing.figure.reading if drawing else "",
        points=said[:POINTS],
        details=said[POINTS:] + [insight.text for insight in own if insight.detail],
        figure=drawing.figure.name if drawing else "",
        axes=list(meta.get("axes", {}).items()),
        notes=meta.get("notes", []),
        findings=[finding.name for finding in told if finding.verdict == "bad"],
        doubts=sum(finding.verdict != "bad" for finding in told),
        failures=[] if again else [f"{one.identity}: {one.text}" for one in section.failures[:MOST_FAILURES]],
        table=_grid(section.name, section.used, section.rows) if few else None,
        count=len(section.rows),
        commands=commands.alone(run, section.name)[:1],
    )


def _grid(name: str, columns: tuple[Column, ...], rows: list[Flat]) -> dict[str, Any]:
    heads = [{"name": c.name, "title": cells.head(c), "number": cells.is_number(c)} for c in columns]
    cut = rows[: MOST_CELLS // max(1, len(columns))]
    filled = [[_cell(row.get(c.name), c) for c in columns] for row in cut]
    return {"id": name, "heads": heads, "rows": filled, "total": len(rows)}


def _cell(value: Label, column: Column) -> dict[str, Any]:
    raw = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return {"raw": raw, "text": cells.cell(value, column), "number": cells.is_number(column)}


def _finding(finding: Finding) -> dict[str, Any]:
    mark = finding.verdict if finding.verdict in MARKS else "unknown"
    return {
        "mark": mark,
        "word": MARKS[mark],
        "name": finding.name,
        "state": finding.state,
        "effect": finding.effect,
        "remedy": finding.remedy,
        "needs_root": finding.needs_root,
    }
