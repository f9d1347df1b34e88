"""Memory nodes that this process may not use, by the cpuset (`cpuset.mems`) of its container or unit.

Source: Linux, proc(5), Mems_allowed_list; cpuset(7).
"""

from tierscope.doctor.check import EVERY, Check, Seen, checks, good, note, unknown
from tierscope.host.proc import memory_nodes, status
from tierscope.host.system import System, parse_list, show_list


def look(system: System) -> Seen:
    mine, everyone = parse_list(status(system).get("Mems_allowed_list")), memory_nodes(system)
    if not mine or not everyone:
        return unknown("needs /proc/self/status and /sys/devices/system/node",
                       "targets on some nodes may be refused")  # fmt: skip
    if set(everyone) <= set(mine):
        return good("all memory nodes" if len(everyone) > 1 else "the only memory node")
    usable = tuple(sorted(set(mine) & set(everyone)))
    return note(f"{len(usable)} of {len(everyone)} memory nodes: {show_list(usable)}",
                "targets on the other nodes are refused, so their tiers are not measured",
                f"docker run --cpuset-mems {show_list(everyone)} ...")  # fmt: skip


checks.add(
    Check(
        "nodes",
        EVERY,
        look,
        looks_at="memory nodes that the cpuset forbids",
        advice="give the container all memory nodes",
    )
)
