"""Settings of a lever that an interrupted run left changed: a clock, or a cap on memory bandwidth.

A run of `response` stores what the files had, and its guard puts it back when the run ends. The file stays only if the
machine lost its power, or if both were killed.
Source: `host.levers`.
"""

from tierscope.doctor.check import EVERY, Check, Seen, bad, checks, good, note, unknown
from tierscope.errors import MachineError
from tierscope.host.boot import BOOT_ID, boot_of
from tierscope.host.kept import RESTORE
from tierscope.host.levers import reads, same
from tierscope.host.levers_kept import STORED, KeptFiles
from tierscope.host.system import System

EFFECT = "a lower clock or a cap slows the memory of every program; not quantified here"


def look(system: System) -> Seen:
    try:
        kept = KeptFiles(system.root).kept()
    except MachineError as error:
        return unknown(f"a run may have changed them: {error}", EFFECT, RESTORE)
    if kept is None:
        return good("no run has left them changed")
    if "" not in (now := boot_of(system), kept.boot) and kept.boot != now:
        return note(f"/{STORED} is of a run before the last start, which has reset them", EFFECT, RESTORE)
    changed = [path for path, text in kept.files.items() if not same(reads(system, path), text)]
    if not changed:
        return note(f"/{STORED} is left, but nothing is changed; or such a run has not ended", EFFECT, RESTORE)
    return bad(f"changed by a run: {', '.join(changed)}; or such a run has not ended", EFFECT, RESTORE)


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
