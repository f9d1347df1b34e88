"""The request for a measurement: a suite by its name with its options, or the groups of a user's file."""

from pathlib import Path

from tierscope.errors import UsageError, reason
from tierscope.plans import SuiteOptions, suites
from tierscope.plans.options import read_options
from tierscope.run.planned import OWN_GROUPS


def asked(suite: str, words: dict[str, str], folder: Path | None = None) -> tuple[str, SuiteOptions, str]:
    """Return the name of the suite, its options, and the text of a file of groups, whose name ends in `.toml`.

    folder: the one to which the file of groups is relative; None: the current one. UsageError for unknown names, wrong
    values, and a file that cannot be read.
    """
    if not suite.endswith(".toml"):
        return suite, suites[suite].read(words), ""
    path = (folder or Path()) / suite
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        why = reason(error) if isinstance(error, OSError) else error
        raise UsageError(f"plan {path} cannot be read: {why}") from error
    return OWN_GROUPS, read_options("a plan", SuiteOptions, words), text
