"""perf_event_paranoid: which counters this user may open.

Times do not need them; `counters=` of a run does. 3 and 4 are additions of Debian and Ubuntu.
Source: Linux, Documentation/admin-guide/sysctl/kernel.rst and perf-security.rst.
"""

from tierscope.doctor.check import NONE, Check, Seen, checks, good, note, unknown
from tierscope.doctor.setting import Setting
from tierscope.host.proc import CAP_PERFMON, CAP_SYS_ADMIN, capable
from tierscope.host.system import System

PATH = "/proc/sys/kernel/perf_event_paranoid"
EFFECT = "counters= has fewer events, without the traffic of memory controllers; times do not change"


def look(system: System) -> Seen:
    level = system.number(PATH)
    if level is None:
        return unknown(f"{PATH} is {system.why(PATH)}", EFFECT)
    if capable(system, CAP_PERFMON, CAP_SYS_ADMIN):
        others = (Setting(PATH, "0"),) if level > 0 else ()
        return Seen("good", f"{level}, and this user may open all counters", settings=others)
    if level <= 0:
        return good(f"{level}: counters of CPUs and of memory controllers")
    what = "counters of own threads, none of memory controllers" if level <= 2 else "no counters"
    return note(f"{level}: {what}", EFFECT, Setting(PATH, "0"))


checks.add(
    Check(
        "perf_events",
        NONE,
        look,
        looks_at="which counters may be opened",
        advice="nothing for times; it limits what `counters=` may count",
        applies=True,
    )
)
