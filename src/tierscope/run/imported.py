"""A check that refuses to continue or to repeat what another tool measured: its plan is not ours."""

from pathlib import Path

from tierscope.errors import ResultError, UsageError
from tierscope.imports.store import SUITE
from tierscope.record.predicted import SUITE as PREDICTION
from tierscope.record.result import Manifest, load_manifest


def refuse_imported(directory: Path, manifest: Manifest, what: str) -> None:
    """Raise UsageError where the run is an imported one.

    what: "resumed", "repeated".
    """
    if manifest.suite == PREDICTION:
        raise UsageError(f"{directory} is a prediction and cannot be {what}; predict again with `tierscope predict`")
    if manifest.suite == SUITE:
        raise UsageError(
            f"{directory} was measured by another tool and cannot be {what}; "
            "import its new output into a new directory with `tierscope import FILE --out DIRECTORY`"
        )


def holds_imported(directory: Path) -> bool:
    """Return whether `directory` contains an imported run; False for what is not a run or cannot be read."""
    try:
        return load_manifest(directory).suite == SUITE
    except ResultError:
        return False
