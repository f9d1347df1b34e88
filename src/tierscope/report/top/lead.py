"""The headline: one sentence in the reader's words, and what limits the memory."""

from tierscope.draw.words import threads_name
from tierscope.report.content import Content
from tierscope.report.doubtful import cause, first_reason
from tierscope.report.picks import Load, Wait, judged, passed_over, reaches_memory
from tierscope.report.top.bounds import bounded
from tierscope.report.top.brief import begun, short_rate, short_seconds
from tierscope.report.top.cpus import Cpus
from tierscope.report.top.memory import COPIES, READ, Memory
from tierscope.report.top.rough import ranges, roughly
from tierscope.stats.visited import WIDTHS
from tierscope.tables import BESIDE, tables
from tierscope.tables.measured import SMALL_PAGES
from tierscope.units import KiB, show_bytes

VERBS = {READ: "read", **dict.fromkeys(COPIES, "copied")}


def lead(content: Content, found: Memory | None, cpus: Cpus | None, limit: str) -> str:
    """Return the headline. limit: what limits the memory, as a sentence; "" where that is not known."""
    if leads := _leading(content):
        return leads
    told = _memory(content, found, cpus) if found and cpus else ""
    told = told or _answer(content)
    told = f"{told} {limit}".strip() if told else ""
    rest = _rough(content, found, cpus, alone=not told) if cause(content) and found and cpus else ""
    if rest:
        return f"{told} {rest}".strip()
    if cause(content) and (_mostly_unsure(content, found) or not told):
        return _nothing(content, told)
    return told or _counted(content)


def _leading(content: Content) -> str:
    """Return the answer of a table that leads whatever else was measured; "" where there is no such table."""
    for section in content.sections.values():
        asked = section.asked
        if asked and asked.leads:
            known = [one for one in section.insights if one.name in asked.answers]
            if known:
                return f"{begun(known[0].headline)}."
            return _nothing(content, "") if cause(content) else ""
    return ""


def _mostly_unsure(content: Content, found: Memory | None) -> bool:
    """Return whether most of what a headline rests on is inconclusive: the numbers of memory; else the run's points."""
    if found and found.measured:
        return 2 * found.known < found.measured
    rows = judged(content)
    return bool(rows) and 2 * sum(bool(row["conclusive"]) for row in rows) < len(rows)


def _nothing(content: Content, told: str) -> str:
    """Return the result of such a run: what is known in spite of that, and why the rest is not."""
    found = "This file" if content.run.result.origin == "imported" else "This run"
    if told:
        return f"{told} {found} shows little else: {cause(content)}."
    sure = any(row["conclusive"] for row in judged(content))
    return f"{found} shows {'little' if sure else 'nothing'} yet: {cause(content)}."


def _rough(content: Content, found: Memory, cpus: Cpus, *, alone: bool) -> str:
    """Return the ranges of numbers whose intervals are wider than asked for; "" where there are none.

    alone: no number of this memory is conclusive. Such a run has ranges only if widths are its commonest doubt, since
    intervals do not contain what else disturbed it.
    """
    told = roughly(ranges(content, found))
    if not told or (alone and not first_reason(content).endswith(WIDTHS)):
        return ""
    if alone:
        return (
            f"{_subject(content, found.target, cpus)}: {told}. This is less precise than asked for: {cause(content)}."
        )
    return f"Less precise than asked for: {told}."


def _memory(content: Content, found: Memory, cpus: Cpus) -> str:
    """Return 'Memory: 33.4 GB/s read, 43.1 GB/s copied, 152 ns idle.'; "" where nothing of it is conclusive."""
    parts = []
    if found.read:
        verb = VERBS.get(found.read.row.kernel, found.read.row.kernel)
        parts.append(f"{short_rate(found.read.bandwidth.middle)} {verb}")
    if found.copy and not (found.read and found.read.row.kernel in COPIES):
        parts.append(f"{short_rate(found.copy.bandwidth.middle)} copied")
    threads = [speed.row.threads for speed in (found.read, found.copy) if speed][: len(parts)]
    if len(set(threads)) > 1:
        parts = [f"{part} with {threads_name(count)}" for part, count in zip(parts, threads, strict=True)]
    elif threads and threads[0] != cpus.count:
        parts[-1] += f" with {threads_name(threads[0])}"
    if found.idle:
        where = "" if reaches_memory(content) else f" at {show_bytes(found.idle.row.footprint_bytes)}"
        size = found.idle.row.page_bytes or 4 * KiB
        pages = f" with {show_bytes(size)} pages" if size <= SMALL_PAGES else ""
        parts.append(f"{short_seconds(found.idle.latency.middle)} idle{where}{pages}")
    if found.load and len(parts) < 2 and (loaded := _loaded(found.load, found.idle)):
        parts.append(loaded)
    subject = begun(found.small) if found.small else _subject(content, found.target, cpus)
    return f"{subject}: {', '.join(parts)}." if parts else ""


def _loaded(load: Load, idle: Wait | None) -> str:
    """Return the latency under load; "" where it does not fit the idle latency that the headline states.

    A machine that drifts may show less under load than idle at another time. So next to an idle latency, only the ratio
    to the idle accesses that alternated with the load is stated, or a time that is surely longer.
    """
    over, at = load.row.over_idle, short_rate(load.bandwidth.middle)
    if idle and over:
        return f"{over.middle:.2f}x idle at {at}"
    if idle and load.latency.low <= idle.latency.high:
        return ""
    times = f", {over.middle:.2f}x idle" if over else ""
    return f"an access takes {short_seconds(load.latency.middle)} at {at}{times}"


def _subject(content: Content, target: str, cpus: Cpus) -> str:
    """Return 'Memory' of a machine with one; else its node, or the target as it was asked for."""
    nodes = {f"node:{node.number}": node for node in content.run.result.machine.identity.nodes if node.memory_bytes}
    if target not in nodes:
        return target
    if not nodes[target].cpus:
        return f"Memory of node {nodes[target].number}, which has no CPUs"
    name = "Memory" if len(nodes) == 1 else f"Memory of node {nodes[target].number}"
    if cpus.near:
        return name
    places = " and ".join(map(str, cpus.nodes))
    return f"{name}, from CPUs of node{'s' if len(cpus.nodes) > 1 else ''} {places}"


def _answer(content: Content) -> str:
    """Return the first conclusive answer of a run without numbers of memory; "" where there is none.

    Answers to the question of a table come first. Numbers that only explain others are not headlines.
    """
    for section in sorted(content.sections.values(), key=lambda one: one.asked is None):
        if section.name not in tables or tables[section.name].place >= BESIDE or not section.sure:
            continue
        asked = section.asked
        sure = [one for one in section.insights if one.conclusive]
        ordered = [one for name in asked.answers for one in sure if one.name.split()[0] == name] if asked else sure
        if first := next(iter(ordered or sure), None):
            return f"{begun(first.headline)}."
    return ""


def _counted(content: Content) -> str:
    """Return the existing content, where no number is usable."""
    rows = sum(len(section.rows) for section in content.sections.values())
    if not rows:
        return "This run has no finished experiment yet."
    if answer := bounded(content):
        return f"{answer.short}."
    found = len(content.sections)
    return f"{rows} row{'' if rows == 1 else 's'} in {found} table{'' if found == 1 else 's'}."


def passed(content: Content) -> str:
    """Return a kernel that measured higher than all conclusive ones, and is not conclusive."""
    row = passed_over(content)
    return f"{row.kernel} measured higher, but is inconclusive." if row else ""
