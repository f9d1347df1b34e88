"""The next steps: at most three, the largest measured effect of this run first.

A step without a measured effect comes last, but for a run that is not finished: nothing else helps before.
"""

import shlex
from collections.abc import Iterator

from tierscope.report.commands import changed
from tierscope.report.content import Content, ranked
from tierscope.report.doubtful import advised, changes, next_step
from tierscope.report.picks import judged
from tierscope.report.top.limits import walk_cost
from tierscope.report.top.memory import Memory
from tierscope.report.top.parts import Step
from tierscope.report.top.usual import reported, small_cache
from tierscope.units import show_bytes

MOST = 3
DIRECT = "non_temporal"  # insights: a kernel compared with its form with non-temporal stores
OBSERVED = ("load",)  # findings that are of the run itself: what other programs took from it
LEAST = 1e-9  # before what was not measured, after all effects
GAIN = 1.1  # of such stores, from which they are worth a step


def steps(content: Content, found: Memory | None) -> tuple[Step, ...]:
    """Return them in the order of their effect; none for numbers that were not measured on this machine."""
    if content.run.result.origin != "real":
        return tuple(_unsure(content))[:MOST]
    known = [*_unfinished(content), *_unsure(content), *(_of_memory(content, found) if found else ())]
    known += _remedies(content, {step.command for step in known})
    return tuple(sorted(known, key=lambda step: -step.gain)[:MOST])


def _unfinished(content: Content) -> Iterator[Step]:
    if not content.run.result.complete:
        command = f"tierscope resume {_named(content)}"
        yield Step("The run is not complete; it continues where it stopped.", command, float("inf"))


def _unsure(content: Content) -> Iterator[Step]:
    """Yield a step against inconclusive points; its effect is the share that it may make conclusive."""
    rows = judged(content)
    doubtful = sum(not row["conclusive"] for row in rows)
    if not doubtful:
        return
    again = content.run.result.origin == "real" and content.run.result.complete and not content.run.result.origin_by
    more = changes(content)
    repeat = changed(content.run, more) if more else f"tierscope rerun {_named(content)}"
    command = repeat if again and not advised(content) else ""
    point = "1 inconclusive point" if doubtful == 1 else f"{doubtful} inconclusive points"
    yield Step(f"{point}: {next_step(content)}.", command, doubtful / len(rows))


def _named(content: Content) -> str:
    """Return the directory of the run as it was opened, and the machine that it was measured on."""
    reached = content.run.result.machine.reached
    return shlex.quote(str(content.run.path)) + (f" --host {shlex.quote(reached)}" if reached else "")


def _there(content: Content) -> str:
    """Return 'on ssh:server: ' of a machine that was reached so: a remedy belongs there."""
    reached = content.run.result.machine.reached
    return f"On {reached}: " if reached else ""


def _of_memory(content: Content, found: Memory) -> Iterator[Step]:
    if walks := walk_cost(found):
        remedy = next((one.remedy for one in content.run.result.findings if one.name == "thp" and one.remedy), "")
        slow = f"make random accesses {walks.share + 1:.2g}x as slow"
        text = f"{_there(content)}Page walks {slow}: use huge pages for large tables."
        yield Step(text, remedy, walks.share)
    gains = [one for one in content.conclusions if one.name.split()[0] == DIRECT]
    sure = [(one.value, one) for one in gains if one.value is not None and one.low is not None and one.low > GAIN]
    if sure:
        gain, most = max(sure, key=lambda pair: pair[0])
        kernel = most.name.partition(" ")[2]
        text = f"Large arrays that are not read soon: non-temporal stores make {kernel} {gain:.2f}x as fast."
        yield Step(text, "", gain - 1)
    cache = small_cache(content)
    if cache and cache.value:
        size = reported(content)
        text = (
            f"Plan for {show_bytes(cache.value)} of last-level cache, not {show_bytes(size)}; find out what uses the "
            f"rest."
        )
        yield Step(text, "tierscope run neighbors", 1 - cache.value / size)


def _remedies(content: Content, given: set[str]) -> Iterator[Step]:
    """Return what the doctor found bad and can fix."""
    for finding in ranked(content.run.result.findings):
        if finding.verdict == "bad" and finding.remedy and finding.remedy not in given:
            told = "" if finding.name in OBSERVED else " Its effect on this run was not measured."
            text = f"{_there(content)}Doctor: {finding.name}: {finding.state}.{told}"
            yield Step(text, finding.remedy, LEAST if finding.name in OBSERVED else 0.0)
