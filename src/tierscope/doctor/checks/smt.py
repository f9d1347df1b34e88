"""SMT: two or more CPUs on one core share its caches, fill buffers and clock.

`Machine.cpus()` takes one CPU of each core first, so that only thread counts above the cores meet it. Blind in a guest:
its CPUs may be siblings of each other, or of a neighbour's, and no file shows it; the suite `sharing` measures the
first.
Source: document 000, table 1 (STREAM over 1..32 threads, Xeon Gold 6130, 16 cores).
"""

from tierscope.doctor.check import BANDWIDTH, Check, Seen, checks, good, note, unknown
from tierscope.host.proc import virtual
from tierscope.host.system import System

BASE = "/sys/devices/system/cpu"
EFFECT = (
    "STREAM copy fell from 65.5 to 55.4 GB/s when the first core got a second thread, and was 64.6 GB/s with two on "
    "every core (Xeon Gold 6130, document 000)"
)


def look(system: System) -> Seen:
    paths = system.glob(f"{BASE}/cpu[0-9]*/topology/thread_siblings_list")
    groups = {text for path in paths if (text := system.read(path, 256))}
    shared = sorted(text for text in groups if not text.isdigit())
    if shared or system.number(f"{BASE}/smt/active") == 1:
        state = f"on: {len(groups)} cores" + (f", CPUs {shared[0]} share one of them" if shared else "")
        return note(state, EFFECT, f"echo off | sudo tee {BASE}/smt/control")
    if virtual(system) is not False:
        state = "no siblings shown, but a guest cannot see how its CPUs map to the host's cores"
        return unknown(state, EFFECT, "tierscope doctor --measure")
    return good("off or absent") if groups else unknown("no CPU topology in sysfs", EFFECT)


checks.add(
    Check(
        "smt", BANDWIDTH, look, looks_at="CPUs that share a core", advice="nothing: one CPU of each core is used first"
    )
)
