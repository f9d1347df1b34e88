"""A hypervisor below: other machines share caches and memory bandwidth, and are not visible.

x86 has a CPU flag for it; elsewhere only names show it, and their absence proves nothing.
Source: Linux, Documentation/virt/kvm/x86/cpuid.rst; the drift was measured on a two-CPU Granite Rapids guest within one
session while Tierscope was designed.
"""

from tierscope.doctor.check import EVERY, Check, Seen, checks, good, note, unknown
from tierscope.host.proc import vendor, virtual
from tierscope.host.system import System

CLOCKS = {"kvm-clock": "KVM", "hyperv_clocksource_tsc_page": "Hyper-V", "xen": "Xen"}
EFFECT = (
    "neighbours change the load: on a quiet guest, random latency varied between 227 and 239 ns, non-temporal copy "
    "between 25.7 and 28.1 GB/s within one session (measured); repeat the run hours later"
)


def look(system: System) -> Seen:
    guest = virtual(system)
    if guest is None:
        return unknown(f"no sign of one or its absence; maker: {vendor(system) or 'not shown'}", EFFECT)
    if not guest:
        return good("none")
    return note(f"yes, {_name(system)}", EFFECT, "tierscope compare A B")


def _name(system: System) -> str:
    text = system.read("/sys/hypervisor/type", 64) or vendor(system)
    clocks = system.read("/sys/devices/system/clocksource/clocksource0/available_clocksource", 256) or ""
    named = [name for clock, name in CLOCKS.items() if clock in clocks.split()]
    return text or (f"{named[0]} (it offers its clock)" if named else "not named")


checks.add(
    Check(
        "hypervisor",
        EVERY,
        look,
        looks_at="a virtual machine, with neighbours that are not visible",
        advice="repeat the run hours later and compare",
    )
)
