"""Whether a visit can be believed if other programs ran at the same time.

Programs slow the visit only if they use the memory, and no counter of the system shows that. So the memory is probed
between visits: if one CPU at rest finds it slower than on the quiet machine, other programs use it.

    slow = latency > MORE * (95th percentile of quiet latencies)  or  bandwidth < (5th percentile) / MORE

If others used CPUs and no quiet state of this machine is known, the visit may or may not be slowed, and it is not
believed. Points whose data fits into a cache of their own core are not affected.
A visit that is believed may still be slowed by less. If others used CPUs, its interval also contains the number that
the visit would have without them, as the probe shows it (`slowed`):

    at most slowed by = max(latency / median of quiet latencies, median of quiet bandwidths / bandwidth)

Blind to programs that use memory for less time than passes between two probes, and to those that use other nodes.
"""

import math
from collections.abc import Sequence

from tierscope.record.background import Background, Quiet
from tierscope.record.machine import Cache, Cpu
from tierscope.record.result import GroupFacts

MORE = 1.1  # the aim: no believed number is more than 10 % wrong
ENOUGH = 10  # least number of quiet probes: the highest of fewer than twenty is not yet a rule
BUSY = 0.15  # CPUs of others that matter: two ticks in ten are noise of the kernel's count
BUSY_SHARE = 0.02  # of all CPUs, on large machines
ALONE = ("handover", "transfer", "call")  # operations that use hardly any memory


def doubt(background: Background | None, cpus: int) -> str:
    """Return why the visit may not be believed, or "". cpus: number of the machine's CPUs."""
    if background is None:
        return ""
    used, quiet = background.cpus, background.quiet
    if quiet is not None and quiet.count >= ENOUGH and background.latency_s is not None:
        return _slower(background, quiet)
    if used is None or used < busy(cpus):
        return ""
    return (
        f"other programs used {used:.1f} CPUs meanwhile, and how fast this memory is without them is not known: stop "
        "the other programs, or run quick once while they rest"
    )


def slowed(background: Background | None, cpus: int) -> float:
    """Return the logarithm of the factor by which others may have slowed the visit; 0 where nothing shows that.

    cpus: number of the machine's CPUs.
    """
    if background is None or background.cpus is None or background.cpus < busy(cpus):
        return 0.0
    quiet, latency, rate = background.quiet, background.latency_s, background.bytes_per_s
    if quiet is None or quiet.count < ENOUGH:
        return 0.0
    factors = [1.0]
    if latency is not None and quiet.middle_latency_s is not None:
        factors.append(latency / quiet.middle_latency_s)
    if rate is not None and quiet.middle_bytes_per_s is not None:
        factors.append(quiet.middle_bytes_per_s / rate)
    return math.log(max(factors))


def busy(cpus: int) -> float:
    """Return the number of CPUs of others from which they may matter. cpus: number of the machine's CPUs."""
    return max(BUSY, BUSY_SHARE * cpus)


def _slower(background: Background, quiet: Quiet) -> str:
    latency, rate = background.latency_s, background.bytes_per_s
    if latency is not None and latency > MORE * quiet.latency_s:
        return f"others use the memory: its latency was {latency / quiet.latency_s - 1:.0%} above that of quiet times"
    if rate is not None and rate * MORE < quiet.bytes_per_s:
        return f"others use the memory: one CPU got {1 - rate / quiet.bytes_per_s:.0%} less than in quiet times"
    return ""


def shares_memory(facts: GroupFacts, caches: Sequence[Cache], cpus: Sequence[Cpu]) -> bool:
    """Return whether a group uses memory or caches that other cores use as well."""
    if facts.operation in ALONE:
        return False
    cores = {cpu.number: (cpu.package, cpu.core) for cpu in cpus}
    own = [
        cache.size_bytes
        for cache in caches
        if cache.kind != "Instruction" and len({cores.get(cpu) for cpu in cache.cpus}) == 1
    ]
    share = facts.footprint_bytes / max(len(facts.cpus), 1)
    return not 0 < share <= max(own, default=0)
