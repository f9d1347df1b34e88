"""The planted truth of an imagined fleet, for its scorer and for further sessions; no analysis imports this."""

from pathlib import Path

import msgspec

from tierscope.errors import ResultError, reason
from tierscope.fleet.folder import TRUTH
from tierscope.fleet.imagine_options import Truth


def read_truth(directory: Path) -> Truth:
    """Return the planted faults; ResultError if the directory has none."""
    try:
        return msgspec.json.decode((directory / TRUTH).read_bytes(), type=Truth)
    except OSError as error:
        raise ResultError(f"{directory} was not imagined: {reason(error)}; try tierscope fleet imagine") from error
    except msgspec.DecodeError as error:
        raise ResultError(f"{directory / TRUTH} is damaged: {error}") from error
