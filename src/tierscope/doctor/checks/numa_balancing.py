"""Automatic NUMA balancing: the kernel unmaps pages to see who touches them, then moves them.

It leaves memory alone that has a policy of its own, as `node:N` targets have after mbind; a `file:`
target has none. Value 2 also moves hot pages to faster tiers.
Source: Linux, Documentation/admin-guide/sysctl/kernel.rst ("If the target workload is already bound to NUMA
nodes then this feature should be disabled"); kernel/sched/fair.c, task_numa_work and vma_policy_mof.
"""

from tierscope.doctor.check import EVERY, Check, Seen, checks, good, note, unknown
from tierscope.doctor.setting import Setting
from tierscope.host.proc import memory_nodes
from tierscope.host.system import System

PATH = "/proc/sys/kernel/numa_balancing"
EFFECT = (
    "page faults and moved pages during blocks, in memory that is not bound to a node, such as files; "
    "node: targets are bound and unaffected; not quantified here"
)


def look(system: System) -> Seen:
    value, nodes = system.number(PATH), memory_nodes(system)
    if value == 0:
        return good("off")
    if len(nodes) == 1:
        return good("one memory node: nothing to balance")
    if value is None:
        why = system.why(PATH)
        return good("not built into this kernel") if why == "absent" and nodes else unknown(f"{PATH} is {why}", EFFECT)
    return note(f"on ({value}), {len(nodes) or 'unknown number of'} memory nodes", EFFECT,
                Setting(PATH, "0"))  # fmt: skip


checks.add(
    Check(
        "numa_balancing",
        EVERY,
        look,
        looks_at="pages that the kernel unmaps and moves",
        advice="set it to 0; it affects only targets that are files",
        applies=True,
    )
)
