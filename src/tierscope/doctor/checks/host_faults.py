"""Host faults: the host of a virtual machine takes mappings of the guest's memory away, and maps them again when read.

The check maps 128 MiB and reads a byte of each part of 2 MiB: half of them after 0.6 s at rest, the others every 20 ms.
A read is slow if it takes over 5 us and 10x the usual one. R parts rest and U are in use; r and u reads were slow:

    rate = (r + u) / ((R - r/2 + U) * seconds)              [1/s: how often a part loses its mapping]
    share = parts of 2 GiB * rate * median slow read        [of the time of random reads]

Both are estimates: ten slow reads mean 5 to 18 (95 %). One guest was measured in another way. Random reads of 1.8 GiB
met 720 to 1090 slow ones a second there, and those of 16 MiB 350 to 410. So the rate was 0.4 to 0.8; the check found
0.3 to 1.6. A read with a page fault of this kernel or a switch of tasks does not count. Steal and interrupts rarely
hit a read of 0.2 us.
Blind to the cause. One likely cause is a search for unused memory without accessed bits: it takes the mapping of each
page away, in use or not. Another is the balancing of NUMA nodes by the host.
Source: Linux, Documentation/virt/kvm/locking.rst ("Lockless Access Tracking"); its
tools/testing/selftests/kvm/access_tracking_perf_test.c (idle page tracking, MGLRU); cloud-hypervisor issues 7574 (NUMA
balancing of the host) and 6060 (what an exit of a nested guest costs); measured on a two-CPU Firecracker guest. The
rate is a central rate: C. L. Chiang, "The Life Table and Its Applications", 1984.
"""

import math
from pathlib import Path
from statistics import median

from tierscope.doctor.cgroups import memory_left
from tierscope.doctor.check import EVERY, Check, Seen, bad, checks, good, note, unknown
from tierscope.host.proc import meminfo, virtual
from tierscope.host.remapping import PART, Read, Reads, reads
from tierscope.host.system import System
from tierscope.units import GiB, show_bytes

PARTS, LEAST = 64, 6  # mapped; fewer show nothing
ROOM = 8  # times the mapping that must be free
SLOW_S, TIMES = 5e-6, 10  # a page that the host mapped again took 18 to 260 us, any other read under 2 us
CHANCE = 2  # slow reads that prove nothing: 1000 reads of 0.2 us meet an interrupt in one check of ten
RATE = 0.15  # losses per second and part from which their share is SHARE, at 130 us each
BELOW = (3.0, 4.74, 6.3)  # losses that 0, 1 and 2 seen ones exclude (95 %, Poisson)
SURE = 5.0  # losses that parts in use would have: one or none is then no accident (96 %)
FOOTPRINT = 2 * GiB  # the largest one of `run quick`
SHARE = 0.02  # the default precision of a result
SMALL = 4096  # bytes that the host maps at a time, if not a whole part
EFFECT = (
    "on one guest each 2 MiB lost its mapping 0.3 to 1 times a second, and the next read took 130 us: 4 to 13 % of the "
    "time of random reads of 2 GiB (estimated from these)"
)


def look(system: System) -> Seen:
    if virtual(system) is False:
        return good("none: no hypervisor")
    if system.root != Path("/"):
        return unknown("not measured: these are files of another machine, or a record", EFFECT)
    parts = affordable(system)
    if parts < LEAST:
        return unknown(f"not measured: it needs {show_bytes(ROOM * LEAST * PART)} of free memory", EFFECT)
    try:
        return judged(reads(parts, system.wait))
    except OSError as error:
        return unknown(f"not measured: map {show_bytes(parts * PART)}: {error.strerror}", EFFECT)


def affordable(system: System) -> int:
    """Return how many parts are a small share of what is free, also below the limits of control groups."""
    left = [meminfo(system).get("MemAvailable"), memory_left(system)]
    return min(PARTS, *(free // (ROOM * PART) for free in left if free is not None)) if left[0] is not None else 0


def judged(seen: Reads) -> Seen:
    """Return the verdict on reads."""
    resting, used = [[read for read in each if not read.own] for each in (seen.resting, seen.used)]
    if seen.parts < LEAST:
        return _few(seen, 0)
    if len(resting) < len(seen.resting) / 2 or len(used) < len(seen.used) / 2:
        return unknown("this kernel faulted or switched during most reads; see numa_balancing, damon, swap", EFFECT)
    limit_s = max(SLOW_S, TIMES * median(read.second_s for read in [*resting, *used]))
    rested, lost = [[read for read in each if read.first_s > limit_s] for each in (resting, used)]
    if len(rested) + len(lost) <= CHANCE:
        return _few(seen, len(rested) + len(lost))
    return _found(seen, rested, lost, len(resting))


def _few(seen: Reads, slow: int) -> Seen:
    state = f"{slow} of {len(seen.resting) + len(seen.used)} reads of {seen.parts} {_pages(seen)} were slow"
    if seen.parts * seen.rest_s >= BELOW[slow] / RATE:
        return good(f"{state} within {seen.rest_s:.1f} s")
    why = f"; the host took {1e3 * seen.fill_s:.0f} ms to provide each" if seen.parts < PARTS else ""
    return unknown(f"{state}: too few to judge{why}", EFFECT)


def _found(seen: Reads, rested: list[Read], lost: list[Read], resting: int) -> Seen:
    """Return what more slow reads than by chance mean. They may be of resting parts alone, as of a search for these."""
    cost_s = median(read.first_s for read in rested + lost)
    unit = PART if sum(read.second_s > SLOW_S for read in rested + lost) <= len(rested + lost) / 2 else SMALL
    state = f"{len(rested)} of {resting} {_pages(seen)} at rest lost their mapping within {seen.rest_s:.1f} s"
    took = f"the next read took {1e6 * cost_s:.0f} us"
    expected = -math.log(1 - min(len(rested), resting - 0.5) / resting) * seen.used_parts
    if len(lost) < CHANCE:
        also = "those in use did not" if expected >= SURE else "those in use were too few to judge"
        once_s = FOOTPRINT / unit * cost_s
        once = f"the first pass over {show_bytes(FOOTPRINT)} after a rest may take {once_s:.2g} s longer"
        return note(f"{state}, {also}; {took}", f"{once}; blocks of a run begin after such a pass, programs do not")
    per_s = (len(rested) + len(lost)) / ((resting - len(rested) / 2 + seen.used_parts) * seen.rest_s)
    share = FOOTPRINT / unit * per_s * cost_s
    return (bad if share >= SHARE else note)(
        f"{state}, those in use {per_s:.1f} times a second; {took}", _effect(share)
    )


def _effect(share: float) -> str:
    time = "most of the time" if share > 0.5 else f"about {100 * share:.0f} % of the time"
    return (
        f"{time} of random reads of {show_bytes(FOOTPRINT)} is the host's work, more at larger footprints (estimate); "
        "other programs on this machine pay it, too; likely the host looks for unused pages, or moves them"
    )


def _pages(seen: Reads) -> str:
    return "huge pages" if seen.huge else "parts of 2 MiB"


GUEST = "flags : fpu hypervisor"
EXAMPLES = {"good": {}, "unknown": {"/proc/cpuinfo": GUEST}}

checks.add(
    Check(
        "host_faults",
        EVERY,
        look,
        looks_at="memory of a guest that its host takes away and maps again, which only time shows",
        advice="in the guest, nothing; see [busy machines](../how-to/busy-machines.md#memory-that-the-host-takes-away)",
    )
)
