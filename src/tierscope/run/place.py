"""Where a run goes: a folder that the user names, or one below `runs`; ours from the moment that it is chosen."""

import re
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from shlex import quote

from tierscope.errors import MachineError, UsageError, reason
from tierscope.files import sync_folder
from tierscope.run.imported import holds_imported
from tierscope.run.owned import is_free, own, release, sweep_begun

RUNS = Path("runs")  # of runs without --out
STEM = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{6}-.+")  # of the names that we choose


def new_directory(parent: Path, suite: str, hostname: str, now: datetime) -> Path:
    """Return runs/2026-11-20T2346-quick-host, numbered if two start in one minute; it is ours until the end."""
    sweep_begun(parent, STEM)
    stem = "-".join((f"{now:%Y-%m-%dT%H%M%S}", in_a_name(suite), in_a_name(hostname)))
    for number in range(100):
        path = parent / (stem if number == 0 else f"{stem}-{number}")
        try:
            path.mkdir(parents=True)
            own(path)
            sync_folder(parent)
        except (FileExistsError, UsageError):  # another start of this second, or one that removes what looks left over
            continue
        except OSError as error:
            raise MachineError(f"cannot create {path}: {reason(error)}; choose another place with --out") from error
        return path
    raise MachineError(f"{parent} already contains a hundred runs of this second; choose another place with --out")


def in_a_name(word: str) -> str:
    """Return `word` as part of a file name: a name of a host may contain a slash, a foreign run's any character."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", word).strip(".-")[:64] or "unnamed"


def taken(out: Path) -> Path:
    """Return a directory named by the user: new or free. It is ours until the end; UsageError where it is another's."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        own(out)
        if not is_free(out):
            release(out)
            if holds_imported(out):
                raise UsageError(f"{out} contains an imported run, which cannot be resumed; name a new directory")
            go_on = f"tierscope resume {quote(str(out))}"
            raise UsageError(f"{out} is not empty; name a new directory, or continue it with `{go_on}`")
        sync_folder(out.absolute().parent)
    except OSError as error:
        raise MachineError(f"cannot create {out}: {reason(error)}; choose another place with --out") from error
    return out


def forsake(directory: Path) -> None:
    """Remove the folder of runs without a name, or one made in it, if nothing is in it; others are the user's own."""
    place = directory if directory == RUNS else directory.parent
    if place == RUNS:
        for folder in dict.fromkeys((directory, place)):
            with suppress(OSError):  # not empty, or gone
                folder.rmdir()
