"""How the memory slots are filled: channels left empty, modules that run below their rated speed.

Source: DMTF DSP0134 (SMBIOS), 7.18; the fall of the clock with two DIMMs per channel: AI-HPC.org, STREAM guide.
"""

from tierscope.doctor.check import BANDWIDTH, Check, Seen, checks, good, note, unknown
from tierscope.host import peak, smbios
from tierscope.host.proc import virtual
from tierscope.host.system import System

EFFECT = "the theoretical peak, channels x MT/s x 8 bytes, is unknown; measured numbers are unaffected"


def look(system: System) -> Seen:
    if virtual(system):
        return unknown("a guest cannot see the real DIMMs", EFFECT, "tierscope run quick peak=RATE")
    slots = smbios.dimms(system)
    if slots is None:
        why = system.why(smbios.PATH)
        return unknown(f"SMBIOS tables are {why}", EFFECT,
                       "tierscope run quick peak=RATE" if why == "absent" else "sudo tierscope doctor")  # fmt: skip
    filled = tuple(dimm for dimm in slots if dimm.size_bytes and dimm.volatile and not dimm.cxl)
    if not filled:
        return unknown("SMBIOS lists no memory", EFFECT, "tierscope run quick peak=RATE")
    state, faults = smbios.describe(slots), []
    used = {peak.channel(dimm) for dimm in filled}
    every = {peak.channel(dimm) for dimm in slots if not dimm.cxl}
    empty = len(every) - len(used)
    if "" not in every and empty:
        share = 100 * empty / len(every)
        faults.append(f"{empty} of {len(every)} channels are empty: {share:.0f} % of the peak is missing")
    slow = [dimm for dimm in filled if 0 < dimm.configured_mt_s < dimm.rated_mt_s]
    if slow:
        share = 100 * max(1 - dimm.configured_mt_s / dimm.rated_mt_s for dimm in slow)
        faults.append(f"{len(slow)} modules run below their rated speed: {share:.0f} % of the peak is missing")
    return note(state, "; ".join(faults)) if faults else good(state)


checks.add(
    Check(
        "dimms",
        BANDWIDTH,
        look,
        looks_at="empty channels, modules below their rated speed",
        advice="fill the channels; in a guest give `peak=`",
    )
)
