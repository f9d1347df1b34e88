"""Page size: the smallest pages of the kernel, and the large ones that follow from them.

With pages of 16 or 64 KiB a TLB reaches 4x or 16x as far, and transparent large pages have 32 or 512 MiB, which few
footprints fill. Results of such kernels are not those of kernels with 4 KiB on the same machine.
Source: Linux, Documentation/arch/arm64/memory.rst; Documentation/admin-guide/mm/hugetlbpage.rst.
"""

from tierscope.doctor.check import EVERY, Check, Seen, checks, good, note, unknown
from tierscope.host.system import System
from tierscope.units import KiB, show_size

LARGE = "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size"
USUAL = 4 * KiB
ENTRY_BYTES = 8  # of a page table


def look(system: System) -> Seen:
    base = system.page_bytes()
    if base is None:
        return unknown("not shown by /proc/self/smaps", "page walks and TLB reach depend on it")
    if base == USUAL:
        return good("4 KiB")
    large = system.number(LARGE) or base * base // ENTRY_BYTES
    effect = (
        f"a TLB reaches {base // USUAL}x as far as with 4 KiB; large pages have {show_size(large)}: smaller "
        f"footprints get none; `pages=4k` is answered with {show_size(base)}, and the run warns"
    )
    return note(f"{show_size(base)}; transparent large pages {show_size(large)}", effect)


_SMAPS = "00400000-00401000 r-xp 00000000 00:00 0\nSize: 64 kB\nKernelPageSize: {} kB\n"
EXAMPLES = {
    "good": {"/proc/self/smaps": _SMAPS.format("       4")},
    "note": {"/proc/self/smaps": _SMAPS.format("      64")},
    "unknown": {"/proc/self/smaps": "?"},
}

checks.add(
    Check(
        "page_size",
        EVERY,
        look,
        looks_at="the smallest pages of the kernel: 4, 16 or 64 KiB",
        advice="nothing: compare only runs of kernels with equal pages",
    )
)
