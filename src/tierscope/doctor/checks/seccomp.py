"""A system-call filter, as containers have: it may forbid to bind memory to a node and to verify it.

The list of forbidden calls cannot be read. The default profiles of Docker and containerd allow mbind and
set_mempolicy only with CAP_SYS_NICE, which is stricter than Linux itself.
Source: Docker, "Seccomp security profiles for Docker"; moby/moby issue 37241; containerd/containerd issue 13610.
"""

from tierscope.doctor.check import EVERY, Check, Seen, checks, good, unknown
from tierscope.host.proc import CAP_SYS_NICE, capable, memory_nodes, status
from tierscope.host.system import System

EFFECT = (
    "without binding, placement is random: on a machine with several nodes, results varied from 45 to 68 GB/s "
    "between runs (colibri issue 429)"
)


def look(system: System) -> Seen:
    mode = status(system).get("Seccomp")
    if mode == "0":
        return good("no filter")
    nodes = memory_nodes(system)
    single = "; harmless here: one memory node" if len(nodes) == 1 else ""
    if mode is None:
        return unknown("/proc/self/status does not show it", EFFECT + single)
    state = "a filter is on; whether it denies mbind and move_pages cannot be read"
    if capable(system, CAP_SYS_NICE):
        return unknown(f"{state} (CAP_SYS_NICE is there)", EFFECT + single)
    return unknown(f"{state}; container defaults do, without CAP_SYS_NICE", EFFECT + single,
                   "docker run --cap-add SYS_NICE ...")  # fmt: skip


checks.add(
    Check(
        "seccomp",
        EVERY,
        look,
        looks_at="a filter that may forbid to bind memory",
        advice="give the container `SYS_NICE`",
    )
)
