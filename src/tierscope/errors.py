"""The errors that a user can meet, each with the exit status it ends in.

A message states what was requested, what came back and what to try, in one line.
"""

import os
from enum import IntEnum
from typing import ClassVar, Self


class Exit(IntEnum):
    """Exit status of every command, with what it means: help, manual page and docs/reference are made from it."""

    meaning: str

    def __new__(cls, value: int, meaning: str) -> Self:
        """Return the status as a number that knows its meaning."""
        status = int.__new__(cls, value)
        status._value_ = value
        status.meaning = meaning
        return status

    GOOD = 0, "success: every requested number is available"
    FAILED = 1, "a threshold or a comparison failed"
    USAGE = (
        2,
        "an argument, a file or a name is wrong: unknown suite, option, kernel, unit, CPU or node; "  # noqa: ISC004
        "a damaged run directory",
    )
    CANNOT = (
        3,
        "this machine cannot do it now: too little memory, no such pages, no permission, "  # noqa: ISC004
        "a missing CPU feature, memory that cannot be read",
    )
    INCONCLUSIVE = 4, "measured, but not precisely enough"
    INTERNAL = (  # sysexits.h, EX_SOFTWARE
        70,
        "a fault of Tierscope: the core crashed, or a kernel left wrong bytes; report it",
    )
    INTERRUPTED = 130, "stopped by Ctrl-C; `tierscope resume DIR` continues"  # 128 + n for any other signal n


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
    """This machine, in its present state, cannot do what was requested."""

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
