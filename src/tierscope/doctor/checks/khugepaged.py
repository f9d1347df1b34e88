"""khugepaged: a kernel thread that joins small pages to huge ones in the background.

It may turn the page size of a buffer during a run where a huge page was not free at first touch.
Default pace: 4096 pages every 10 s. Blind to its work at this moment; the count is since boot.
Source: Linux, Documentation/admin-guide/mm/transhuge.rst, "Khugepaged controls".
"""

from tierscope.doctor.check import EVERY, Check, Seen, checks, good, note, unknown
from tierscope.doctor.setting import Setting
from tierscope.host.system import System

BASE = "/sys/kernel/mm/transparent_hugepage"
DEFAULT_PAGES, DEFAULT_MS = 4096, 10_000


def look(system: System) -> Seen:
    if system.choice(f"{BASE}/enabled") == "never":
        return good("idle: transparent huge pages are off")
    names = ("pages_to_scan", "scan_sleep_millisecs", "pages_collapsed")
    pages, sleep, joined = (system.number(f"{BASE}/khugepaged/{name}") for name in names)
    effect = "takes CPU time, and may turn small pages of a buffer into huge ones between blocks; not quantified here"
    if pages is None or sleep is None:
        return unknown(f"{BASE}/khugepaged is {system.why(f'{BASE}/khugepaged/pages_to_scan')}", effect)
    since = f"{joined} huge pages made since boot" if joined is not None else "work since boot not shown"
    state = f"{pages} pages every {sleep / 1e3:g} s, {since}"
    if pages * DEFAULT_MS <= DEFAULT_PAGES * sleep:
        return good(state)
    return note(f"{state}: faster than the default", effect,
                Setting(f"{BASE}/khugepaged/scan_sleep_millisecs", str(DEFAULT_MS)))  # fmt: skip


checks.add(
    Check(
        "khugepaged",
        EVERY,
        look,
        looks_at="a pace above the default",
        advice="set its default sleep",
        applies=True,
    )
)
