"""The programs that are compared: all kernels of cells.toml, and those of its programs that are listed here."""

import subprocess
import tomllib
from pathlib import Path

from inputs import made

from tierscope.errors import UsageError
from tierscope.simulated.tracer import runnable

HERE = Path(__file__).parents[1]
PROGRAMS = ("sort", "gzip", "awk", "perl")


def cases(names: list[str], folder: Path) -> dict[str, list[str]]:
    """Return the command of each case by its name; `names`: only these. UsageError for a name that is not listed."""
    cells = tomllib.loads((HERE / "cells.toml").read_text())
    files = made(folder)
    kernels = folder / "kernels"
    subprocess.run(["cc", "-O1", "-w", "-o", kernels, HERE / "kernels.c"], check=True)
    every = {name: [str(kernels), *words.split()] for name, words in cells["kernels"].items()}
    every |= {name: [files.get(word, word) for word in cells["cores"][name]] for name in PROGRAMS}
    if unknown := [name for name in names if name not in every]:
        raise UsageError(f"{unknown[0]} is not a case; known: {', '.join(every)}")
    return {name: runnable(command) for name, command in every.items() if not names or name in names}
