"""Which way of asking the system works here: io_uring, then libaio, then psync, each tried with one read.

Containers often forbid io_uring, and some systems lack libaio; why one was passed over stands in the record.
Source: Linux, io_uring(7), io_submit(2); Documentation/admin-guide/sysctl/kernel.rst (io_uring_disabled).
"""

from dataclasses import dataclass

from tierscope.errors import MachineError
from tierscope.storage import fio, job
from tierscope.storage.place import Place

ENGINES = ("io_uring", "libaio", "psync")
AUTO = "auto"
TRIAL_S = 5.0


@dataclass(frozen=True, slots=True)
class Engine:
    """The first that works, and why those before it do not."""

    name: str
    refused: dict[str, str]


def choose(path: str, asked: str, place: Place, block_bytes: int, *, direct: bool) -> Engine:
    """path: of fio. asked: one of ENGINES, or AUTO; MachineError where none works."""
    refused: dict[str, str] = {}
    for name in ENGINES if asked == AUTO else (asked,):
        try:
            fio.run(path, job.trial(place, name, block_bytes, direct=direct), (place.handle,), TRIAL_S)
        except MachineError as error:
            refused[name] = str(error).partition("; ")[0]
        else:
            return Engine(name, refused)
    told = "; ".join(f"{name}: {why}" for name, why in refused.items())
    step = "look at what fio says" if asked == AUTO else f"try engine={AUTO}"
    raise MachineError(f"no engine of fio reads blocks of {block_bytes} bytes here ({told}); {step}")
