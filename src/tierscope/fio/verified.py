"""Fills the place with blocks that carry their number, and reads all of them back before a job runs."""

import random
from pathlib import Path

from tierscope.errors import MachineError, reason
from tierscope.fio.place import Place
from tierscope.numbered.filled import faults, fill

BLOCK_BYTES = 4096
FIRST = 5


def verified_fill(place: Place, *, direct: bool) -> int:
    """Return how many blocks were written and found again. MachineError with the offsets of wrong ones."""
    path, run = Path(place.path), random.SystemRandom().getrandbits(63)
    try:
        ledger = fill(path, place.size_bytes, BLOCK_BYTES, run)
        wrong = faults(path, ledger, direct=direct)
    except OSError as error:
        raise MachineError(
            f"write numbered blocks to {place.source} and read them back: {reason(error)}; look for errors in dmesg"
        ) from error
    if wrong:
        named = "; ".join(f"offset {one.offset}: {one.kind} ({one.detail})" for one in wrong[:FIRST])
        raise MachineError(
            f"{place.source} returns {len(wrong)} of {len(ledger.done)} blocks wrong: {named}; "
            "do not trust this storage, and look for errors in dmesg"
        )
    return len(ledger.done)
