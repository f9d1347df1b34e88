"""The reference sets: what ships with the program, and what the user added.

The user's set is one file in the user's data folder. The newest entry of a machine and suite is used, so that a machine
that is measured each day does not outvote others.
Source: freedesktop.org, XDG Base Directory Specification 0.8, 2021 ($XDG_DATA_HOME).
"""

import os
from importlib.resources import files
from pathlib import Path

import msgspec

from tierscope.errors import MachineError, reason
from tierscope.files import write_atomically
from tierscope.normal.entry import Entry, read_entries

SHIPPED = "shipped.json"


def known() -> list[Entry]:
    """Return all entries, the shipped ones first; ResultError for a user's set that cannot be read."""
    shipped = files("tierscope.normal") / SHIPPED
    return newest([*read_entries(shipped.read_bytes(), SHIPPED), *own()])


def own() -> list[Entry]:
    """Return the user's entries."""
    path = place()
    return read_entries(path.read_bytes(), str(path)) if path.exists() else []


def add(entries: list[Entry]) -> Path:
    """Add entries to the user's set, and return its file; MachineError where it cannot be written."""
    path = place()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, document(newest([*own(), *entries])))
    except OSError as error:
        raise MachineError(f"cannot write {path}: {reason(error)}; set XDG_DATA_HOME to a folder of yours") from error
    return path


def newest(entries: list[Entry]) -> list[Entry]:
    """Return the newest entry of each machine and suite, in the order of the first."""
    found: dict[tuple[str, str], Entry] = {}
    for entry in entries:
        key = entry.machine, entry.suite
        if key not in found or entry.day >= found[key].day:
            found[key] = entry
    return list(found.values())


def document(entries: list[Entry]) -> bytes:
    """Return entries as the text of a file."""
    return msgspec.json.format(msgspec.json.encode(entries), indent=1) + b"\n"


def place() -> Path:
    """Return the file of the user's set; MachineError where there is no such folder."""
    folder = Path(os.environ.get("XDG_DATA_HOME", ""))
    try:
        root = folder if folder.is_absolute() else Path.home() / ".local" / "share"
    except RuntimeError as error:
        raise MachineError("there is no home folder for the reference set; set XDG_DATA_HOME") from error
    return root / "tierscope" / "normal.json"
