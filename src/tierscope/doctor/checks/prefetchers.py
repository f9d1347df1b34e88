"""Hardware prefetchers that an interrupted run left changed.

A run with `prefetch=` stores what the registers contained, and its guard puts it back when the run ends. The file stays
only if the machine lost its power, or if both were killed. A restart lets the firmware set the registers again.
Source: Intel, "Disclosure of Hardware Prefetcher Control on Some Intel Processors", 2014.
"""

from tierscope.doctor.check import EVERY, Check, Seen, bad, checks, good, note, unknown
from tierscope.errors import MachineError
from tierscope.host.boot import BOOT_ID
from tierscope.host.kept import RESTORE
from tierscope.host.prefetchers import STORED, Registers
from tierscope.host.system import System

EFFECT = "sequential reads are several times slower without prefetchers; random ones hardly change"


def look(system: System) -> Seen:
    registers = Registers(system.root)
    try:
        kept = registers.kept()
        if kept is None:
            return good("no run has left them changed")
        if registers.is_earlier(kept):
            return note(
                f"/{STORED} is of a run before the last start", "the firmware has usually set them since", RESTORE
            )
        changed = registers.changed(kept)
    except MachineError as error:
        return unknown(f"a run may have changed them: {error}", EFFECT, RESTORE)
    if not changed:
        return note(f"/{STORED} is left, but nothing is changed; or such a run has not ended", EFFECT, RESTORE)
    return bad(f"changed by a run on {len(changed)} CPUs; or such a run has not ended", EFFECT, RESTORE)


_KEPT = '{"address":420,"bits":15,"boot":"one","values":{"0":0}}'
EXAMPLES = {
    "good": {BOOT_ID: "one"},
    "note": {f"/{STORED}": _KEPT, BOOT_ID: "two"},
    "bad": {f"/{STORED}": _KEPT, BOOT_ID: "one", "/dev/cpu/0/msr": "\0" * 420 + "\x0f" + "\0" * 7},
    "unknown": {f"/{STORED}": _KEPT, BOOT_ID: "one"},  # the module was removed since
}

checks.add(
    Check(
        "prefetchers",
        EVERY,
        look,
        looks_at="whether a run with `prefetch=` has left them changed",
        advice="run `sudo tierscope doctor --restore` after all such runs have ended",
    )
)
