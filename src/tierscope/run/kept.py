"""Files of what runs learn about a machine, in the user's cache folder: one for each machine and kind of content."""

import hashlib
from contextlib import suppress
from pathlib import Path

from tierscope.errors import TierscopeError
from tierscope.files import cache_folder, write_atomically


def kept_file(folder: str, digest: str, host: str = "") -> Path | None:
    """Return the file of a machine; None for a user without a cache folder.

    digest: of the machine; host: its name where machines with one digest are to have several files.
    """
    root = cache_folder()
    if root is None:
        return None
    other = f"-{hashlib.sha256(host.encode()).hexdigest()[:12]}" if host else ""
    return root / folder / f"{digest}{other}.json"


def keep(path: Path, content: bytes) -> None:
    """Replace the file; a folder that cannot be written does not stop a run."""
    with suppress(OSError, TierscopeError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, content)
