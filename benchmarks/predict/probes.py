"""A short run of `core` on a simulated core: what a prediction knows of that core.

It is the run that `tierscope predict` makes by itself, with `lines`, `kind` and `code`, and is read in the same way. A
simulated core has no noise, so this shows what the points can distinguish, and not what neighbours of a real machine do
to them.
"""

import contextlib
import io
from collections.abc import Sequence
from pathlib import Path

from tierscope.cli.main import main
from tierscope.predict.program import machines
from tierscope.predict.program.cores import cores
from tierscope.predict.program.front_end import UNPROBED, FrontEnd
from tierscope.record.result import load
from tierscope.simulated.core import settings
from tierscope.simulated.fetched import fetched
from tierscope.suites.core.parameter import KNOWN, NONE
from tierscope.suites.core.row import CoreRow
from tierscope.suites.core.table import Core

PROBES = "width,window,store,guess,lines,kind,translation,code"


def probed(machine: str, out: Path) -> list[CoreRow]:
    """Return the parameters that a short run finds. machine: words of a simulated one."""
    with contextlib.redirect_stdout(io.StringIO()):
        main(["run", "core", f"target=sim:{machine}", f"probes={PROBES}", "--out", str(out), "--quiet"])
    return list(Core().rows(load(out)))


def sure_kinds(rows: list[CoreRow]) -> tuple[str, ...]:
    """Return the words of the kind of prefetcher that the run is sure of; if none, of all, the likely one first."""
    answers = {(row.parameter, row.level): row.answer for row in rows}
    trained, next_line = answers.get(("visits that train", "up")), answers.get(("next line", "up"))
    every = machines.kinds(rows)
    sure = trained == KNOWN or (trained == NONE and next_line in (KNOWN, NONE))
    return every[:1] if sure else every


def words_of(rows: list[CoreRow], kinds: Sequence[str]) -> list[str]:
    """Return the words of the cores of a prediction, the own one first. kinds: words of prefetchers."""
    known = {
        f"{one.section}.{one.key}": one.value for one in settings(rows) if one.key != "cycle" and one.section != "walk"
    }  # hidden cores have no TLB
    own = "".join(f",{key}={value}" for key, value in known.items())
    front_end = FrontEnd(fetched(rows))
    return [*read(own + kinds[0], front_end), *cores(*machines.range_of(rows), kinds, front_end)]


def read(core: str, front_end: FrontEnd = UNPROBED) -> list[str]:
    """Return the words of a core in all readings of the front end, the likely one first."""
    return [core + reading for reading in (front_end.eager, *front_end.others)]
