"""The run that was begun last among those in a folder."""

from pathlib import Path

import msgspec

from tierscope.errors import UsageError
from tierscope.run.place import RUNS


class Begun(msgspec.Struct):
    """The part of a manifest that is read: whole manifests of a thousand runs would take seconds."""

    started: str


def newest(parent: Path = RUNS) -> Path:
    """Return the directory of the newest run right below `parent`; UsageError where there is none.

    The start is that of the manifest, in UTC; of runs without a manifest that can be read, the name decides, and they
    come first. Half a run without a result is left out.
    """
    found = [path.parent for path in parent.glob("*/result.json")]
    if not found:
        here = f"below {parent}" if parent.is_absolute() else f"below {parent} in {Path.cwd()}"
        raise UsageError(f"there is no run {here}; name a run directory, or measure with `tierscope run quick`")
    return max(found, key=lambda run: (_started(run), run.name))


def _started(run: Path) -> str:
    try:
        return msgspec.json.decode((run / "manifest.json").read_bytes(), type=Begun).started
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return ""
