"""Files that are replaced as a whole: a kill at any moment leaves the old one or the new one."""

import os
from contextlib import suppress
from pathlib import Path


def write_atomically(path: Path, content: bytes) -> None:
    """Replace `path` as a whole or not at all; flushed to the disk before the rename. OSError names `path`."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def is_there(path: Path | str) -> bool:
    """Whether something has this name; False also for a name that nothing can have, or that may not be asked about."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # too long, a loop of links; a zero byte
        return False
