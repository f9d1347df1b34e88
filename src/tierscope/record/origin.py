"""The origin of numbers: unchanged hardware, a replacement for it, or a model of it.

A mixture has the strongest origin: one simulated group makes a run simulated. Numbers of two origins do not compare
unless the user requests it.
"""

from collections.abc import Iterable

ORIGINS = ("real", "imported", "emulated", "simulated")
"""The strongest last. Imported is what another tool measured: hardware, as that tool reports."""


def strongest(origins: Iterable[str]) -> str:
    """Return the origin of a mixture; one of a later version is the strongest. An empty mixture is real."""
    return max(origins, key=lambda word: ORIGINS.index(word) if word in ORIGINS else len(ORIGINS), default="real")


def steadier(origin: str) -> str:
    """Return what makes inconclusive points of this origin conclusive, as 'repeat ...'; budgets are the caller's.

    Nobody disturbs a simulated memory, and an imported file does not change.
    """
    steps = {
        "imported": "import a file with more repeats of each point",
        "simulated": "give a point more time or a larger footprint, or the simulated machine less noise (noise=)",
    }
    return steps.get(origin, "repeat it on a quiet machine (tierscope doctor)")


def joined(words: Iterable[str]) -> str:
    """Return what emulates or simulates the parts, each once."""
    return "; ".join(dict.fromkeys(word for word in words if word))


def timeless(by: str) -> bool:
    """Return whether no time of such a run is one of a memory: QEMU has neither caches nor distances."""
    return by.startswith("QEMU")


def banner(origin: str, by: str) -> str:
    """Return the line above the numbers; "" where they are real."""
    if origin == "real":
        return ""
    if origin == "imported":
        return f"{named(origin.upper(), by)}: measured by another tool, with units as its documents state them"
    if timeless(by):
        return f"{named(origin.upper(), by)}: no time or speed here is one of a memory; facts and placement are shown"
    return f"{named(origin.upper(), by)}: these numbers are not measurements of hardware"


def named(origin: str, by: str) -> str:
    """Return 'emulated by DRAM of node 0, floor 350 ns', 'imported: fio-3.33'."""
    if origin.lower() == "imported":
        return f"{origin}: {by}"
    return f"{origin} by {by}" if by else origin
