"""Reads the cores of a wheel: `take_cores.py WHEEL` prints the sum of their sources, `... WHEEL FOLDER` extracts them.

Runs with any Python 3, before anything is installed. Ends with status 1 and one line if the wheel cannot be read.
"""

import platform
import sys
import zipfile
from pathlib import Path


def recorded(wheel: Path) -> str:
    """Return the sum that the wheel records; "" for a wheel without one, or of another kind of CPU."""
    if not wheel.name.endswith(f"_{platform.machine()}.whl"):
        return ""
    with zipfile.ZipFile(wheel) as archive:
        sums = [name for name in archive.namelist() if name.endswith("/share/tierscope/core.sum")]
        return archive.read(sums[0]).decode("ascii").strip() if sums else ""


def take(wheel: Path, folder: Path) -> None:
    """Write each core and library of the wheel into `folder`, whole or not at all."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            file = Path(name).name
            if ".data/scripts/" in name and file.startswith(("tierscope-core", "libtierscope-")):
                new = folder / f".{file}.new"
                new.write_bytes(archive.read(name))
                new.chmod(0o755)
                new.replace(folder / file)


if __name__ == "__main__":
    try:
        if len(sys.argv) == 2:
            sys.stdout.write(recorded(Path(sys.argv[1])) + "\n")
        else:
            take(Path(sys.argv[1]), Path(sys.argv[2]))
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        sys.exit(f"take_cores: {sys.argv[1]}: {error}")
