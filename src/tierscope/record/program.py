"""What a program that measures by itself said: which it was, how it ran, and each of its runs in its own numbers.

Such a program, fio, hands back means and a histogram, no blocks. A record of it has one block for each of its runs
(`result`), these facts beside it, and the histogram as rows of BIN in a file of its own.
"""

from typing import Annotated

import msgspec
import numpy as np
import numpy.typing as npt

Count = Annotated[int, msgspec.Meta(ge=0)]
Seconds = Annotated[float, msgspec.Meta(ge=0)]

MOST_THREADS = 256
"""Where a queue is made of threads: more of them measure the scheduler."""

SIDES = ("read", "write")
"""What `side` of a bin counts."""

BIN = np.dtype(
    [
        ("batch", "<u4"),  # which run of the program
        ("side", "<u2"),  # of SIDES
        ("nanoseconds", "<u8"),  # that the bin stands for
        ("operations", "<u8"),  # that fell into it
    ]
)
"""One bin of a histogram of latencies, from submission to completion."""

Bins = npt.NDArray[np.void]


class Moved(msgspec.Struct, frozen=True, kw_only=True):
    """The reads or the writes of one run. Latencies are from submission to completion."""

    side: str  # of SIDES
    operations: Count
    bytes: Count
    seconds: Seconds
    latency_least_s: Seconds
    latency_mean_s: Seconds
    latency_most_s: Seconds


class Repeat(msgspec.Struct, frozen=True, kw_only=True):
    """One run of the program."""

    cpu_user: Seconds  # share of one CPU
    cpu_system: Seconds
    moved: tuple[Moved, ...]


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """A program that measured in place of the core."""

    name: str  # "fio"
    version: str
    engine: str  # how it asked the system: "io_uring", "libaio", "psync"
    refused: dict[str, str]  # engines that were tried before -> why not
    threads: int  # that shared the queue depth
    direct: bool  # past the page cache
    file_system: str  # "ext4"; "" of a block device
    source: str  # what the file system lies on, as the system names it
    command: str  # that a person would type for one run
    repeats: tuple[Repeat, ...] = ()
    said: tuple[str, ...] = ()  # its warnings, each once


def bins_of(samples: str) -> str:
    """Where the histogram of a record lies, beside its samples."""
    return f"{samples.removesuffix('.parquet')}-bins.parquet"
