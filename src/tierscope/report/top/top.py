"""The first thing a reader sees, put together from its parts.

Nothing is computed from samples here: rows, insights, findings and the reference set are. Only conclusive numbers are
on top; where most points are inconclusive, the headline states it, with the reason and the next step.
"""

from tierscope.record.experiment import real
from tierscope.report.content import Content
from tierscope.report.top.brief import begun
from tierscope.report.top.certain import certain
from tierscope.report.top.cpus import cpus_of
from tierscope.report.top.keys import keys
from tierscope.report.top.lead import lead, passed
from tierscope.report.top.limits import limits
from tierscope.report.top.memory import memory_of
from tierscope.report.top.parts import Answer, Top
from tierscope.report.top.steps import steps
from tierscope.report.top.usual import among, usual
from tierscope.tables import BESIDE, tables


def top(content: Content) -> Top:
    """Return the top of the page of any run, also one that measured a single table or nothing yet."""
    found, compared = memory_of(content), among(content)
    cpus = cpus_of(content.run.result.machine, found.target) if found else None
    memory = found and cpus and not _leads(content) and (content.rows("stream") or content.rows("loaded_latency"))
    first, limit = limits(found, cpus) if found and cpus and memory else (None, "")
    told = lead(content, found, cpus, limit)
    first = first if memory else _asked(content, told)
    numbers = keys(content, found, compared, peak=bool(cpus and cpus.whole))
    answers = (first, usual(content, compared), certain(content, numbers, found))
    return Top(told, _lines(content), tuple(one for one in answers if one), numbers, steps(content, found))


def _leads(content: Content) -> bool:
    """Return whether a table of the run answers a question that comes before those of a memory."""
    return any(section.asked.leads for section in content.sections.values() if section.asked)


def _asked(content: Content, headline: str) -> Answer | None:
    """Return the question of the first table that has one, with its answer; None where the headline is all of it.

    headline: the answer does not repeat it.
    """
    for section in content.sections.values():
        asked = section.asked
        if asked is None or tables[section.name].place >= BESIDE:
            continue
        if not content.run.result.complete:
            return Answer(asked.question, "Not known yet: the run is incomplete")
        known = [one for one in section.insights if one.name.split()[0] in asked.answers]
        ordered = sorted(known, key=lambda one: asked.answers.index(one.name.split()[0]))
        sure = [one for one in ordered if one.conclusive] if section.sure or asked.leads else []
        if not sure:
            why = (
                "nothing in this run answers it"
                if section.sure and not known
                else "no answer of this run is conclusive"
            )
            return Answer(asked.question, f"Not known: {why}")
        rest = [words for one in sure if not headline.startswith(words := begun(one.headline))]
        return Answer(asked.question, rest[0], " ".join(f"{one}." for one in rest[1:3])) if rest else None
    return None


def _lines(content: Content) -> tuple[str, ...]:
    """Return what a reader must know before any number."""
    failures = content.audit.failures
    audited = f"Audit: {failures[0].identity}: {failures[0].text}." if failures else ""
    stepless = not content.run.result.complete and content.run.result.origin != "real"  # a real run has a step for it
    half = "The run is incomplete: `tierscope resume` continues it." if stepless else ""
    return tuple(line for line in (audited, half, _above_peak(content), passed(content)) if line)


def _above_peak(content: Content) -> str:
    """Warn of a share over 1."""
    shares = [real(row["peak_share"]) for row in content.rows("stream")]
    if not any(share is not None and share > 1 for share in shares):
        return ""
    return "More than the theoretical peak was measured: it is wrong, or some bytes never left a cache."
