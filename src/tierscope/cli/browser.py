"""Opens a page in the user's browser."""

import os
import sys
import webbrowser
from pathlib import Path

from tierscope.errors import MachineError

DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")
"""One of them names the screen of a desktop under Linux. Without one, Python would start a browser of the terminal."""


def open_page(page: Path) -> None:
    """Open a file; MachineError that names it where no browser can be opened, as over ssh."""
    if not has_screen():
        far = "this is a session over ssh" if "SSH_CONNECTION" in os.environ else "there is no desktop here"
        raise MachineError(f"cannot open a browser: {far} ({', '.join(DISPLAYS)} are not set); {_step(page)}")
    try:
        opened = webbrowser.open(page.resolve().as_uri())
    except (webbrowser.Error, OSError) as error:
        raise MachineError(f"cannot open a browser: {error}; {_step(page)}") from error
    if not opened:
        raise MachineError(f"cannot open a browser: Python finds none; set BROWSER, or {_step(page)}")


def has_screen() -> bool:
    """Return whether a browser has a place to appear: a desktop, or what the user named in BROWSER."""
    return sys.platform == "darwin" or any(os.environ.get(name) for name in (*DISPLAYS, "BROWSER"))


def _step(page: Path) -> str:
    return f"copy {page} to a machine that has one"
