"""The one door to the terminal: all that a command writes to standard output and standard error passes here.

Text from a run, a file or a machine is foreign. It is shown and does nothing else: letters that are not
printable become escapes, and square brackets are not markup. `console` is the same door for what Rich draws. A reader
that has gone away, as `| head` does, does not end a command: the rest of the output is dropped, the status stays.
"""

import os
import shutil
import sys
from contextlib import suppress
from typing import IO, Any

from tierscope.called import as_called
from tierscope.cli import wrapping
from tierscope.printable import json_text, printable, printable_lines


def line(text: object) -> None:
    """Print one line on standard output."""
    _print(printable(as_called(str(text))) + "\n")


def wrapped(text: str) -> None:
    """Print a sentence on standard output, in lines as wide as the terminal; a command in it stays whole."""
    _print(_wrapped(printable(as_called(text))) + "\n")


def _wrapped(text: str) -> str:
    """Return lines of at most the terminal's width, or 80 where there is none; a very wide one is not filled."""
    return wrapping.wrapped(text, min(shutil.get_terminal_size((80, 24)).columns, wrapping.WIDEST))


def line_now(text: str) -> None:
    """Print text that another program waits for, or that must be there if this one dies."""
    _print(text)
    with suppress(OSError):
        sys.stdout.flush()


def lines(text: str) -> None:
    """Print lines on standard output unchanged: a document in a format of its own."""
    _print(printable_lines(text))


def ask(question: str) -> bool:
    """Ask on standard error, read one line of standard input; the end of it is a no."""
    sys.stderr.write(f"{printable(as_called(question))} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def document(value: Any) -> None:
    """Print a value as JSON on standard output; a terminal without Unicode gets escapes, which mean the same."""
    text = json_text(value)
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = json_text(value, ascii_only=True)
    _print(text)


def _print(text: str) -> None:
    try:
        sys.stdout.write(text)
    except BrokenPipeError:
        to_nowhere(sys.stdout)


def to_nowhere(stream: IO[str]) -> None:
    """Drop what a stream did not take and will be given; else Python tries again when it ends, and complains."""
    nowhere = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
    with suppress(OSError):
        stream.flush()


def message(text: str) -> None:
    """Print one line on standard error, after our name; a stream that is closed or full does not matter.

    On a terminal the line is wrapped between words. A log and a script get it whole.
    """
    with suppress(OSError):
        told = f"tierscope: {printable(as_called(text.replace(chr(10), ' ')))}"
        sys.stderr.write(f"{_wrapped(told) if sys.stderr.isatty() else told}\n")


def details(text: str) -> None:
    """Print the lines of a traceback on standard error."""
    with suppress(OSError):
        sys.stderr.write(printable_lines(text))
