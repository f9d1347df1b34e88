"""Whether persistent memory is what it claims to be: plain DRAM (`memmap=`), a hypervisor's file, or real.

In a guest nothing shows what is below: a file in the host's page cache looks as a real DIMM does.
Source: Linux, Documentation/admin-guide/kernel-parameters.txt (memmap=nn!ss), drivers/nvdimm/e820.c, virtio_pmem.c;
ACPI 6.5, 5.2.6: bytes 10 to 15 of a table are the maker's name, and QEMU's is BOCHS.
"""

import re

from tierscope.doctor.check import NONE, Check, Seen, checks, good, note, unknown
from tierscope.host.persistent import regions
from tierscope.host.proc import vendor, virtual
from tierscope.host.system import System

TABLE = "/sys/firmware/acpi/tables/NFIT"
DRAM = "it is DRAM: nothing persists, and speeds are DRAM's; results count as emulated"
ABSENT = (
    "there is no memory to measure yet: the module is not loaded, or the addresses are not RAM; `sudo grep -i "
    "persistent /proc/iomem` shows what the kernel set aside"
)
LOAD = "sudo modprobe -a nd_e820 nd_pmem"
BELOW = "it may be a file in the host's page cache: the cost of a persist is not that of a DIMM"


def look(system: System) -> Seen:
    found = regions.regions(system)
    made = re.findall(r"(?:^|\s)(memmap=\S*![^\s,]+\S*)", system.read("/proc/cmdline") or "")
    if made and not any(each.provider in ("e820", "") for each in found):
        return note(f"{made[0]} is on the kernel's command line, and no region was made of it", ABSENT, LOAD)
    if not found:
        return good("none")
    legacy = [each.name for each in found if each.provider == "e820"]
    if legacy and (made or virtual(system) is not False):
        return note(f"{', '.join(legacy)} is made of plain DRAM{f' by {made[0]}' if made else ''}", DRAM)
    makers = {each.provider or "an unknown bus" for each in found}
    state = f"{len(found)} region{'s' if len(found) > 1 else ''} by {', '.join(sorted(makers))}"
    maker = (system.bytes(TABLE) or b"")[10:16].decode("latin-1").strip()
    if virtual(system) or maker == "BOCHS" or makers & {"virtio-pmem"} or any("nfit_test" in each for each in makers):
        return note(f"{state}, in a guest ({_name(system, maker)})", BELOW)
    if virtual(system) is None or "an unknown bus" in makers:
        return unknown(f"{state}; it is unknown whether this is a guest", BELOW)
    return good(f"{state}, no hypervisor")


def _name(system: System, maker: str) -> str:
    return "QEMU" if maker == "BOCHS" else vendor(system) or "not named"


checks.add(
    Check(
        "pmem_emulated",
        NONE,
        look,
        looks_at="persistent memory that is DRAM (`memmap=`) or a hypervisor's",
        advice="nothing: results on it count as emulated",
    )
)
