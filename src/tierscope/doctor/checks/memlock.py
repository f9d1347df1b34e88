"""Limit of locked memory: without a lock a buffer may be swapped out, where there is swap.

Source: Linux, mlock(2), getrlimit(2) (RLIMIT_MEMLOCK), capabilities(7) (CAP_IPC_LOCK).
"""

import re

from tierscope.doctor.check import EVERY, Check, Seen, checks, good, note, unknown
from tierscope.host.proc import CAP_IPC_LOCK, capable, meminfo
from tierscope.host.system import System
from tierscope.units import show_bytes


def look(system: System) -> Seen:
    text = system.read("/proc/self/limits") or ""
    match = re.search(r"^Max locked memory\s+(unlimited|[0-9]{1,20})\s", text, re.MULTILINE)
    effect = "buffers cannot be locked, so that the kernel may swap them out between blocks; not quantified here"
    if match is None:
        return unknown(f"/proc/self/limits is {system.why('/proc/self/limits')}, or has no such line", effect)
    if match[1] == "unlimited" or capable(system, CAP_IPC_LOCK):
        return good("unlimited" if match[1] == "unlimited" else "no limit for this user, by CAP_IPC_LOCK")
    state = show_bytes(int(match[1]))
    if meminfo(system).get("SwapTotal") == 0:
        return good(f"{state}, but there is no swap")
    return note(state, effect, "sudo prlimit --memlock=unlimited --pid $$")


checks.add(
    Check(
        "memlock",
        EVERY,
        look,
        looks_at="a limit on locked memory, where there is swap",
        advice="raise it with `prlimit`",
    )
)
