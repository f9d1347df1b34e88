"""A warning for a run during which memory was added or removed: by hot-plug, a balloon, or `daxctl`."""

from collections.abc import Callable, Mapping

from tierscope.host import blocks
from tierscope.host.blocks import Memory
from tierscope.record import warn
from tierscope.record.result import Warn
from tierscope.units import show_bytes

warn.state(memory="memory was added to the machine or removed during the run")

LEAST = 0.001  # of the total: less changes no choice of a footprint and no placement that a table shows
STEP = "end what changes it (hot-plug, a balloon of the hypervisor, daxctl), then repeat the run: tierscope rerun DIR"


def changed(before: Mapping[str, str | float | int | None], look: Callable[[], Memory]) -> tuple[Warn, ...]:
    """Return the warning, or nothing where all is as before, or was not known then.

    before: the state of the machine at the start. look: reads what it has now.
    """
    if before.get(blocks.TOTAL) is None and before.get(blocks.BLOCKS) is None:
        return ()
    now = look()
    total, online = before.get(blocks.TOTAL), before.get(blocks.BLOCKS)
    told = []
    if isinstance(online, int) and now.blocks_online is not None and now.blocks_online != online:
        count, way = abs(now.blocks_online - online), "online" if now.blocks_online > online else "offline"
        told.append(f"{count} memory block{'s' if count > 1 else ''} went {way} during the run")
    if isinstance(total, int) and now.total_bytes is not None and abs(now.total_bytes - total) > LEAST * total:
        told.append(f"the kernel managed {show_bytes(total)} at the start, {show_bytes(now.total_bytes)} at the end")
    return (Warn(code="memory", message="; ".join(told), next_step=STEP),) if told else ()
