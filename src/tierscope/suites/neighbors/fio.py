"""fio as a neighbour: a whole program that writes a file once in random order, and reads it once in random order.

It is a command of the user's kind, so its time is that from start to end, fio's own start and the reservation of the
file among it. The file loses its name before room is asked for it: a kill or a full disk leaves nothing behind.
Blind to storage that answers from its own cache: what matters here is the CPU, the memory and the bus that direct I/O
takes from others, and they from it.
"""

from shlex import quote

from tierscope.errors import UsageError
from tierscope.plans import Option, Options, options
from tierscope.units import KiB

NAME = "fio"
DEPTH = 16
BLOCK_BYTES = 4 * KiB

OPTIONS: tuple[Option, ...] = (
    options.text(
        "fio_path",
        "/var/tmp",  # noqa: S108 (on a disk)
        "of `fio` as victim or aggressor: folder of its file, which does not have a name",
    ),
    options.size("fio_size", "32MiB", "of the same: bytes that each run writes and reads"),
    options.text("fio_engine", "libaio", "of the same: `io_uring`, `libaio`, `psync`"),
)


def engine_of(chosen: Options) -> str:
    """UnknownNameError for one that is not known."""
    return options.names_of("engine", chosen["fio_engine"], ("io_uring", "libaio", "psync"))[0]


def line(chosen: Options) -> str:
    """For the shell; UsageError for a size that is no multiple of its blocks."""
    size = int(chosen["fio_size"] or 0)
    if size < BLOCK_BYTES or size % BLOCK_BYTES:
        raise UsageError(f"fio_size={size}: whole blocks of {BLOCK_BYTES} bytes are needed, such as 32MiB")
    engine = engine_of(chosen)
    folder = quote(str(chosen["fio_path"]))
    shared = f"--thread --filename=/proc/self/fd/9 --size={size} --bs={BLOCK_BYTES} --direct=1"
    asked = f"--ioengine={engine} --iodepth={DEPTH} --output-format=terse"
    work = "--name=write --rw=randwrite --name=read --stonewall --rw=randread"
    return (
        f'f=$(mktemp -p {folder} .tierscope-XXXXXX) && exec 9<>"$f" && rm "$f" && '
        f"fallocate -l {size} /proc/self/fd/9 && exec fio {shared} {asked} {work}"
    )
