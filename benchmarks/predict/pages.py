"""A cell of [pages]: the program here with pages of 4 KiB predicts itself with 2 MiB pages of its heap.

It runs three times in each round: with 4 KiB, with 2 MiB, and with 4 KiB again. The third against the first is the
noise floor: no prediction of the second can be judged better. The truth is the user time of the second, with the rest
of the wall time of the first: larger pages also save page faults in the kernel, which no memory tier does. Then one
trace goes through the machine with both page sizes. The score is computed from what was measured, so that a kept cell
can be scored by a later rule.
"""

import math
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from goals import Told
from readings import chosen
from rivals import misses_times_latency, ratio_of_latencies

from tierscope.errors import TierscopeError, UsageError
from tierscope.predict.program.anchor import Anchor, Lineup, anchor
from tierscope.predict.program.answer import Answer, answer
from tierscope.predict.program.asked import TRACED_TIMES
from tierscope.predict.program.front_end import UNPROBED
from tierscope.predict.program.keeps import keep_of
from tierscope.predict.program.machines import SMALL_PAGE, places
from tierscope.predict.program.native import Native, alternately
from tierscope.predict.program.place import Here, Keeps
from tierscope.predict.program.replays import replay_words
from tierscope.record.result import Run
from tierscope.simulated.replay import Traced
from tierscope.simulated.tracer import runnable
from tierscope.suites.tlb.table_levels import TlbLevels

HUGE = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}


class Machines(msgspec.Struct, frozen=True):
    """Words of this machine with each core, with 4 KiB and with 2 MiB pages; what the rivals know of it."""

    small: tuple[str, ...]
    large: tuple[str, ...]
    memory_s: float  # latency of a load with 2 MiB pages
    walk_s: float  # that 4 KiB pages add to it
    readings: int = len(UNPROBED.others)  # of the front end, behind the likely one
    keeps: Keeps = ()


MachinesOf = Callable[[float | None], Machines]
"""Machines whose last cache keeps a line for these seconds; None: as was measured."""


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """A cell before it is scored. again: as native; traced: of the machines, those with 4 KiB pages first."""

    refused: str = ""
    native: Native | None = None
    there: Native | None = None
    again: Native | None = None
    traced: tuple[Traced, ...] = ()
    said: str = ""
    memory_s: float = 0.0
    walk_s: float = 0.0
    readings: int = len(UNPROBED.others)


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """The score of a cell. Ratios are of wall times, 2 MiB pages over 4 KiB; model: over measured, here."""

    unknown: str = ""
    model: float | None = None
    told: Told | None = None
    wall: float | None = None  # the same ratio as the truth, with what the kernel saves
    noise: float | None = None  # half of the 95 % interval of the truth
    itself: float | None = None  # the program again over the program
    misses: float | None = None
    latencies: float | None = None

    def rival(self, ratio: float | None) -> Told | None:
        """Return the answer of another model, or None if the truth is not known."""
        return Told(self.told.truth, ratio) if self.told else None


def machines(runs: Sequence[Run], folder: Path, keep_s: float | None = None) -> Machines:
    """Write the files of the machine. UsageError where its translation is not known. keep_s: as of `places`."""
    here: Here = places(runs, (), folder, SMALL_PAGE, keep_s=keep_s)
    rows = [row for run in runs for row in TlbLevels().rows(run) if row.page_bytes == SMALL_PAGE]
    walk = next((row.extra.middle for row in rows if not row.certain), None)
    if not here.own.large or walk is None or here.memory_s is None:
        raise UsageError("the runs of this machine do not show its TLBs, so that pages change nothing on the model; "
                         "measure `tierscope run tlb pages=4k,thp` on an idle machine")  # fmt: skip
    small, large = (word.split(",")[0] for word in (here.own.word, here.own.large))
    every = tuple(here.own.words)
    return Machines(every, tuple(word.replace(small, large, 1) for word in every), here.memory_s, walk,
                    here.own.readings, here.keeps)  # fmt: skip


def absent(words: Sequence[str]) -> bool:
    """Return whether the program is not installed."""
    return shutil.which(words[0]) is None


def measured(words: Sequence[str], machines_of: MachinesOf, limit_s: float) -> Measured:
    """Run and trace the program; an error is a result, too."""
    plain: Mapping[str, str] = {key: value for key, value in os.environ.items() if key not in HUGE}
    known = machines_of(None)
    try:
        command = runnable(words)
        native, there, again = alternately(command, limit_s, [plain, {**plain, **HUGE}, plain])
        traced, said = _replayed(command, known, limit_s, native)
        if keep_s := keep_of(known.keeps, _anchored(native, [traced[word] for word in known.small], said), traced):
            known = machines_of(keep_s)
            traced, said = _replayed(command, known, limit_s, native)
    except TierscopeError as error:
        return Measured(refused=str(error))
    return Measured(
        native=native, there=there, again=again, traced=tuple(traced[word] for word in (*known.small, *known.large)),
        said=said, memory_s=known.memory_s, walk_s=known.walk_s, readings=known.readings,
    )  # fmt: skip


def _replayed(command: Sequence[str], known: Machines, limit_s: float, native: Native) -> tuple[dict[str, Traced], str]:
    words = dict.fromkeys([*known.small, *known.large, *(word for _, word in known.keeps)])
    return replay_words(command, list(words), limit_s * TRACED_TIMES, user_s=native.user_s.middle)


def _anchored(native: Native, here_s: Sequence[Traced], said: str) -> Anchor:
    (cores,), mixture = chosen(native.user_s.middle, here_s)
    return anchor(native, cores, said, lineup=Lineup(mixed=mixture))


def scored(one: Measured) -> Row:
    """Return the score, by the rules of `tierscope predict`."""
    if one.native is None or one.there is None or one.again is None:
        return Row(unknown=f"refused: {one.refused}")
    half = len(one.traced) // 2
    here_s, there_s = one.traced[:half], one.traced[half:]
    (here_s, there_s), mixture = chosen(one.native.user_s.middle, here_s, there_s)
    # With pages of 2 MiB, page walks hardly take time: they are the part that changes, as waits for memory on a tier.
    made = anchor(
        one.native, here_s, one.said, instant=there_s[0], lineup=Lineup(one.readings + mixture, mixture)
    )  # fmt: skip
    found: Answer = answer("2 MiB", made, there_s, None, None, None)
    here = one.native.wall_s
    truth, itself = (_own(one.native, other) for other in (one.there, one.again))
    noise = math.hypot(one.native.user_s.relative, one.there.user_s.relative)
    own = one.traced[0]
    walks = own.counters["walks"] * (own.instructions + own.untraced_instructions) / own.instructions
    return Row(
        unknown=found.unknown,
        model=made.ratio,
        told=Told(truth, found.ratio, found.low, found.high, noise),
        wall=one.there.wall_s.middle / here.middle,
        noise=noise,
        itself=itself,
        misses=misses_times_latency(walks, -one.walk_s, here.middle),
        latencies=ratio_of_latencies(one.memory_s + one.walk_s, one.memory_s),
    )


def _own(here: Native, other: Native) -> float:
    """Return the wall time with the user time of other runs, over that here."""
    rest = max(here.wall_s.middle - here.user_s.middle, 0.0)
    return (other.user_s.middle + rest) / here.wall_s.middle


def facts(words: Sequence[str], runs: Sequence[Run], shared: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a kept cell must have in common with a new one."""
    return {**shared, "words": list(words), "runs": [f"{run.result.suite} of {run.result.started}" for run in runs]}
