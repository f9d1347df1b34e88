"""Theoretical peak bandwidth of the memory bus, from the firmware's tables; unknown is an answer.

    peak = channels x 10^6 MT/s x data bits / 8                                     [bytes/s]

DDR5's two sub-channels of 32 bits are one channel of 64 here, which is the same product. SMBIOS lists
DIMMs, not channels: channels are counted from locators that name them ("P0_Node0_Channel1_Dimm0",
"DIMM_A1") or from the kernel's EDAC tree; two DIMMs may share one. Where both give a number and differ, where
neither gives one, in a guest (whose firmware makes DIMMs up), or where speeds differ, the peak is unknown.
Source: DMTF DSP0134 3.7.0, 7.18; JEDEC JESD79-3, -4, -5 (lowest data rates); Linux, Documentation/
admin-guide/RAS/main.rst (dimm_location).
"""

import re
from collections import Counter
from typing import NamedTuple

from tierscope.host import smbios
from tierscope.host.smbios import Dimm
from tierscope.host.system import System

LOWEST_MT_S = {"DDR3": 800, "DDR4": 1600, "DDR5": 3200, "LPDDR3": 800, "LPDDR4": 1600, "LPDDR5": 3200}
"""Below it a "speed" is likely the clock in MHz, half the data rate: not used."""

CHANNEL_BYTES = 8  # of one transfer: 64 data bits
MOST_SLOTS = 3  # DIMMs on one channel that any DDR3 to DDR5 board has
EDAC = "/sys/devices/system/edac/mc"
GIVE = "give peak=RATE, which is channels x MT/s x 8 bytes"

CHANNEL = re.compile(r"(?<![A-Z])CH(?:ANNEL|AN|N)?[ _-]*([A-P]|[0-9]{1,2})(?![A-Z0-9])", re.IGNORECASE)
LETTER = re.compile(r"DIMM[ _-]*(?:P?[0-9][ _-])?([A-P])[0-9]$|^(?:CPU|P)[0-9][ _-]([A-P])[0-9]$", re.IGNORECASE)
PLACE = re.compile(r"(?<![A-Z])(CPU|PROC|P|SOCKET|NODE|CONTROLLER|IMC|MC)[ _-]*([0-9]{1,2})(?![0-9])", re.IGNORECASE)
SLOT = re.compile(r"DIMM[ _-]*[A-P]?([0-9]{1,2})$|(?<![A-Z])[A-P]([0-9])$", re.IGNORECASE)


class Peak(NamedTuple):
    """Bytes per second, or None, and where that comes from."""

    bytes_per_s: float | None
    source: str


def theoretical(system: System, virtual: bool) -> Peak:
    """Return the peak from SMBIOS and EDAC. Never raises: what is in doubt is unknown, with reason and remedy."""
    if virtual:
        return _unknown("the DIMMs that a guest is shown are made up")
    slots = smbios.dimms(system)
    if slots is None:
        why = system.why(smbios.PATH)
        return _unknown(f"SMBIOS tables are {why}" + ("" if why == "absent" else "; root may read them"))
    filled = [dimm for dimm in slots if dimm.size_bytes and dimm.volatile and not dimm.cxl]
    kinds = {dimm.kind for dimm in filled}
    speeds, widths = {dimm.configured_mt_s for dimm in filled}, {dimm.data_bits for dimm in filled}
    doubt = _doubt(filled, kinds, speeds, widths)
    if doubt:
        return _unknown(doubt)
    count = channels(system, tuple(filled))
    if isinstance(count, str):
        return _unknown(count)
    kind, speed, bits = kinds.pop(), speeds.pop(), widths.pop()
    return Peak(count * speed * 1e6 * bits / 8, f"SMBIOS: {count} x {kind}-{speed}")


def given(bytes_per_s: float) -> Peak:
    """Return the peak that the user stated."""
    return Peak(bytes_per_s, f"given: peak={bytes_per_s / 1e9:.12g}GB/s")


def _unknown(reason: str) -> Peak:
    return Peak(None, f"unknown: {reason}; {GIVE}")


def _doubt(filled: list[Dimm], kinds: set[str], speeds: set[int], widths: set[int]) -> str:
    """Return why these DIMMs have no single, believable data rate; "" if they have."""
    if not filled:
        return "SMBIOS lists no memory"
    if len(kinds) > 1 or not kinds <= set(LOWEST_MT_S):
        return f"SMBIOS lists {', '.join(sorted(kind or 'memory of no known kind' for kind in kinds))}"
    if len(speeds) > 1 or 0 in speeds:
        return f"configured speeds are {', '.join(str(speed or 'not stated') for speed in sorted(speeds))}"
    if len(widths) > 1 or not widths <= {16, 32, 64} or (any(dimm.module for dimm in filled) and widths != {64}):
        return f"data widths of {', '.join(map(str, sorted(widths)))} bits are not those of one kind of module"
    kind, speed = filled[0].kind, filled[0].configured_mt_s
    if speed < LOWEST_MT_S[kind] or any(dimm.rated_mt_s == 2 * speed for dimm in filled):
        return f"{kind} at {speed} MT/s may be the clock, half the data rate"
    return ""


def channels(system: System, filled: tuple[Dimm, ...]) -> int | str:
    """Return the number of channels of the given DIMMs, or the reason why they cannot be counted."""
    named, seen = _named(filled), _edac(system)
    if isinstance(named, int) and seen and named != seen:
        return f"locators name {named} channels, the kernel's EDAC tree {seen}"
    return seen if seen and isinstance(named, str) else named


def _named(filled: tuple[Dimm, ...]) -> int | str:
    names = [channel(dimm) for dimm in filled]
    if not all(names):
        dimm = filled[names.index("")]
        return f"the locator {dimm.locator or 'of a DIMM'!r} (bank {dimm.bank!r}) of {len(filled)} names no channel"
    slots = Counter((name, slot(dimm)) for name, dimm in zip(names, filled, strict=True))
    crowded = max(Counter(names).values()) > MOST_SLOTS
    if crowded or max(slots.values()) > 1:
        return f"locators of several DIMMs name the same slot, as {filled[0].locator!r}"
    return len(set(names))


def channel(dimm: Dimm) -> str:
    """Return one name per channel of the machine, 'P0 NODE0 CHANNEL A'; "" where the locators name none."""
    texts = (dimm.bank, dimm.locator)
    found = next((match for text in texts if (match := CHANNEL.search(text))), None)
    found = found or next((match for text in reversed(texts) if (match := LETTER.search(text))), None)
    if found is None:
        return ""
    letter = next(group for group in found.groups() if group)
    places = PLACE.findall(found.string) or PLACE.findall(" ".join(texts))
    return " ".join([f"{word}{number}" for word, number in places] + ["CHANNEL", letter]).upper()


def slot(dimm: Dimm) -> str:
    """Return which DIMM of its channel it is: '0'; "" where it is not named."""
    for text in (dimm.bank, dimm.locator):
        match = SLOT.search(text)
        if match:
            return next(group for group in match.groups() if group)
    return ""


def _edac(system: System) -> int:
    """Return the channels with DDR memory in the kernel's EDAC tree; 0 if it does not show them."""
    places = set()
    for path in system.glob(f"{EDAC}/mc[0-9]*/dimm[0-9]*"):
        match = re.search(r"channel ([0-9]{1,3})", system.read(f"{path}/dimm_location", 128) or "")
        if "DDR" in (system.read(f"{path}/dimm_mem_type", 64) or "") and (system.number(f"{path}/size") or 0) > 0:
            if match is None:
                return 0
            places.add((path.split("/")[6], match[1]))
    return len(places)
