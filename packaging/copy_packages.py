"""Copies installed Python packages: `copy_packages.py REQUIREMENTS FOLDER`, run by the Python that has them.

Copies each package that the file names, without scripts and without compiled modules. Ends with status 1 and one line
if a package is absent, or has none of the versions that the file allows.
"""

import re
import shutil
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path


def locked(text: str) -> dict[str, set[str]]:
    """Return the versions of each package in a file of requirements; several if they depend on the Python."""
    found: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([^\s;\\]+)", text, re.MULTILINE):
        found.setdefault(name, set()).add(version)
    return found


def copy(name: str, versions: set[str], folder: Path) -> None:
    """Copy the files that a package records, except those outside its folder. ValueError for another version."""
    found = distribution(name)
    if found.version not in versions:
        raise ValueError(f"{name} {found.version} is installed; expected {' or '.join(sorted(versions))}")
    for file in found.files or ():
        if ".." in file.parts or "__pycache__" in file.parts:
            continue
        to = folder / file
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(str(file.locate()), to)


if __name__ == "__main__":
    try:
        for name, versions in locked(Path(sys.argv[1]).read_text()).items():
            copy(name, versions, Path(sys.argv[2]))
    except (OSError, ValueError, PackageNotFoundError) as error:
        sys.exit(f"copy_packages: {error}; set the checkout up with ./tierscope --version")
