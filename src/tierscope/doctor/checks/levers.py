"""Settings of a lever that an interrupted run left changed: a clock, or a cap on memory bandwidth.

A run of `response` stores what the files had, and its guard puts it back when the run ends. The file stays only if the
machine lost its power, or if both were killed.
Source: `host.levers`.
"""

from tierscope.doctor.check import EVERY, Check, Seen, checks
from tierscope.doctor.left import left
from tierscope.host.boot import BOOT_ID
from tierscope.host.levers import reads, same
from tierscope.host.levers_kept import STORED, Kept, KeptFiles
from tierscope.host.system import System

EFFECT = "a lower clock or a cap slows the memory of every program; not quantified here"


def look(system: System) -> Seen:
    def changed(kept: Kept) -> str:
        paths = [path for path, text in kept.files.items() if not same(reads(system, path), text)]
        return f"in {', '.join(paths)}" if paths else ""

    return left(KeptFiles(system.root, system).file, changed, EFFECT, "that start has reset them")


_FILE = "/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq"
_KEPT = f'{{"boot":"one","files":{{"{_FILE}":"3000000"}}}}'
EXAMPLES = {
    "good": {BOOT_ID: "one"},
    "note": {f"/{STORED}": _KEPT, BOOT_ID: "two", _FILE: "1000000"},
    "bad": {f"/{STORED}": _KEPT, BOOT_ID: "one", _FILE: "1000000"},
    "unknown": {f"/{STORED}": "{", BOOT_ID: "one"},
}

checks.add(
    Check(
        "levers",
        EVERY,
        look,
        looks_at="whether a run of `response` has left a clock or a cap changed",
        advice="run `sudo tierscope doctor --restore` after all such runs have ended",
    )
)
