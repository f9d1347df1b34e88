"""The report of a program that measures by itself: its identity, how it ran, and each of its runs in its own numbers.

Such a program, fio, returns means and a histogram, no blocks. A record of it has one block for each of its runs
(`result`), these facts with it, and the histogram as rows of BIN in a file of its own.
"""

from typing import Annotated

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Meta

Count = Annotated[int, msgspec.Meta(ge=0)]
Seconds = Annotated[float, msgspec.Meta(ge=0)]

MOST_THREADS = 256
"""Where a queue is made of threads: more of them measure the scheduler."""

SIDES = ("read", "write")
"""The operations that `side` of a bin counts."""

BIN = np.dtype(
    [
        ("batch", "<u4"),
        ("side", "<u2"),
        ("nanoseconds", "<u8"),
        ("operations", "<u8"),
    ]
)
"""One bin of a histogram of latencies, from submission to completion."""

BIN_MEANINGS = {
    "batch": "number of the repeat",
    "side": "0: reads, 1: writes",
    "nanoseconds": "latency that the bin represents",
    "operations": "operations in the bin",
}
"""The content of the columns, for the reference."""

Bins = npt.NDArray[np.void]


class Moved(msgspec.Struct, frozen=True, kw_only=True):
    """The reads or the writes of one run. Latencies are from submission to completion."""

    side: Annotated[str, Meta(description="`read`, `write`")]
    operations: Annotated[Count, Meta(description="how many")]
    bytes: Annotated[Count, Meta(description="of all of them")]
    seconds: Annotated[Seconds, Meta(description="in which they were done, to the millisecond")]
    latency_least_s: Annotated[Seconds, Meta(description="of the quickest")]
    latency_mean_s: Annotated[Seconds, Meta(description="of all")]
    latency_most_s: Annotated[Seconds, Meta(description="of the slowest")]


class Repeat(msgspec.Struct, frozen=True, kw_only=True):
    """One run of the program."""

    cpu_user: Annotated[Seconds, Meta(description="share of one CPU that the program took")]
    cpu_system: Annotated[Seconds, Meta(description="share of one CPU that the system took for it")]
    moved: Annotated[
        tuple[Moved, ...], Meta(description="list of [`Moved`](#moved): reads, writes, where there were any")
    ]


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """Another program that measured in place of the core. Its histogram is in the [bins](#bins)."""

    name: Annotated[str, Meta(description="`fio`")]
    version: Annotated[str, Meta(description="as it calls itself")]
    engine: Annotated[str, Meta(description="how it asked the system: `io_uring`, `libaio`, `psync`")]
    refused: Annotated[dict[str, str], Meta(description="engines that were tried before -> why not")]
    threads: Annotated[int, Meta(description="that shared the queue depth; 1 where the engine has a queue")]
    direct: Annotated[bool, Meta(description="whether past the page cache")]
    file_system: Annotated[str, Meta(description='as `ext4`; "" of a block device')]
    source: Annotated[str, Meta(description="the device below the file system, as the system names it")]
    command: Annotated[str, Meta(description="what a person would type for one run")]
    repeats: Annotated[tuple[Repeat, ...], Meta(description="list of [`Repeat`](#repeat): one for each batch")] = ()
    said: Annotated[tuple[str, ...], Meta(description="its warnings, each once")] = ()


def bins_of(samples: str) -> str:
    """Return the path of a record's histogram, next to its samples."""
    return f"{samples.removesuffix('.parquet')}-bins.parquet"
