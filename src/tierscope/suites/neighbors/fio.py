"""fio as a neighbour: a whole program that writes a file once in random order, and reads it once in random order.

It is a command like a user's, so its time is from start to end, and includes fio's own start and the reservation of the
file. The file loses its name before space is reserved for it, so a kill or a full disk leaves nothing behind.
Blind to storage that answers from its own cache: what matters here is the CPU, the memory and the bus that direct I/O
takes from others, and that they take from it.
"""

from shlex import quote
from typing import Annotated

from msgspec import Meta

from tierscope.plans.kinds import one_of, one_size
from tierscope.units import KiB, MiB

NAME = "fio"
DEPTH = 16
BLOCK_BYTES = 4 * KiB
FOLDER = "/var/tmp"  # noqa: S108 (on a disk)
FILE_BYTES = 32 * MiB

Engine = Annotated[str, one_of("engine", ("io_uring", "libaio", "psync"))]
FileSize = Annotated[
    int,
    Meta(ge=BLOCK_BYTES, multiple_of=BLOCK_BYTES),
    one_size(f"whole blocks of {BLOCK_BYTES} bytes are needed, such as 32MiB"),
]


def line(path: str, size_bytes: int, engine: str) -> str:
    """Return the line for the shell; its file is in the folder `path`."""
    folder = quote(path)
    shared = f"--thread --filename=/proc/self/fd/9 --size={size_bytes} --bs={BLOCK_BYTES} --direct=1"
    asked = f"--ioengine={engine} --iodepth={DEPTH} --output-format=terse"
    work = "--name=write --rw=randwrite --name=read --stonewall --rw=randread"
    return (
        f'f=$(mktemp -p {folder} .tierscope-XXXXXX) && exec 9<>"$f" && rm "$f" && '
        f"fallocate -l {size_bytes} /proc/self/fd/9 && exec fio {shared} {asked} {work}"
    )
