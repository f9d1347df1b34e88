"""Resource control: a cap on cache ways or memory bandwidth for the group of this process.

Blind in a guest or container to a cap that the host put on all of it.
Source: Linux, Documentation/filesystems/resctrl.rst (schemata, MB, cbm_mask; /proc/PID/cpu_resctrl_groups).
"""

import re

from tierscope.doctor.check import EVERY, Check, Seen, bad, checks, good, unknown
from tierscope.host.proc import virtual
from tierscope.host.system import System

BASE = "/sys/fs/resctrl"
EFFECT = "a cap lowers memory bandwidth or the effective last-level cache; not quantified here"


def look(system: System) -> Seen:
    schemata, group = system.read(f"{BASE}/schemata"), _group(system)
    if schemata is None:
        return (
            unknown("not mounted; a host may cap a guest without a trace here", EFFECT)
            if virtual(system)
            else good("not mounted")
        )
    path = f"{BASE}/{group}/schemata" if group else f"{BASE}/schemata"
    caps = _caps(system, system.read(path) or "")
    if not caps:
        return good("no cap on this process")
    return bad(", ".join(caps), EFFECT, f"echo $$ | sudo tee {BASE}/tasks")


def _group(system: System) -> str:
    match = re.search(r"^res:/?([\w.-]+)", system.read("/proc/self/cpu_resctrl_groups", 256) or "", re.MULTILINE)
    return match[1] if match else ""


def _caps(system: System, schemata: str) -> list[str]:
    """Return the limits: memory bandwidth below 100 %, cache masks that lack ways."""
    caps = []
    for resource, domains in re.findall(r"^[ \t]*(MB|L[23]\w*):(.+)$", schemata, re.MULTILINE):
        values = re.findall(r"=([0-9a-fA-F]{1,16})(?![0-9a-fA-F])", domains)
        if resource == "MB":
            caps += [f"memory bandwidth {value} %" for value in set(values) if value.isdigit() and int(value) < 100]
            continue
        full = system.read(f"{BASE}/info/{resource}/cbm_mask", 64) or ""
        if re.fullmatch(r"[0-9a-fA-F]{1,16}", full):
            ways = int(full, 16).bit_count()
            least = min((int(value, 16).bit_count() for value in values), default=ways)
            caps += [f"{resource} {least} of {ways} ways"] if least < ways else []
    return caps


checks.add(
    Check(
        "resctrl",
        EVERY,
        look,
        looks_at="a cap on cache ways or memory bandwidth",
        advice="move the shell to the root group",
    )
)
