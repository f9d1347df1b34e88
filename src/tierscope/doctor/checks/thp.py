"""Transparent huge pages: whether `pages=thp`, the default of a target, can get them.

`always` and `madvise` both do. The size of its own (`hugepages-2048kB/enabled`, Linux 6.8) beats the general switch
unless it is `inherit`. The page size that a buffer really got is verified and kept in the result.
Source: Linux, Documentation/admin-guide/mm/transhuge.rst; sizes measured with a random chase and AVX-512 reads on a
Granite Rapids guest while Tierscope was designed.
"""

from tierscope.doctor.check import EVERY, Check, Seen, bad, checks, good, note, unknown
from tierscope.doctor.setting import Setting
from tierscope.host.system import System

BASE = "/sys/kernel/mm/transparent_hugepage"
EFFECT = (
    "with 4 KiB pages, random latency at 1 GiB was 278 ns instead of 230 ns, and read bandwidth 10 to 40 % lower "
    "(measured on a Granite Rapids guest)"
)


def look(system: System) -> Seen:
    switch = f"{BASE}/enabled"
    mode, size = system.choice(switch), system.read(f"{BASE}/hpage_pmd_size", 64)
    if mode is None:
        return unknown(f"{switch} is {system.why(switch)}", EFFECT)
    special = f"{BASE}/hugepages-{(int(size) if size and size.isdecimal() else 0) >> 10}kB/enabled"
    own = system.choice(special)
    if own not in (None, "inherit"):
        switch, mode = special, own or ""
    defrag = system.choice(f"{BASE}/defrag") or "not shown"
    if mode not in ("always", "madvise"):
        return bad(f"{mode}: a target with pages=thp gets 4 KiB pages", EFFECT, Setting(switch, "madvise"))
    if defrag in ("never", "defer"):
        return note(f"{mode}, but defrag {defrag}: huge pages only where free memory is not fragmented", EFFECT,
                    Setting(f"{BASE}/defrag", "madvise"))  # fmt: skip
    return good(f"{mode}, defrag {defrag}")


checks.add(
    Check(
        "thp",
        EVERY,
        look,
        looks_at="whether `pages=thp`, the default, gets huge pages",
        advice="write `madvise` to `enabled` or `defrag`",
        applies=True,
    )
)
