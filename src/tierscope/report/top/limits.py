"""What limits this memory's bandwidth: the memory, the CPUs, or what is between them.

    efficiency      = bandwidth of n threads / n times that of one thread
    lines in flight = bandwidth * latency / 64 B                          (Little's law)
    over idle       = latency at the highest load / idle latency, measured alternately

A cause is stated only if conclusive numbers leave no other one:

    the memory   it moves FULL of its theoretical peak, or an access takes CROWDED times idle at the highest load
    the CPUs     each thread adds a full share (efficiency from ADDS_UP); or the load of all CPUs leaves the latency
                 below EASY times idle, although threads add less: then it is the cores or their way to the memory
    not known    everything else, with the reason

Blind to limits that change with the mix of reads and writes, and to caps of a hypervisor that slow all alike.
Sources: J. D. C. Little, "A Proof for the Queuing Formula L = lambda W", Operations Research, 1961; P. Esmaili-Dokht
et al., "A Mess of Memory System Benchmarking, Simulation and Application Profiling", MICRO 2024 (latency over
bandwidth: flat far below the limit of a memory, several times idle at it).
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from tierscope.draw.words import threads_name
from tierscope.report.picks import Speed
from tierscope.report.top.brief import begun, cpus_name, short_rate, short_seconds
from tierscope.report.top.memory import Memory
from tierscope.report.top.parts import Answer
from tierscope.stats.median import Interval
from tierscope.tables.measured import quotient
from tierscope.units import LINE_BYTES, show_bytes

QUESTION = "What limits me?"
FULL = 0.8  # of the theoretical peak: refresh, turns of the bus and misses of its rows take the rest
CROWDED = 1.8  # times idle at the highest load, at least: requests wait for each other
EASY = 1.3  # times idle, at most
ADDS_UP = 0.9
"""Of n times one thread. A memory at its limit gives the second thread nothing, so two threads stay near 0.5 and
more fall lower; what is lost above 0.9 is within what neighbours and clock steps take."""
WALKS = 1.1  # latency with 4 KiB pages over that with large ones, from which it is worth a sentence


class Cause(NamedTuple):
    """short: the answer; lead: the sentence of the headline, "" where the cause is not known."""

    short: str
    lead: str = ""


def limits(found: Memory, cpus: int) -> tuple[Answer, str]:
    """Return the answer and what the headline says of it. cpus: that may load this memory."""
    cause = next(cause for rule in RULES if (cause := rule(found, cpus)))
    return Answer(QUESTION, cause.short, " ".join(_evidence(found))), cause.lead


def _beyond(found: Memory, cpus: int) -> Cause | None:
    del cpus
    over = found.read and (found.read.row.peak_share or 0) > 1
    return Cause("Not known: more than the theoretical peak was measured") if over else None


def _at_peak(found: Memory, cpus: int) -> Cause | None:
    del cpus
    if found.read is None or found.read.row.peak_share is None:
        return None
    share, bandwidth = found.read.row.peak_share, found.read.bandwidth
    if share * bandwidth.low / bandwidth.middle < FULL:
        return None
    return Cause(f"The memory: {100 * share:.0f} % of its theoretical peak", _fills(found.read.row.threads))


def _alone(found: Memory, cpus: int) -> Cause | None:
    del found
    return Cause("Not known: one CPU cannot show whether this memory has more to give") if cpus == 1 else None


def _one_core(found: Memory, cpus: int) -> Cause | None:
    del cpus
    if not (pair := found.one_core):
        return None
    both = f"{pair.a_cpu} and {pair.b_cpu} share one core"
    return Cause(f"Likely the CPUs: {both}", f"CPUs {both}.")


def _crowded(found: Memory, cpus: int) -> Cause | None:
    """The memory, if requests wait for each other in it."""
    del cpus
    over = found.load.row.over_idle if found.load else None
    if found.load is None or over is None or over.low < CROWDED:
        return None
    short = f"The memory: at the highest load an access takes {over.middle:.1f}x idle"
    return Cause(short, _fills(found.load.row.load_threads))


def _adds_up(found: Memory, cpus: int) -> Cause | None:
    del cpus
    if found.read is None or found.alone is None or found.read.row.threads == 1:
        return None
    if _efficiency(found.alone, found.read).low < ADDS_UP:
        return None
    these = cpus_name(found.read.row.threads)
    return Cause(
        f"The {these}, not the memory: each adds its full bandwidth", f"{begun(these)} cannot fill this memory."
    )


def _easy(found: Memory, cpus: int) -> Cause | None:
    """All CPUs but that of the chaser load the memory, threads add less than a share, and an access hardly waits."""
    over = found.load.row.over_idle if found.load else None
    if found.load is None or over is None or over.high > EASY or found.load.row.load_threads < cpus - 1:
        return None
    these = cpus_name(cpus)
    return Cause(f"Likely the {these} or their path, not the memory", f"{begun(these)} cannot fill this memory.")


def _open(found: Memory, cpus: int) -> Cause:
    """What is missing for an answer."""
    del cpus
    if found.load is None:
        return Cause("Not known: latency under load was not measured, or not conclusively")
    if found.load.row.over_idle is None:
        return Cause("Not known: latency under load was not compared with idle by this version's method")
    return Cause("Not known: under load an access takes too long for free memory, and not long enough for a full one")


RULES: tuple[Callable[[Memory, int], Cause | None], ...] = (
    _beyond, _at_peak, _alone, _one_core, _crowded, _adds_up, _easy, _open
)  # fmt: skip
"""The first that applies decides: what is certain stands before what is likely."""


def _fills(count: int) -> str:
    return f"{begun(cpus_name(count))} {'fills' if count == 1 else 'fill'} this memory."


def _efficiency(alone: Speed, together: Speed) -> Interval:
    ratio, threads = quotient(alone.bandwidth, together.bandwidth), together.row.threads
    return Interval(ratio.low / threads, ratio.middle / threads, ratio.high / threads, ratio.count)


def _evidence(found: Memory) -> Iterator[str]:
    """The numbers that the cause rests on, and what else costs much."""
    if found.alone and found.read and found.read.row.threads > 1:
        ratio = quotient(found.alone.bandwidth, found.read.bandwidth)
        yield (
            f"One thread alone gets {short_rate(found.alone.bandwidth.middle)} of {found.read.row.kernel}, "
            f"{threads_name(found.read.row.threads)} {ratio.middle:.2f}x that ({ratio.low:.2f} to {ratio.high:.2f})."
        )
    if found.alone and found.idle and (lines := _lines(found)):
        yield (
            f"{short_rate(found.alone.bandwidth.middle)} at {short_seconds(found.idle.latency.middle)} is "
            f"{lines:.0f} lines in flight."
        )
    if found.load and (over := found.load.row.over_idle):
        yield (
            f"At the highest load, {short_rate(found.load.bandwidth.middle)}, an access takes {over.middle:.2f}x idle "
            f"({over.low:.2f} to {over.high:.2f})."
        )
    if found.full_path and (gain := found.full_path.gain):
        yield (
            f"For {found.full_path.kernel}, two threads get {gain.middle:.2f}x one ({gain.low:.2f} to {gain.high:.2f})."
        )
    if found.read and 0 < (found.read.row.peak_share or 0) <= 1:
        yield f"This is {100 * (found.read.row.peak_share or 0):.0f} % of the theoretical peak."
    if walks := walk_cost(found):
        yield (
            f"Page walks cost {short_seconds(walks.seconds)} more per random access with 4 KiB pages ({walks.where})."
        )


def _lines(found: Memory) -> float:
    """Little's law for one thread: the bytes of the bus. Of reads alone: no load waits for what a store sends."""
    if not found.alone or not found.idle or found.alone.row.store != "none" or not found.alone.row.bus_bytes_per_s:
        return 0.0
    return found.alone.row.bus_bytes_per_s * found.idle.latency.middle / LINE_BYTES


class Walks(NamedTuple):
    """What 4 KiB pages cost. share: of the latency with large pages; where: the footprint, in words."""

    seconds: float
    share: float
    where: str


def walk_cost(found: Memory) -> Walks | None:
    """Return it if it is sure and more than a few percent."""
    if not found.idle or not found.walked:
        return None
    ratio = quotient(found.idle.latency, found.walked.latency)
    if ratio.low < WALKS:
        return None
    extra = found.walked.latency.middle - found.idle.latency.middle
    return Walks(extra, ratio.middle - 1, show_bytes(found.idle.row.footprint_bytes))
