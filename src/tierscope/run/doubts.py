"""The doubts of an expert about a record: smaller than requested, other pages, other nodes."""

from collections.abc import Sequence

from tierscope.record import warn
from tierscope.record.experiment import Experiment, Group, page_word_bytes
from tierscope.record.program import Program
from tierscope.record.result import GroupFacts, Warn
from tierscope.stats.point import Point
from tierscope.suites.emulation.table import OFF, quantities
from tierscope.units import MiB, show_bytes, show_rate, show_seconds

warn.state(
    smaller="less memory than the rule requires",
    pages="other pages than requested",
    placement="bytes on another node than requested",
    emulation="an emulated tier differs by more than 5 % from what was requested",
    engine="fio accesses the system in another way than the first",
    threads="a queue consists of threads",
    buffered="numbers of the page cache",
    said="a warning of the program that measured",
)

THP_SHARE = 0.99  # of the bytes that must are on large pages before a warning


def next_step(words: str, otherwise: str) -> tuple[str, str]:
    """Return the text of a suite and the advice in it: what follows '; try ' or '; name ', if anything does."""
    for verb in ("try", "name"):
        message, found, step = words.partition(f"; {verb} ")
        if found:
            return message, f"{verb} {step}"
    return words, otherwise


def doubts(
    experiment: Experiment,
    facts: tuple[GroupFacts, ...],
    points: Sequence[Point],
    program: Program | None = None,
    large_page: int = 2 * MiB,
) -> list[Warn]:
    """Return the doubts about this record. program: the one that measured in place of the core.

    large_page: bytes of the transparent large pages of the machine.
    """
    found = _of_program(program) if program else []
    if experiment.note:
        message, step = next_step(experiment.note, "free memory, or name the size yourself")
        found.append(Warn(code="smaller", message=message, next_step=step))
    for group, fact in zip(experiment.groups, facts, strict=True):
        wanted = page_word_bytes(group.target.pages, large_page)
        mapped = sum(fact.pages.values())
        large = fact.pages.get(str(wanted), 0)
        if mapped and fact.footprint_bytes >= wanted and large < THP_SHARE * mapped:
            some = f"{show_bytes(large)} of {show_bytes(mapped)}"
            message = f"{fact.kernel}: {some} are on {group.target.pages} pages"
            step = "use pages=4k, or let the system give large pages (doctor: thp)"
            found.append(Warn(code="pages", message=message, next_step=step))
        found.extend(_misplaced(group, fact))
    if experiment.table == "emulation":
        found.extend(_other_tier(facts[0], points[0]))
    return found


def _of_program(program: Program) -> list[Warn]:
    """Return a doubt if the program took another way than the first, used the page cache, or reported a note."""
    found = []
    if program.refused:
        why = "; ".join(f"{name}: {reason}" for name, reason in program.refused.items())
        step = "allow it (sysctl kernel.io_uring_disabled=0, the container's seccomp profile), or name engine="
        found.append(Warn(code="engine", message=f"{program.engine} was used ({why})", next_step=step))
    if program.threads > 1:
        message = f"{program.engine} has no queue: {program.threads} threads wait for one operation each"
        found.append(Warn(code="threads", message=message, next_step="read CPU shares as those of all threads"))
    if not program.direct:
        message = f"buffered: these are numbers of the page cache of {program.file_system or program.source}"
        found.append(Warn(code="buffered", message=message, next_step="name a place that takes direct I/O, direct=yes"))
    if program.said:
        message = f"{program.name} reports: {'; '.join(program.said)[:300]}"
        found.append(Warn(code="said", message=message, next_step=f"look it up in the manual of {program.name}"))
    return found


def _other_tier(fact: GroupFacts, point: Point) -> list[Warn]:
    """Return a doubt if an emulated tier is not what was requested."""
    quantity, asked, achieved = quantities(fact, point)
    if not achieved.count or not asked or abs(achieved.middle / asked - 1) <= OFF:
        return []
    show = show_seconds if quantity == "latency" else show_rate
    message = f"{fact.target}: {quantity} of {show(achieved.middle)}, not of {show(asked)}"
    steps = {
        "latency": "ask for a latency above that of the memory below, or repeat on a quiet machine",
        "bandwidth": "ask for a bandwidth that these CPUs reach on the memory below, or name more CPUs",
    }
    return [Warn(code="emulation", message=message, next_step=steps[quantity])]


def _misplaced(group: Group, fact: GroupFacts) -> list[Warn]:
    """Return the bytes on other nodes than requested; nothing where a part is in a file, or the nodes are unknown."""
    targets = group.targets
    homes = {target.where for target in targets}
    stray = {node: size for node, size in fact.nodes.items() if node not in homes}
    if not stray or any(target.name != "node" for target in targets):
        return []
    some = f"{show_bytes(sum(stray.values()))} of {show_bytes(sum(fact.nodes.values()))}"
    message = f"{fact.kernel}: {some} are on node {', '.join(sorted(stray))}, not on node {', '.join(sorted(homes))}"
    return [Warn(code="placement", message=message, next_step="free memory there, or name a smaller array")]
