"""The first thing a reader sees, put together from its parts.

Nothing is computed from samples here: rows, insights, findings and the reference set are. Only conclusive numbers are
on top; where most points are inconclusive, the headline states it, with the reason and the next step.
"""

from tierscope.record.experiment import real
from tierscope.report.content import Content, Section
from tierscope.report.top.brief import begun, short_seconds
from tierscope.report.top.certain import certain
from tierscope.report.top.cpus import cpus_of
from tierscope.report.top.keys import keys
from tierscope.report.top.lead import lead, passed
from tierscope.report.top.limits import limits
from tierscope.report.top.memory import Memory, memory_of
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
    first = first if memory else _asked(content, told, found)
    numbers = keys(content, found, compared, peak=bool(cpus and cpus.whole))
    answers = (first, usual(content, compared), certain(content, numbers, found))
    return Top(told, _lines(content), tuple(one for one in answers if one), numbers, steps(content, found))


def _leads(content: Content) -> bool:
    """Return whether a table of the run answers a question that comes before those of a memory."""
    return any(section.asked.leads for section in content.sections.values() if section.asked)


def _asked(content: Content, headline: str, found: Memory | None) -> Answer | None:
    """Return the question of the first table that has one, with its answer; None where the headline is all of it.

    headline: the answer does not repeat it. found: the numbers of memory, which the headline may state.
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
            answered = _states(headline, section, found)
            return None if answered else Answer(asked.question, f"Not known: {_unanswered(section, bool(known))}")
        rest = [words for one in sure if not headline.startswith(words := begun(one.headline))]
        return Answer(asked.question, rest[0], " ".join(f"{one}." for one in rest[1:3])) if rest else None
    return None


def _states(headline: str, section: Section, found: Memory | None) -> bool:
    """Return whether the headline states what this table measured: a finding of it, or its latency of memory."""
    said = any(one.conclusive and headline.startswith(begun(one.headline)) for one in section.insights)
    idle = found.idle if found and any(found.idle and row is found.idle.row for row in section.typed) else None
    return said or (idle is not None and short_seconds(idle.latency.middle) in headline)


def _unanswered(section: Section, known: bool) -> str:
    """Return why a table does not answer its question. known: it has answers, and none of them is conclusive."""
    if known or not section.sure:
        return "no answer of this run is conclusive"
    if all(row["conclusive"] for row in section.judged):
        return "nothing in this run answers it"
    return "the points that could answer it are inconclusive"


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
