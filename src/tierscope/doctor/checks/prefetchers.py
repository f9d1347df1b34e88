"""Hardware prefetchers that an interrupted run left changed.

A run with `prefetch=` stores what the registers contained, and its guard puts it back when the run ends. The file stays
only if the machine lost its power, or if both were killed. A restart lets the firmware set the registers again.
Source: Intel, "Disclosure of Hardware Prefetcher Control on Some Intel Processors", 2014.
"""

from tierscope.doctor.check import EVERY, Check, Seen, checks
from tierscope.doctor.left import left
from tierscope.host.boot import BOOT_ID
from tierscope.host.prefetchers import STORED, Kept, Registers
from tierscope.host.system import System

EFFECT = "sequential reads are several times slower without prefetchers; random ones hardly change"


def look(system: System) -> Seen:
    registers = Registers(system.root, system)

    def changed(kept: Kept) -> str:
        cpus = registers.changed(kept)
        return f"on {len(cpus)} CPUs" if cpus else ""

    return left(registers.file, changed, EFFECT, "the firmware has usually set them since")


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
