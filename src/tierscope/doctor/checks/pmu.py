"""Performance counters that the kernel lists, of cores and of memory controllers.

Listed is not the same as working: nothing is opened here.
Source: Linux, Documentation/ABI/testing/sysfs-bus-event_source-devices; drivers/perf and arch/x86/events.
"""

from tierscope.doctor.check import NONE, Check, Seen, checks, good, note, unknown
from tierscope.host.proc import virtual
from tierscope.host.system import System

BASE = "/sys/bus/event_source/devices"
CORE = ("cpu", "armv8", "armv9", "apple_")  # cpu, cpu_core, cpu_atom, armv8_pmuv3_0
MEMORY = ("uncore_imc", "amd_umc", "arm_cmn", "nvidia_scf", "dmc620", "hisi_sccl")


def look(system: System) -> Seen:
    names = [path.rsplit("/", 1)[-1] for path in system.glob(f"{BASE}/*")]
    if not names:
        return unknown(f"{BASE} is empty or not shown", "traffic cannot be counted, only computed; no result changes")
    cores = [name for name in names if name.startswith(CORE)]
    memory = [name for name in names if name.startswith(MEMORY)]
    state = f"counters of cores: {', '.join(cores) or 'none'}, of memory controllers: {len(memory) or 'none'}"
    if cores and memory:
        return good(f"{state}; listed, not opened")
    why = "; a guest seldom gets them" if virtual(system) else ""
    lost = "traffic is computed from the kernels, not counted" if cores else "counters=default takes simulated caches"
    return note(state, f"{lost}; times do not change{why}")


checks.add(
    Check(
        "pmu",
        NONE,
        look,
        looks_at="counters of cores and memory controllers",
        advice="nothing for times; it limits what `counters=` can count",
    )
)
