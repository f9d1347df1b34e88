"""MPAM: memory partitioning of ARM servers, by which firmware or a kernel may cap caches and bandwidth.

Linux gives it as resctrl, whose caps the check `resctrl` reads. Where the firmware states partitions and no file shows
them, a cap leaves no trace.
Source: Arm, "Memory System Resource Partitioning and Monitoring (MPAM) System Component Specification", IHI 0099;
"ACPI for MPAM", DEN0065; Linux, Documentation/filesystems/resctrl.rst.
"""

from tierscope.doctor.check import EVERY, Check, Seen, checks, good, unknown
from tierscope.host.system import System

TABLE = "/sys/firmware/acpi/tables/MPAM"
RESCTRL = "/sys/fs/resctrl/schemata"
EFFECT = "a cap lowers memory bandwidth or the effective last-level cache; not quantified here"


def look(system: System) -> Seen:
    if system.why(TABLE) == "absent":
        return good("no MPAM stated by the firmware")
    if system.read(RESCTRL) is not None:
        return good("stated by the firmware, and shown as resctrl")
    state = "the firmware states MPAM, and no resctrl shows its caps"
    return unknown(state, EFFECT, "sudo mount -t resctrl resctrl /sys/fs/resctrl")


EXAMPLES = {
    "good": {TABLE: "MPAM", RESCTRL: "L3:0=ffff\nMB:0=100"},
    "unknown": {TABLE: "MPAM"},
}

checks.add(
    Check(
        "mpam",
        EVERY,
        look,
        looks_at="partitions of caches and bandwidth on ARM servers (MPAM)",
        advice="mount resctrl to see the caps",
    )
)
