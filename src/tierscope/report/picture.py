"""Pictures by vl-convert, the one door to it: what fails in there ends as one line, also where Rust panics.

A panic is a BaseException of Python (pyo3), so that no `except Exception` meets it, and prints a report of its own on
standard error, which is kept away. It occurred where no thread could start or no file could be opened any more.
"""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from tierscope import stops
from tierscope.errors import MachineError
from tierscope.printable import printable_lines

SCALE = 2.0  # pixels per px of a PNG: sharp on dense screens and on paper 17 cm wide at 220 dpi
PANIC = "PanicException"  # pyo3 makes a class of this name in every module that it builds


def svg(spec: dict[str, Any]) -> str:
    """Return a figure as SVG; MachineError where the library fails."""
    with panics("a figure cannot be drawn as SVG"):
        import vl_convert

        return _renumbered(str(vl_convert.vegalite_to_svg(spec)))


def png(spec: dict[str, Any]) -> bytes:
    """Return a figure as PNG; MachineError where the library fails."""
    with panics("a figure cannot be drawn as PNG"):
        import vl_convert

        return bytes(vl_convert.vegalite_to_png(spec, scale=SCALE))


def bundle(snippet: str) -> str:
    """Return the libraries of a page and a line of JavaScript as one script; MachineError where the library fails."""
    with panics("the script of the page cannot be made"):
        import vl_convert

        return str(vl_convert.javascript_bundle(snippet))


def _renumbered(svg: str) -> str:
    """Return a picture whose clip paths count from 0: `vl_convert` continues its count from one picture to the next."""
    names: dict[str, str] = {}

    def name(match: re.Match[str]) -> str:
        return match.group(1) + names.setdefault(match.group(2), f"clip{len(names)}")

    return re.sub(r'((?:id="|url\(#))(clip\d+)\b', name, svg)


@contextmanager
def panics(what: str) -> Iterator[None]:
    """Turn a panic, and any other failure of the library, into a MachineError. A stop waits."""
    with stops.held(), _quiet():
        try:
            yield
        except Exception as error:
            raise MachineError(_said(what, error)) from error
        except BaseException as error:
            if type(error).__name__ != PANIC:
                raise
            raise MachineError(_said(what, error)) from error


def _said(what: str, error: BaseException) -> str:
    why = " ".join(str(error).split())[:300] or type(error).__name__
    if isinstance(error, ModuleNotFoundError):
        return f"{what}: {why}; install Tierscope again: a library that it needs is missing"
    return f"{what}: {why}; allow more memory, files and threads (ulimit -a); `report --format csv` draws no figures"


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what a library prints on standard error, and drop it where it fails."""
    with suppress(OSError):
        sys.stderr.flush()
    kept, before = os.memfd_create("stderr", os.MFD_CLOEXEC), os.dup(2)
    try:
        os.dup2(kept, 2)
        try:
            yield
        finally:
            os.dup2(before, 2)
        said = os.pread(kept, 1 << 16, 0).decode(errors="replace")
        with suppress(OSError):
            os.write(2, printable_lines(said).encode())
    finally:
        os.close(before)
        os.close(kept)
