"""Files as a power failure leaves them, made from the output of core/shadow/watched.hpp: a start, and changed lines."""

import os
import shutil
from pathlib import Path

import numpy as np

from tierscope.errors import MachineError, reason

HEAD_WORDS = 4  # size of the file, its smallest, size of the log, number of lines
LINE_WORDS = 9  # offset, then 64 bytes


def copy_sparse(source: Path, to: Path) -> None:
    """Make a new file with the same bytes; holes stay holes. OSError, and then nothing is left."""
    with open(source, "rb") as old, open(to, "xb") as new:
        size = os.fstat(old.fileno()).st_size
        os.truncate(new.fileno(), size)
        try:
            at = 0
            while at < size and (begin := _next_data(old.fileno(), at)) is not None:
                at = os.lseek(old.fileno(), begin, os.SEEK_HOLE)
                _copy(old.fileno(), new.fileno(), begin, at)
        except OSError:
            to.unlink()
            raise


def _next_data(file: int, at: int) -> int | None:
    try:
        return os.lseek(file, at, os.SEEK_DATA)
    except OSError:  # ENXIO: holes up to the end
        return None


def _copy(old: int, new: int, begin: int, end: int) -> None:
    while begin < end:
        piece = os.pread(old, min(end - begin, 1 << 22), begin)
        if not piece:
            return  # cut short meanwhile
        begin += os.pwrite(new, piece, begin)


def make_image(folder: Path, fence: int, log: Path, image: Path, image_log: Path) -> bool:
    """Make the file and the writer's output at this fence; return False if the writer did not reach it."""
    try:
        words = np.fromfile(folder / f"fence-{fence}", dtype="<u8")
    except FileNotFoundError:
        return False
    size, smallest, printed, _ = (int(word) for word in words[:HEAD_WORDS])
    copy_sparse(folder / "start", image)
    with open(image, "r+b") as file:
        file.truncate(smallest)  # what was cut off once is gone
        for line in words[HEAD_WORDS:].reshape(-1, LINE_WORDS):
            os.pwrite(file.fileno(), line[1:].tobytes(), int(line[0]))
        file.truncate(size)
    with open(log, "rb") as whole, open(image_log, "xb") as part:
        part.write(whole.read(printed))
    return True


def keep(image: Path, log: Path, folder: Path, fence: int) -> None:
    """Store what a failed check read, under names that include the fence. MachineError if it cannot be written."""
    try:
        for source, kind in ((image, "image"), (log, "log")):
            target = folder / f"{kind}-{fence}"
            target.unlink(missing_ok=True)
            copy_sparse(source, target)
    except OSError as error:
        raise MachineError(f"keep image {fence} in {folder}: {reason(error)}; name another --keep") from error


def remove(*paths: Path) -> None:
    """Remove files, or folders that a check made in their place."""
    for path in paths:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
