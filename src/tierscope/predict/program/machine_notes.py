"""The limits of the models of this machine, in words: the core, the memory, a cache that others use, translation."""

from collections.abc import Iterable, Sequence

from tierscope.simulated.core import Setting, settings
from tierscope.simulated.measured import Measured
from tierscope.suites.core.row import CoreRow
from tierscope.units import show_bytes

NAMES = {"parallel": "page walks"}
SEEN = 0.005  # half of the interval of a latency, below which it is not mentioned


def notes_of(found: Measured, content: str, probed: Sequence[CoreRow]) -> tuple[str, ...]:
    """Return the notes. content: the file of this machine; probed: what is known of its core."""
    if known := settings(probed):
        found_ = _keys(one for one in known if not one.documented)
        notes = [f"the core is as `run core` found it: {found_}"] if found_ else []
        if whole := _keys(one for one in known if one.documented):
            notes.append(f"as documented for a whole core: {whole}; `run core` found less here or was not sure, and "
                         "the bounds contain that")  # fmt: skip
    else:
        range_ = "the bounds are of cores between a small and a large one; `tierscope run core` narrows them"
        notes = [f"the core was not probed: {range_}"]
    if not found.in_flight:
        notes.append("the bandwidth of this machine is not known: no run of `stream kernels=read` with one thread")
    if found.memory_share > SEEN or found.rise:
        load = f"{found.memory_s * 1e9:.3g} ns ±{found.memory_share:.0%}"
        notes.append(f"a load from memory takes {load} here, which the bounds contain{_rising(found)}")
    if found.kept:
        span = f"{found.kept.low_s * 1e3:.2g} to {found.kept.high_s * 1e3:.2g} ms"
        notes.append(f"others use the last cache, which keeps a line for {span} after its last use")
    if "[[tlb]]" not in content:
        notes.append("translation is left out: `run tlb` was not sure of a level of the TLB with these pages")
    return tuple(notes)


def _rising(found: Measured) -> str:
    if not found.rise:
        return ""
    return f"; beyond {show_bytes(found.memory_to_bytes)} it rises by {found.rise:.0%}, which the model leaves out"


def _keys(settings_: Iterable[Setting]) -> str:
    return ", ".join(f"{NAMES.get(one.key, one.key.replace('_', ' '))} {one.value.strip(chr(34))}" for one in settings_)
