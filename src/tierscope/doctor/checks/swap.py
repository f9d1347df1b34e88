"""Swap in use: the kernel has been short of memory, and pages may come back from a disk.

Source: Linux, proc(5), /proc/meminfo.
"""

from tierscope.doctor.check import EVERY, Check, Seen, checks, good, note, unknown
from tierscope.host.proc import meminfo
from tierscope.host.system import System
from tierscope.units import show_bytes


def look(system: System) -> Seen:
    memory = meminfo(system)
    total, free = memory.get("SwapTotal"), memory.get("SwapFree")
    effect = (
        "memory was short: buffers may be swapped out between blocks, and free memory is scarce; not quantified here"
    )
    if total is None or free is None:
        return unknown("/proc/meminfo does not show it", effect)
    if total == 0:
        return good("none")
    state = f"{show_bytes(max(0, total - free))} of {show_bytes(total)} in use"
    room = memory.get("MemAvailable", 0) > total - free  # else switching it off would end in a kill
    return note(state, effect, "sudo swapoff -a" if room else "") if free < total else good(state)


checks.add(Check("swap", EVERY, look, looks_at="swap in use", advice="`swapoff -a`, if free memory allows"))
