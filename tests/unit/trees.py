"""Small /proc and /sys trees for tests: one TOML file of tests/data/systems is one machine, path = content.

`-> TARGET` as content is a symbolic link.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path

from tierscope.host.system import System

SYSTEMS = Path(__file__).parents[1] / "data" / "systems"
FORBIDDEN = object()
"""As content: the file is there, but cannot be read. (A folder in its place: permissions do not bind root.)"""


def plant(root: Path, name: str = "", changes: Mapping[str, object] | None = None) -> System:
    """The named machine below `root`; `changes` replace files, None removes one. No time passes in its waits."""
    files: dict[str, object] = tomllib.loads((SYSTEMS / f"{name}.toml").read_text()) if name else {}
    for path, content in {**files, **(changes or {})}.items():
        place = root / path.lstrip("/")
        if content is FORBIDDEN:
            place.mkdir(parents=True, exist_ok=True)
        elif content is not None:
            place.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, str) and content.startswith("-> "):
                place.symlink_to(content.removeprefix("-> "))
                continue
            place.write_bytes(content if isinstance(content, bytes) else f"{content}\n".encode())
    return System(root, wait=lambda _: None)
