"""The code that judges, as one digest: what was judged by other code is judged again.

A digest and no number, since a number that people raise by hand is forgotten. Folders that no judgement can use, since
the layers forbid it (pyproject.toml), are left out: what was judged outlives a change of a command.
"""

import hashlib
from functools import cache
from pathlib import Path

SUFFIXES = (".py", ".toml", ".csv")  # modules, metrics of processors, published tables
ABOVE = frozenset({
    "api", "check", "cli", "crash", "fleet", "normal", "predict", "report", "reproduce", "run", "simulated",
})  # fmt: skip
"""Folders above `compare`, which makes the highest part of a judgement."""


@cache
def code() -> str:
    """Return the digest of all files that may judge, those of tables that other packages bring included."""
    from tierscope.tables import tables

    package = Path(__file__).resolve().parents[1]
    files = (path for path in package.rglob("*.*") if path.suffix in SUFFIXES)
    own = (path for path in files if path.relative_to(package).parts[0] not in ABOVE)
    found = hashlib.sha256()
    for path in sorted({*own, *(tables[name].file for name in tables)}):
        found.update(path.read_bytes())
    return found.hexdigest()
