"""Memory errors that the controllers corrected, as the kernel's EDAC drivers counted them.

Blind in a guest, and where firmware handles errors first and hides them.
Source: Linux, Documentation/admin-guide/RAS/main.rst (EDAC); M. Gottscho et al., "Measuring the Impact of
Memory Errors on Application Performance", IEEE Computer Architecture Letters 16(1), 2017.
"""

from tierscope.doctor.check import EVERY, Check, Seen, bad, checks, good, note, unknown
from tierscope.host.proc import virtual
from tierscope.host.system import System

BASE = "/sys/devices/system/edac/mc"
OFTEN_PER_S = 1 / 60  # at one error a minute the two minutes of `run quick` meet some
EFFECT = "a DIMM with faults slowed SPEC CPU2006 by up to 2.5x on average (Gottscho et al., IEEE CAL 2017)"


def look(system: System) -> Seen:
    controllers = system.glob(f"{BASE}/mc[0-9]*")
    if not controllers:
        why = "a guest sees no memory controller" if virtual(system) else "needs an EDAC driver and ECC memory"
        return unknown(f"no error counts: {why}", EFFECT)
    names = ("ce_count", "ue_count", "seconds_since_reset")
    counts = [[system.number(f"{path}/{name}") for name in names] for path in controllers]
    errors = [(fixed, lost) for fixed, lost, _ in counts if fixed is not None and lost is not None]
    if len(errors) < len(counts):
        return unknown(f"counts of {BASE} are not readable", EFFECT)
    fixed, lost = (sum(kind) for kind in zip(*errors, strict=True))
    seconds = min((seconds for *_, seconds in counts if seconds), default=None)
    span = f"in {seconds / 3600:.3g} h" if seconds else "since the driver started"
    state = f"{fixed} corrected, {lost} uncorrected {span}"
    if lost > 0 or (seconds and fixed / seconds >= OFTEN_PER_S):
        return bad(state, EFFECT, f"grep . {BASE}/mc*/dimm*/dimm_*_count")
    return note(state, EFFECT, f"grep . {BASE}/mc*/dimm*/dimm_*_count") if fixed > 0 else good(state)


checks.add(
    Check(
        "edac",
        EVERY,
        look,
        looks_at="memory errors that were corrected",
        advice="find out which DIMM it is, and have it replaced",
    )
)
