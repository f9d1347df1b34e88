"""A guard for readers of a run that somebody else wrote: parts that do not fit together are not a fault of Tierscope.

A result file passes its types, and may still name a table, a take or a size that its other parts lack. The error that a
reader then raises (a key that is absent, a division by zero) ends as a ResultError, with the place for a report, since
a fault of the reader would look the same.
"""

import functools
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

from tierscope.errors import ResultError

Words = ParamSpec("Words")
Read = TypeVar("Read")

MET = (LookupError, ValueError, TypeError, ArithmeticError, AttributeError, AssertionError, MemoryError, RecursionError)


def reads(what: str) -> Callable[[Callable[Words, Read]], Callable[Words, Read]]:
    """Make a reader of runs raise ResultError for parts that do not fit together. what: it makes, "the report"."""

    def wrap(reader: Callable[Words, Read]) -> Callable[Words, Read]:
        @functools.wraps(reader)
        def careful(*words: Words.args, **named: Words.kwargs) -> Read:
            try:
                return reader(*words, **named)
            except MET as error:
                raise ResultError(_told(what, error)) from error

        return careful

    return wrap


def _told(what: str, error: BaseException) -> str:
    *_, last = traceback.extract_tb(error.__traceback__)
    place = f"{type(error).__name__}: {error}, {Path(last.filename).name} line {last.lineno}"
    return (
        f"{what} cannot be made: parts of the run do not fit together ({place}); copy the run again, or repeat it. "
        "If Tierscope wrote it so, report this with what TIERSCOPE_TRACEBACK=1 shows"
    )
