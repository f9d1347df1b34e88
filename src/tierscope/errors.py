"""The errors that a user can meet, each with the exit status it ends in.

A message says what was asked, what came back and what to try, in one line.
"""

import os
from enum import IntEnum
from typing import ClassVar


class Exit(IntEnum):
    """Exit status of every command; the same table stands in `--help` and in docs/reference."""

    GOOD = 0
    FAILED = 1  # a threshold or a comparison failed
    USAGE = 2
    CANNOT = 3  # this machine cannot do it
    INCONCLUSIVE = 4
    INTERNAL = 70  # a fault of Tierscope itself (sysexits.h, EX_SOFTWARE)
    INTERRUPTED = 130  # and resumable; 128 + n for a signal n other than that of Ctrl-C


class TierscopeError(Exception):
    """Base of all; never raised itself."""

    status: ClassVar[Exit] = Exit.INTERNAL


class UsageError(TierscopeError):
    """The words of the command or of a file are wrong."""

    status = Exit.USAGE


class UnknownNameError(UsageError):
    """A suite, kernel, key, unit, CPU or node that does not exist."""


class OutOfRangeError(UsageError, ValueError):
    """A number that its field cannot have; as a ValueError it also ends the reading of a file that contains it."""


class ResultError(UsageError):
    """A run directory that is missing, damaged, half-written or from the future."""


class MachineError(TierscopeError):
    """This machine, as it is set up now, cannot do what was asked."""

    status = Exit.CANNOT


class CoreError(TierscopeError):
    """`tierscope-core` crashed or broke the protocol: a fault of Tierscope."""


class WrongAnswerError(CoreError):
    """A kernel left other bytes than scalar code leaves: its bandwidth is void."""


def reason(error: OSError) -> str:
    """Return why the system refused: its own words, or Python's where the system was not asked."""
    return error.strerror or str(error) or type(error).__name__


def refusal(error: OSError) -> str:
    """Return 'place: reason', or the reason alone where the error does not name a place."""
    place = error.filename if isinstance(error.filename, str | bytes) else ""
    return f"{os.fsdecode(place)}: {reason(error)}" if place else reason(error)
