"""Demotion: under memory pressure the kernel moves cold pages to a slower node instead of swapping them.

Source: Linux, Documentation/ABI/testing/sysfs-kernel-mm-numa.
"""

from tierscope.doctor.check import EVERY, Check, Seen, checks, good, note, unknown
from tierscope.doctor.setting import Setting
from tierscope.host.proc import memory_nodes
from tierscope.host.system import System

PATH = "/sys/kernel/mm/numa/demotion_enabled"


def look(system: System) -> Seen:
    value, nodes = system.read(PATH, 16), memory_nodes(system)
    if value in ("false", "0") or len(nodes) == 1:
        return good("off" if value in ("false", "0") else "one memory node: nowhere to move to")
    if value is None and system.why(PATH) == "absent" and nodes:
        return good("not built into this kernel")
    effect = "when memory runs low, pages of a buffer may move to a slower node during a run; not quantified here"
    if value in ("true", "1"):
        return note(f"on, {len(nodes) or 'unknown number of'} memory nodes", effect, Setting(PATH, "0"))
    return unknown(f"{PATH} is {system.why(PATH)}", effect)


checks.add(
    Check(
        "demotion",
        EVERY,
        look,
        looks_at="pages that may move to a slower node when memory is short",
        advice="write 0 to `demotion_enabled`",
        applies=True,
    )
)
