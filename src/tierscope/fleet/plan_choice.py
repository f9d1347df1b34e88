"""A plan by the name under which it was run: hosts may run several on one day, such as the canary and a suite."""

from pathlib import Path

from tierscope.fleet.same_plan import same_plan
from tierscope.fleet.session import SESSIONS, STATE, load


def chosen(directory: Path, word: str) -> str:
    """Return the digest of the last plan that was run under a name; the word itself where none was."""
    folders = sorted((path.parent for path in (directory / SESSIONS).glob(f"*/{STATE}")), reverse=True)
    for folder in folders:
        if f"-{word}-" in folder.name and (found := load(folder)).plan_name == word:
            return found.plan
    return same_plan(word)
