"""The smallest check: whether the kernel writes a core file when a program crashes.

A check reads text files, changes nothing and needs no root. Name the document that defines the file.
Source: Linux, proc(5), /proc/sys/kernel/core_pattern.
"""

from tierscope.doctor.check import NONE, Check, Seen, checks, good, note, unknown
from tierscope.host.system import System

PATH = "/proc/sys/kernel/core_pattern"
EFFECT = "a crash of a program is handed to another program, which takes CPU time; not quantified here"


# Return good(state), note(state, effect, remedy), bad(...) or unknown(...). A file that cannot be read is unknown,
# never good. The remedy is one command that a user can copy; one with sudo is marked as such.
def look(system: System) -> Seen:
    """Return what is done with core files."""
    pattern = system.read(PATH)
    if not pattern:
        return unknown(f"{PATH} is not readable", EFFECT)
    if pattern.startswith("|"):
        return note("piped to a program", EFFECT, "sudo sysctl kernel.core_pattern=core")
    return good("written to a file")


# The tests read this: for each verdict the files of a system.
EXAMPLES = {
    "good": {PATH: "core"},
    "note": {PATH: "|/usr/lib/systemd/systemd-coredump"},
    "unknown": {PATH: None},
}

# The second argument states which results the answer affects: EVERY, BANDWIDTH or NONE.
# The reference prints the other two: what the check looks at, and what a user can do.
checks.add(Check("skeleton", NONE, look, looks_at="what happens to core files", advice="set a name of a file"))
