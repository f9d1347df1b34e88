"""The limit of this memory's bandwidth: the memory, the CPUs, or the path between them.

    efficiency      = bandwidth of n threads / n times that of one thread
    lines in flight = bandwidth * latency / bytes of a line               (Little's law)
    over idle       = latency at the highest load / idle latency, measured alternately

A cause is stated only if conclusive numbers leave no other one.

- the memory: it moves FULL of its theoretical peak. It is the memory or the path to it, if an access takes CROWDED
  times idle at a load that moves about what reads do.
- the CPUs: each thread adds a full share (efficiency from ADDS_UP). It is the cores or their path to the memory, if the
  load of all CPUs leaves the latency below EASY times idle, although threads add less.
- not known: everything else, with the reason.

The peak is that of all channels, so it is compared only where the target is all memory of the machine.
Blind to limits that change with the mix of reads and writes, and to caps of a hypervisor that slow all alike.
Sources: J. D. C. Little, "A Proof for the Queuing Formula L = lambda W", Operations Research, 1961; P. Esmaili-Dokht et
al., "A Mess of Memory System Benchmarking, Simulation and Application Profiling", MICRO 2024 (latency over bandwidth:
flat far below the limit of a memory, several times idle at it).
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from tierscope.draw.words import threads_name
from tierscope.report.picks import Speed
from tierscope.report.top.brief import begun, cpus_name, short_rate, short_seconds
from tierscope.report.top.cpus import Cpus
from tierscope.report.top.memory import Memory
from tierscope.report.top.parts import Answer
from tierscope.stats.median import Interval
from tierscope.tables.measured import SMALL_PAGES, quotient
from tierscope.units import KiB, show_bytes

QUESTION = "What limits me?"
FULL = 0.8  # of the theoretical peak: refresh, turns of the bus and misses of its rows take the rest
CROWDED = 1.8  # times idle at the highest load, at least: requests wait for each other
EASY = 1.3  # times idle, at most
ADDS_UP = 0.9
"""Shares of n times one thread. A memory at its limit gives the second thread nothing, so two threads stay near 0.5 and
more fall lower; what is lost above 0.9 is within what neighbours and clock steps take."""
AS_READS = 0.7  # of the bandwidth of reads, at least: one CPU of the team chases instead
MEASURE = "The suite loaded-latency measures it, and quick does, too."
REPEAT = "A cause needs half of them; see what to do next."
REPEAT_LOAD = "A lighter load does not show what limits a full one; see what to do next."
WALKS = 1.1  # latency with 4 KiB pages over that with large ones, from which it is worth a sentence


class Cause(NamedTuple):
    """short: the answer; lead: the sentence of the headline, "" if none is known; step: what makes the cause known."""

    short: str
    lead: str = ""
    step: str = ""


def limits(found: Memory, cpus: Cpus) -> tuple[Answer, str]:
    """Return the answer and its headline. cpus: that may load this memory."""
    cause = next(cause for rule in RULES if (cause := rule(found, cpus)))
    text = " ".join(one for one in (cause.step, *_evidence(found, cpus)) if one)
    return Answer(QUESTION, cause.short, text), cause.lead


def _beyond(found: Memory, cpus: Cpus) -> Cause | None:
    over = cpus.whole and found.read and (found.read.row.peak_share or 0) > 1
    return Cause("Not known: more than the theoretical peak was measured") if over else None


def _at_peak(found: Memory, cpus: Cpus) -> Cause | None:
    if not cpus.whole or found.read is None or found.read.row.peak_share is None:
        return None
    share, bandwidth = found.read.row.peak_share, found.read.bandwidth
    if share * bandwidth.low / bandwidth.middle < FULL:
        return None
    filled = (
        f"{begun(cpus_name(found.read.row.threads))} {'fills' if found.read.row.threads == 1 else 'fill'} this memory."
    )
    return Cause(f"The memory: {100 * share:.0f} % of its theoretical peak", filled)


def _cached(found: Memory, cpus: Cpus) -> Cause | None:
    del cpus
    return Cause(f"Not known: these are {found.small}", step="Give larger arrays (array=).") if found.small else None


def _alone(found: Memory, cpus: Cpus) -> Cause | None:
    del found
    return Cause("Not known: one CPU cannot show whether this memory has more to give") if cpus.count == 1 else None


def _one_core(found: Memory, cpus: Cpus) -> Cause | None:
    """Return this for two CPUs alone: a pair that shares a core shows little about many."""
    if cpus.siblings:
        return Cause("Likely the CPUs: both are hardware threads of one core", "Both CPUs are threads of one core.")
    if cpus.count > 2 or not (pair := found.one_core):
        return None
    both = f"{pair.a_cpu} and {pair.b_cpu} share one core"
    return Cause(f"Likely the CPUs: {both}", f"CPUs {both}.")


def _crowded(found: Memory, cpus: Cpus) -> Cause | None:
    """Return a cause where requests wait for each other beyond the cores: in the memory, or on a shared way to it."""
    del cpus
    over = _over_idle(found)
    if over is None or over.low < CROWDED or not _as_reads(found):
        return None
    short = f"The memory, or the path to it: at the highest load an access takes {over.middle:.1f}x idle"
    return Cause(short, "This memory, or the path to it, is full.")


def _adds_up(found: Memory, cpus: Cpus) -> Cause | None:
    if found.read is None or found.alone is None or found.read.row.threads < max(cpus.cores, 2):
        return None
    if _efficiency(found.alone, found.read).low < ADDS_UP:
        return None
    these = cpus_name(found.read.row.threads)
    return Cause(
        f"The {these}, not the memory: each adds its full bandwidth", f"{begun(these)} cannot fill this memory."
    )


def _easy(found: Memory, cpus: Cpus) -> Cause | None:
    """Return the cores as cause if threads add less than a share and an access hardly waits at the load of all cores.

    The core of the chaser does not load the memory.
    """
    over = _over_idle(found)
    if over is None or over.high > EASY or not _by_all(found, cpus) or not _as_reads(found):
        return None
    these = cpus_name(cpus.count)
    return Cause(
        f"Likely the {these} or their path, not the memory", f"{begun(these)} probably cannot fill this memory."
    )


def _open(found: Memory, cpus: Cpus) -> Cause:
    """Return what is missing for an answer."""
    over = _over_idle(found)
    if not found.loads:
        return Cause("Not known: latency under load was not measured", step=MEASURE)
    if found.load is None:
        unsure = found.loads - found.sure_loads
        return Cause(f"Not known: {unsure} of {found.loads} latencies under load are inconclusive", step=REPEAT)
    if over is None:
        return Cause("Not known: latency under load was not compared with idle by this version's method")
    if not _as_reads(found):
        if found.read is None:
            return Cause("Not known: a load that may move more is inconclusive", step=REPEAT_LOAD)
        return Cause("Not known: the load that was compared with idle moves much less than reads do")
    if over.high <= EASY and not _by_all(found, cpus):
        return Cause("Not known: an access hardly waits, but not all CPUs loaded the memory")
    return Cause("Not known: under load an access takes too long for free memory, and not long enough for a full one")


RULES: tuple[Callable[[Memory, Cpus], Cause | None], ...] = (
    _beyond, _cached, _at_peak, _alone, _one_core, _crowded, _adds_up, _easy, _open
)  # fmt: skip
"""The first that applies decides."""


def _over_idle(found: Memory) -> Interval | None:
    return found.load.row.over_idle if found.load else None


def _as_reads(found: Memory) -> bool:
    """Return whether the load moves about what reads do: a lighter one shows little about their limit.

    Where no bandwidth of reads is known, it must be one without pauses, and no load as heavy may be inconclusive.
    """
    if found.load is None:
        return False
    if found.read is None:
        return found.fullest and not found.load.row.delay_cycles
    return found.load.bandwidth.middle >= AS_READS * found.read.bandwidth.middle


def _by_all(found: Memory, cpus: Cpus) -> bool:
    return bool(found.load and found.load.row.load_threads >= cpus.cores - 1)


def _efficiency(alone: Speed, together: Speed) -> Interval:
    ratio, threads = quotient(alone.bandwidth, together.bandwidth), together.row.threads
    return Interval(ratio.low / threads, ratio.middle / threads, ratio.high / threads, ratio.count)


def _evidence(found: Memory, cpus: Cpus) -> Iterator[str]:
    """Yield the numbers that the cause rests on, and what else costs much."""
    if found.alone and found.read and found.read.row.threads > 1:
        ratio = quotient(found.alone.bandwidth, found.read.bandwidth)
        yield (
            f"One thread alone gets {short_rate(found.alone.bandwidth.middle)} of {found.read.row.kernel}, "
            f"{threads_name(found.read.row.threads)} {ratio.middle:.2f}x that ({ratio.low:.2f} to {ratio.high:.2f})."
        )
    if found.alone and found.idle and (lines := _lines(found, cpus.line_bytes)):
        yield (
            f"{short_rate(found.alone.bandwidth.middle)} at {short_seconds(found.idle.latency.middle)} is "
            f"{lines:.0f} lines in flight."
        )
    if found.load and (over := found.load.row.over_idle):
        at = f"the highest {'' if found.fullest else 'conclusive '}load, {short_rate(found.load.bandwidth.middle)}"
        yield f"At {at}, an access takes {over.middle:.2f}x idle ({over.low:.2f} to {over.high:.2f})."
    if found.moved:
        yield f"{found.moved}."
    if found.full_path and (gain := found.full_path.gain):
        yield (
            f"For {found.full_path.kernel}, two threads get {gain.middle:.2f}x one ({gain.low:.2f} to {gain.high:.2f})."
        )
    if cpus.whole and found.read and (share := found.read.row.peak_share) is not None and 0 < share <= 1:
        peak = f", {cpus.peak}" if cpus.peak else ""
        yield f"{begun(found.read.row.kernel)} moves {100 * share:.0f} % of the theoretical peak{peak}."
    if walks := walk_cost(found):
        yield (
            f"Page walks cost {short_seconds(walks.seconds)} more per random access with {walks.pages} pages "
            f"({walks.where})."
        )


def _lines(found: Memory, line_bytes: int) -> float:
    """Return the lines in flight of one thread, by Little's law and the bytes of the bus.

    For reads alone: no load waits for what a store sends.
    """
    if not found.alone or not found.idle or found.alone.row.store != "none" or not found.alone.row.bus_bytes_per_s:
        return 0.0
    if (found.idle.row.page_bytes or 0) <= SMALL_PAGES:  # such a latency has page walks in it, which reads seldom meet
        return 0.0
    return found.alone.row.bus_bytes_per_s * found.idle.latency.middle / line_bytes


class Walks(NamedTuple):
    """The cost of the smallest pages. share: of the latency with large pages; where: the footprint, in words."""

    seconds: float
    share: float
    where: str
    pages: str = "4 KiB"


def walk_cost(found: Memory) -> Walks | None:
    """Return it if it is sure and more than a few percent."""
    if not found.idle or not found.walked:
        return None
    ratio = quotient(found.idle.latency, found.walked.latency)
    if ratio.low < WALKS:
        return None
    extra = found.walked.latency.middle - found.idle.latency.middle
    pages = show_bytes(found.walked.row.page_bytes or 4 * KiB)
    return Walks(extra, ratio.middle - 1, show_bytes(found.idle.row.footprint_bytes), pages)
