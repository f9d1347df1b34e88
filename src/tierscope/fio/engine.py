"""The I/O engine that works here: io_uring, libaio or psync, tried in this order with one read.

Containers often forbid io_uring, and some systems lack libaio; the record contains why an engine was passed over.
Source: Linux, io_uring(7), io_submit(2); Documentation/admin-guide/sysctl/kernel.rst (io_uring_disabled).
"""

from dataclasses import dataclass

from tierscope.errors import MachineError
from tierscope.fio import job
from tierscope.fio import process as fio
from tierscope.fio.place import Place
from tierscope.record.program import MOST_THREADS

ENGINES = ("io_uring", "libaio", "psync")
AUTO = "auto"
TRIAL_S = 5.0


@dataclass(frozen=True, slots=True)
class Engine:
    """The first that works, and why those before it do not."""

    name: str
    refused: dict[str, str]


def choose(path: str, asked: str, place: Place, block_bytes: int, depth: int, *, direct: bool) -> Engine:
    """Return an engine that works here; raise MachineError where none does.

    path: of fio. asked: one of ENGINES, or AUTO. depth: of the queue.
    """
    refused: dict[str, str] = {}
    for name in ENGINES if asked == AUTO else (asked,):
        if name in job.SYNCHRONOUS and depth > MOST_THREADS:
            refused[name] = f"a depth of {depth} would be as many threads, and {MOST_THREADS} are the most"
            continue
        try:
            fio.run(path, job.trial(place, name, block_bytes, direct=direct), (place.handle,), TRIAL_S)
        except MachineError as error:
            refused[name] = str(error).partition("; ")[0]
        else:
            return Engine(name, refused)
    told = "; ".join(f"{name}: {why}" for name, why in refused.items())
    deep = f"name depths up to {MOST_THREADS}" if depth > MOST_THREADS else "look at what fio printed"
    step = deep if asked == AUTO else f"try engine={AUTO}"
    raise MachineError(f"no engine of fio reads blocks of {block_bytes} bytes here ({told}); {step}")
