"""Huge pages set aside for `pages=2m` and `pages=1g`.

Without free ones such a target is refused; the default, `pages=thp`, does not need them.
Source: Linux, Documentation/admin-guide/mm/hugetlbpage.rst.
"""

import re

from tierscope.doctor.check import NONE, Check, Seen, checks, good, note, unknown
from tierscope.doctor.setting import Setting
from tierscope.host.proc import meminfo
from tierscope.host.system import System
from tierscope.units import GiB, show_bytes

BASE = "/sys/kernel/mm/hugepages"
LEAST_SPARE = 4  # available memory over what is set aside, from which `doctor --apply` may do it


def look(system: System) -> Seen:
    sizes = (_free(system, path) for path in system.glob(f"{BASE}/hugepages-*kB"))
    free = {size: count for size, count in sizes if size}
    if not free:
        return unknown(f"{BASE} is {system.why(f'{BASE}/hugepages-2048kB/free_hugepages')}",
                       "targets with pages=2m or pages=1g may be refused; others are unaffected")  # fmt: skip
    state = ", ".join(f"{show_bytes(size)}: {count} free" for size, count in sorted(free.items()))
    if any(free.values()):
        return good(state)
    size = min(free)
    count, file = max(1, GiB // size), f"{BASE}/hugepages-{size >> 10}kB/nr_hugepages"
    default = size == meminfo(system).get("Hugepagesize")
    setting = Setting("/proc/sys/vm/nr_hugepages" if default else file, str(count))
    spare = meminfo(system).get("MemAvailable", 0) >= LEAST_SPARE * count * size
    remedy = setting if spare else setting.command  # else `--apply` could take memory that somebody needs
    return note(state, "targets with pages=2m or pages=1g are refused; the default pages=thp is unaffected", remedy)


def _free(system: System, path: str) -> tuple[int, int]:
    """Return the size in bytes and the pages that are free and promised to nobody; (0, 0) for a strange folder."""
    match = re.search(r"hugepages-([0-9]{1,9})kB$", path)
    free = system.number(f"{path}/free_hugepages")
    promised = system.number(f"{path}/resv_hugepages")
    if not match or free is None or promised is None:
        return 0, 0
    return int(match[1]) << 10, max(0, free - promised)


checks.add(
    Check(
        "huge_pages",
        NONE,
        look,
        looks_at="reserved huge pages for `pages=2m` and `pages=1g`",
        advice="[reserve some](../how-to/huge-pages.md); the default needs none",
        applies=True,
    )
)
