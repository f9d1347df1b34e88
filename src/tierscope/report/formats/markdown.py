"""Markdown, for an issue or a merge request. A report is one text, an export shows runs side by side."""

import re
from collections.abc import Iterator, Sequence

from tierscope.compare.measures import measures
from tierscope.compare.points import named, points, said
from tierscope.draw import cells
from tierscope.errors import UsageError
from tierscope.printable import printable
from tierscope.record.origin import banner
from tierscope.record.origin import named as origin_named
from tierscope.record.result import Finding, Run
from tierscope.report import commands
from tierscope.report.content import Content, Section, gather, ranked
from tierscope.report.formats import Export, File, Format, Report, formats
from tierscope.report.method import method
from tierscope.report.provenance import host, model
from tierscope.report.top.parts import Top
from tierscope.report.top.shown import band_of, span_of, value_of
from tierscope.report.top.top import top
from tierscope.sound import reads

MOST_ROWS = 200  # what a person may still scroll through; the rest is in the CSV files


def one_text(run: Run) -> Iterator[File]:
    """Yield report.md."""
    yield File("report.md", render(gather(run)).encode())


@reads("the Markdown")
def render(content: Content) -> str:
    result = content.run.result
    found = top(content)
    origin = "" if result.origin == "real" else f" ({result.origin.upper()})"
    lines = [f"# Tierscope: {escape(host(result))}, {escape(result.suite)}{origin}", ""]
    if said := banner(result.origin, result.origin_by):
        lines += [escape(said), ""]
    lines += list(_top(found))
    for section in content.sections.values():
        lines += ["", *_section(content.run, section)]
    if result.origin == "imported":
        lines += ["", "## Method", "", *(f"**{escape(name)}**: {escape(text)}  " for name, text in method((), result))]
    lines += ["", "## Findings", "", *(_finding(finding) for finding in ranked(result.findings)), ""]
    version = escape(result.software.tierscope)
    lines.append(f"{code(commands.typed(content.run))}, started {escape(result.started)}, tierscope {version}")
    return "\n".join(lines) + "\n"


def _top(found: Top) -> Iterator[str]:
    """Yield the headline, the answers, the key numbers and the next steps."""
    yield from (f"**{escape(found.lead)}**", "", *(escape(line) + "  " for line in found.lines), "")
    for answer in found.answers:
        text = f" {escape(answer.text)}" if answer.text else ""
        yield f"- **{escape(answer.question)}** {escape(answer.short)}.{text}"
    if found.keys:
        yield from ("", "| number | | 95 % interval | | similar machines | |", "|---|---:|---|---|---|---|")
    for key in found.keys:
        cells = (key.name, value_of(key), span_of(key), key.about, band_of(key), key.verdict)
        yield f"| {' | '.join(escape(cell) for cell in cells)} |"
    if found.steps:
        yield from ("", "What to do next:", "")
    for number, step in enumerate(found.steps, start=1):
        yield f"{number}. {escape(step.text)}{f' {code(step.command)}' if step.command else ''}"


def _section(run: Run, section: Section) -> list[str]:
    if len(section.rows) > MOST_ROWS:
        return [f"## {escape(section.title)}", "", f"{len(section.rows)} rows, in the CSV files."]
    columns = section.used
    rule = "|".join("---:" if cells.is_number(column) else "---" for column in columns)
    rows = ["|".join(escape(cells.cell(row.get(c.name), c)) for c in columns) for row in section.rows]
    head = "|".join(escape(cells.head(column)) for column in columns)
    table = [f"|{head}|", f"|{rule}|", *(f"|{row}|" for row in rows)]
    points = [f"- {escape(insight.text)}" for insight in section.insights]
    repeat = [f"{label} {code(command)}  " for label, command in commands.alone(run, section.name)]
    failed = [f"- **audit** {escape(f'{one.identity}: {one.text}')}" for one in section.failures]
    return [f"## {escape(section.title)}", "", *points, *failed, "", *table, "", *repeat]


def _finding(finding: Finding) -> str:
    remedy = f" Remedy: {code(finding.remedy)}." if finding.remedy else ""
    state = f"{escape(finding.name)}: {escape(finding.state)}. {escape(finding.effect)}"
    return f"- **{escape(finding.verdict)}** {state}{remedy}"


def side_by_side(runs: Sequence[Run]) -> bytes:
    """Return the main number of each point, half of its interval, and a question mark where it is inconclusive."""
    found, names = points(runs), named(runs)
    if not found:
        raise UsageError("no table of these runs has a point to set side by side; csv has all values")
    lines = ["| run | host | processor | origin | started |", "|---|---|---|---|---|"]
    lines += [_run(name, run) for name, run in zip(names, runs, strict=True)]
    for table, rows in found.items():
        lines += ["", f"## {escape(table.replace('_', ' '))}", ""]
        lines.append("| point | " + " | ".join(escape(name) for name in names) + " |")
        lines.append("|---|" + "---:|" * len(names))
        for point, numbers in rows.items():
            told = [said(numbers.get(index), measures()[table].unit) for index in range(len(runs))]
            lines.append(f"| {escape(point)} | " + " | ".join(told) + " |")
    return ("\n".join(lines) + "\n").encode()


def _run(name: str, run: Run) -> str:
    result = run.result
    facts = (
        name,
        host(result),
        model(result),
        origin_named(result.origin, result.origin_by),
    )
    return f"| {' | '.join(escape(fact) for fact in facts)} | {escape(result.started)} |"


def escape(text: str) -> str:
    """Return text that Markdown shows unchanged: no markup, no HTML, no cell borders, one line."""
    flat = printable(re.sub(r"\s+", " ", text))
    flat = flat.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]|~])", r"\\\1", flat)


def code(text: str) -> str:
    """Return a command as code: fenced by more backticks than it contains."""
    flat = printable(re.sub(r"\s+", " ", text))
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", flat)), default=0))
    return f"{fence} {flat} {fence}" if len(fence) > 1 else f"`{flat}`"


formats.add(
    Format(
        "markdown",
        Report(
            "The report as Markdown, `report.md`: verdict, tables and findings, for an issue or a merge request.",
            one_text,
        ),
        Export(
            "Markdown: for each table one line per point and one column per run, for an issue or a merge request.",
            side_by_side,
        ),
    )
)
