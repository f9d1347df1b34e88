"""Mitigations of CPU faults that act inside a timed loop.

Most act when the kernel is entered, which a block does not do. Two act in user code: that of Gather Data
Sampling slows gather instructions, a disabled speculative store bypass delays loads after stores.
Source: Linux, Documentation/admin-guide/hw-vuln/gather_data_sampling.rst and spectre.rst; D. Moghimi, "Downfall",
USENIX Security 2023.
"""

from tierscope.doctor.check import EVERY, Check, Seen, checks, good, note, unknown
from tierscope.host.proc import status
from tierscope.host.system import System

BASE = "/sys/devices/system/cpu/vulnerabilities"
EFFECTS = {
    "gather_data_sampling": "kernels with gather instructions are slower than the CPU could",
    "spec_store_bypass": "loads wait for the addresses of older stores",
}


def look(system: System) -> Seen:
    states = {path.rsplit("/", 1)[-1]: system.read(path, 256) or "" for path in system.glob(f"{BASE}/*")}
    if not states:
        return unknown(f"{BASE} is not shown", "some loops may be slowed; not quantified here")
    active = [name for name, text in states.items() if text.startswith("Mitigation")]
    inside = _inside(system, active)
    state = f"{len(active)} of {len(states)} active, inside a timed loop {', '.join(inside) or 'none'}"
    if not inside:
        return good(state)
    return note(state, "; ".join(EFFECTS[name] for name in inside) + "; not quantified here")


def _inside(system: System, active: list[str]) -> list[str]:
    """Return those active in this process: most machines disable the store bypass only for processes that ask."""
    own = status(system).get("Speculation_Store_Bypass", "")
    names = ["gather_data_sampling"] if "gather_data_sampling" in active else []
    return names + (["spec_store_bypass"] if own.endswith("mitigated") else [])


checks.add(
    Check(
        "mitigations",
        EVERY,
        look,
        looks_at="mitigations that act inside a timed loop",
        advice="nothing: they are part of the machine",
    )
)
