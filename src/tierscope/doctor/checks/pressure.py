"""Pressure stall information: share of the last 10 s in which some task waited for CPU, memory or I/O.

Blind to waiting inside the hypervisor, and to the present instant.
Source: Linux, Documentation/accounting/psi.rst.
"""

from tierscope.doctor.check import EVERY, Check, Seen, bad, checks, good, note, unknown
from tierscope.host.proc import pressure
from tierscope.host.system import System

BAD, SOME = 0.10, 0.02  # one block in ten waits; the default precision of a result
EFFECTS = {
    "cpu": "tasks wait for a CPU: blocks are interrupted, marked and left out; see `load` for the size of the effect",
    "memory": "tasks wait for memory: pages of a buffer may be moved or swapped out; not quantified here",
}


def look(system: System) -> Seen:
    shares = {name: values["some"] for name in ("cpu", "memory", "io") if "some" in (values := pressure(system, name))}
    if not shares:
        why = f"/proc/pressure is {system.why('/proc/pressure/cpu')}; it needs a kernel with PSI, booted with psi=1"
        return unknown(why, EFFECTS["cpu"])
    state = ", ".join(f"{name} {100 * share:.1f} %" for name, share in shares.items()) + " of the last 10 s waited"
    share, name = max((shares.get(name, 0.0), name) for name in EFFECTS)  # results wait for no I/O
    if share < SOME:
        return good(state)
    return (bad if share >= BAD else note)(state, EFFECTS[name], "top -b -n 1 | head -15")


checks.add(
    Check(
        "pressure", EVERY, look, looks_at="tasks that waited for CPU or memory in the last 10 s", advice="as for `load`"
    )
)
