"""KSM: a kernel thread that compares pages and merges equal ones.

It only scans memory registered with madvise(MADV_MERGEABLE), or all of a process that
prctl(PR_SET_MEMORY_MERGE) marked, which children inherit (systemd's MemoryKSM=).
Source: Linux, Documentation/admin-guide/mm/ksm.rst.
"""

from tierscope.doctor.check import EVERY, Check, Seen, bad, checks, good, note, unknown
from tierscope.doctor.setting import Setting
from tierscope.host.proc import fields
from tierscope.host.system import System

BASE = "/sys/kernel/mm/ksm"


def look(system: System) -> Seen:
    run, scanned = system.number(f"{BASE}/run"), system.number(f"{BASE}/pages_to_scan")
    if run is None:
        why = system.why(f"{BASE}/run")
        return unknown(f"{BASE}/run is {why}", "a scanner may take CPU time and memory bandwidth; not quantified here")
    if run != 1:
        return good("off")
    state = f"on, {scanned if scanned is not None else 'unknown number of'} pages a scan"
    remedy = Setting(f"{BASE}/run", "0")
    if fields(system.read("/proc/self/ksm_stat")).get("ksm_merge_any") == "yes":
        return bad(f"{state}, this process included",
                   "buffers are scanned and their huge pages may be split; not quantified here", remedy)  # fmt: skip
    return note(state, "the scanner takes CPU time; buffers of Tierscope are not registered with it; "
                       "not quantified here", remedy)  # fmt: skip


checks.add(
    Check("ksm", EVERY, look, looks_at="a scanner that merges equal pages", advice="write 0 to `run`", applies=True)
)
