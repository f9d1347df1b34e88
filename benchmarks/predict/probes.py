"""The short run of `core` that `tierscope predict` makes, on a simulated core: what a prediction knows of that core.

It is the same run and the same reading of it as for the core of a real machine. A simulated core has no noise, so this
shows what the points can distinguish, and not what neighbours of a real machine do to them.
"""

import contextlib
import io
from pathlib import Path

from tierscope.cli.main import main
from tierscope.predict.program import machines
from tierscope.predict.program.cores import cores
from tierscope.predict.program.here import PROBED, WORDS
from tierscope.record.result import load
from tierscope.simulated.core import settings
from tierscope.suites.core.row import CoreRow
from tierscope.suites.core.table import Core


def probed(machine: str, out: Path) -> list[CoreRow]:
    """Return the parameters that a short run finds. machine: words of a simulated one."""
    words = [f"{key}={word}" for key, word in WORDS[PROBED].items()]
    with contextlib.redirect_stdout(io.StringIO()):
        main(["run", "core", f"target=sim:{machine}", *words, "--out", str(out), "--quiet"])
    return list(Core().rows(load(out)))


def words_of(rows: list[CoreRow]) -> list[str]:
    """Return the words of the cores of a prediction, the own one first."""
    known = {f"{one.section}.{one.key}": one.value for one in settings(rows) if one.key != "cycle"}
    own = "".join(f",{key}={value}" for key, value in known.items())
    kinds = machines.kinds(rows)
    return [own + kinds[0], *cores(*machines.range_of(rows), kinds)]
