"""Other programs that `resume` would start in addition to the core; the user agrees to them before it begins."""

from pathlib import Path

from tierscope.errors import ResultError
from tierscope.record.result import load, load_manifest
from tierscope.run.commands import Agree, commands_of
from tierscope.run.expected import imagine
from tierscope.run.imported import refuse_imported
from tierscope.run.planned import plan_of


def agree_to(directory: Path, agree: Agree) -> None:
    """Ask for the commands of the plan in `directory`; a complete run has none. Raises as `load_manifest` does."""
    manifest = load_manifest(directory)
    refuse_imported(directory, manifest, "resumed")
    if not _is_complete(directory):
        agree(commands_of(imagine(plan_of(manifest)())))


def _is_complete(directory: Path) -> bool:
    """Return whether nothing is left to run; False for a run that has no result yet."""
    try:
        return load(directory).result.complete
    except ResultError:
        if (directory / "result.json").exists():
            raise
        return False
