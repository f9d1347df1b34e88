"""The processes of a program over all runs here: those that are followed, and the rest.

    own wall time of a process     w = min(c k, L - sum over others of min(c, overlap)), at least min(c, L)    [s]
    rest                           C = sum of c k over all that are not followed                               [s]
    hidden                         H = max(sum of w over all that are followed + C - W, 0)                     [s]
    idle                           I = max(W - sum of w - C, 0)                                                [s]
    side by side                   B = sum over pairs of min(c, c', overlap) k, if none started the other      [s]

W: wall time of the program; L: time between the begin and the end of a process; c: its CPU time, without its children;
overlap: the time in which both lived. A process that waits for another one has a long L and a short w. Time in which no
process of the program ran is that of all of them, by their CPU time: k = max(W / sum of c, 1). If several
processes work side by side, their sum exceeds W, and the excess is hidden.

The work of a copy of a process (fork) before it becomes a program is not in the trace of this program. So it is one
process more here, which is not followed.

The heaviest processes are followed, one after the other in the tracer. C, H and B must be at most a quarter of W each:
this is the quarter beyond which no prediction is reported (`answer`). Where others use the CPUs, processes side by side
share one: nothing is hidden, but they share caches and memory.
Blind to: a process that waits for one that is none of its program, as for a compiler that runs as a service. It cannot
show that a process works side by side with one that it started, on one CPU: it looks as if one waited for the other.
"""

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, starmap
from pathlib import Path

import numpy as np
from msgspec.structs import replace as replace_fields

from tierscope.predict.program.native import SHORTEST_S, Native
from tierscope.simulated.family import Family, Relative
from tierscope.stats.median import median
from tierscope.units import show_seconds

MOST = 3  # processes that are followed: each takes a run in the tracer
MINOR = 0.05  # of the wall time, below which a process is not worth that
QUARTER = 0.25
CANDIDATES = 10  # the heaviest processes
LONGEST_SHOWN = 60  # letters of a command
UNTIL_EXEC = "+"  # after the number of a process: the copy of its parent that it was before


@dataclass(frozen=True, slots=True)
class Member:
    """A process. native: as if it were a program of its own, with its own wall time.

    digests: of each word of the first program that it became, "" for one that differs from run to run, such as the
    name of a temporary file. share: its own wall time over that of the program.
    """

    number: str
    first_file: str
    digests: tuple[str, ...]
    words: tuple[str, ...]
    native: Native
    share: float
    copies: bool  # it never became a program: it works in a copy of its parent

    @property
    def command(self) -> str:
        """Return its command, cut."""
        text = " ".join(shlex.join(self.words).split())
        return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."


@dataclass(frozen=True, slots=True)
class Household:
    """A program with its processes. Seconds are medians over the runs. unknown: why nothing can be predicted."""

    followed: tuple[Member, ...]
    wall_s: float
    rest_s: float
    hidden_s: float
    idle_s: float
    beside_s: float
    count: int  # processes but the program itself
    unknown: str = ""

    @property
    def alone(self) -> bool:
        """Return whether nearly all of the time is that of one process."""
        return len(self.followed) == 1 and max(self.rest_s, self.hidden_s) <= MINOR * self.wall_s


def household(native: Native) -> Household | None:
    """Return the processes; None for a program that starts none, or whose processes nobody can follow."""
    if not native.families:
        return None
    count = max(len(family.processes) for family in native.families) - 1
    native = replace(native, families=tuple(map(_with_copies, native.families)))
    known = _members(native)
    chosen: list[Member] = []
    for one in known:
        worth = one.share >= MINOR and not one.copies and one.native.user_s.middle >= SHORTEST_S
        if worth and len(chosen) < MOST and (not chosen or _left(native.families, chosen)[0] > MINOR):
            chosen.append(one)
    rest, hidden, idle = _left(native.families, chosen)
    wall = native.wall_s.middle
    found = Household(tuple(chosen), wall, rest * wall, hidden * wall, idle * wall, _beside(native.families), count)
    return replace(found, unknown=_doubt(native, known, found))


def _with_copies(family: Family) -> Family:
    """Return it with a process more for each copy that became a program."""
    made = (
        replace_fields(
            one, number=one.number + UNTIL_EXEC, programs=0, file="", words=(), first_file="", first_digests=(),
            first_count=0, begin_s=max(one.begin_s - one.before_s, 0.0), end_s=one.begin_s, user_s=one.before_s,
            system_s=0.0, before_s=0.0,
        )
        for one in family.processes
        if one.number and one.programs
    )  # fmt: skip
    return replace(family, processes=(*family.processes, *made))


def _doubt(native: Native, known: Sequence[Member], found: Household) -> str:
    """Return why nothing can be predicted, with what to do; "" where it can."""
    if left := _left_behind(native.families):
        return f"it leaves a process behind that still runs: {left}; predict that one by itself"
    if changing := _changing(native.families, [one.number for one in known]):
        return f"{_started(found)}, and not the same ones each time ({changing}); predict the heaviest one by itself"
    told = "; ".join(f"{one.share:.0%} is {one.command}" for one in found.followed)
    rest = found.rest_s / found.wall_s
    copy = max((one for one in known if one.copies), key=lambda one: one.share, default=None)
    if rest > QUARTER and copy and copy.share > MINOR:
        others = f"; {told}" if told else ""
        until = "before it becomes a" if copy.number.endswith(UNTIL_EXEC) else "that becomes no"
        return (f"{copy.share:.0%} of its time is work in a copy of a process (fork) {until} program of its own, "
                f"which is not followed{others}")  # fmt: skip
    if not told:
        return (f"{_started(found)}, and none takes {show_seconds(SHORTEST_S)} and {MINOR:.0%} of the time here; "
                "give it more work")  # fmt: skip
    if rest > QUARTER:
        return (f"{_started(found)}, and those that can be followed leave {rest:.0%} of its time; "
                f"predict one by itself: {told}")  # fmt: skip
    if max(found.hidden_s, found.beside_s) > QUARTER * found.wall_s:
        heavy = (one for one in known if one.native.user_s.middle + one.native.system_s >= MINOR * found.wall_s)
        both = "; ".join(list(dict.fromkeys(one.command for one in heavy if one.command))[:MOST])
        return f"its processes run side by side, so that their times cannot be added; predict one by itself: {both}"
    return ""


def _started(found: Household) -> str:
    return "it started 1 process" if found.count == 1 else f"it started {found.count} processes"


def _left_behind(families: Sequence[Family]) -> str:
    """Return a heavy process that has no end; "" if there is none."""
    for family in families:
        for one in _heaviest(family):
            if one.end_s is None and one.cpu_s >= MINOR * family.wall_s:
                return shlex.join(_shown(one))[:LONGEST_SHOWN] or "a copy of a process"
    return ""


def _changing(families: Sequence[Family], numbers: Sequence[str]) -> str:
    """Return a heavy process that not all runs have, or that is another program there; "" if there is none."""
    for family in families:
        for one in _heaviest(family):
            others = {_named(other).get(one.number, one).first_file for other in families}
            lacks = any(one.number not in _named(other) for other in families)
            if one.cpu_s >= MINOR * family.wall_s and (lacks or len(others) > 1 or one.number not in numbers):
                return shlex.join(one.words)[:LONGEST_SHOWN] or "a copy of a process"
    return ""


def _heaviest(family: Family) -> list[Relative]:
    return sorted(family.processes, key=lambda one: -one.cpu_s)[:CANDIDATES]


def _named(family: Family) -> dict[str, Relative]:
    return {one.number: one for one in family.processes}


def _members(native: Native) -> list[Member]:
    """Return the heaviest processes that all runs have, those with the longest own wall time first."""
    families = native.families
    named = [_named(family) for family in families]
    numbers = [one.number for one in _heaviest(families[0]) if all(one.number in each for each in named)]
    found = [_member(native, number, [each[number] for each in named]) for number in numbers]
    return sorted(found, key=lambda one: -one.share)


def _member(native: Native, number: str, runs: Sequence[Relative]) -> Member:
    walls = np.array([_own_wall(one, family) for one, family in zip(runs, native.families, strict=True)])
    users = np.array([one.user_s for one in runs])
    systems = [one.system_s for one in runs]
    same = [
        words[0] if len(set(words)) == 1 else "" for words in zip(*(one.first_digests for one in runs), strict=False)
    ]
    own = Native(
        median(walls),
        median(users),
        float(np.median(systems)),
        len(runs),
        native.notes,
        native.said,
        apart=True,
        others_cpus=native.others_cpus,
    )
    share = own.wall_s.middle / native.wall_s.middle
    last = runs[-1]
    return Member(number, last.first_file, tuple(same), _shown(last), own, share, not all(one.programs for one in runs))


def _shown(one: Relative) -> tuple[str, ...]:
    return (Path(one.file).name, *one.words[1:]) if one.file else one.words


def _end(one: Relative, family: Family) -> float:
    return family.wall_s if one.end_s is None else one.end_s


def _own_wall(one: Relative, family: Family) -> float:
    """Return the seconds of a process in which it did not wait for others of its program."""
    end = _end(one, family)
    life = max(end - one.begin_s, 0.0)
    by_cpu = one.cpu_s * _waiting(family)
    others = (
        min(other.cpu_s, max(min(end, _end(other, family)) - max(one.begin_s, other.begin_s), 0.0))
        for other in family.processes
        if other is not one
    )
    return max(min(by_cpu, life - sum(others)), min(one.cpu_s, life))


def _beside(families: Sequence[Family]) -> float:
    """Return B, as the median of the runs."""
    return float(np.median([sum(starmap(_both, combinations(_heaviest(one), 2))) * _waiting(one) for one in families]))


def _both(one: Relative, other: Relative) -> float:
    """Return the most seconds in which both ran; 0 if one of them started the other, and may have waited for it."""
    for above, below in ((one, other), (other, one)):
        if not above.number or below.number.startswith(f"{above.number.rstrip(UNTIL_EXEC)}."):
            return 0.0
    ends = (math.inf if each.end_s is None else each.end_s for each in (one, other))
    return min(one.cpu_s, other.cpu_s, max(min(ends) - max(one.begin_s, other.begin_s), 0.0))


def _waiting(family: Family) -> float:
    """Return k."""
    every = sum(one.cpu_s for one in family.processes)
    return max(family.wall_s / every, 1.0) if every else 1.0


def _left(families: Sequence[Family], followed: Sequence[Member]) -> tuple[float, float, float]:
    """Return C, H and I over W, as medians of the runs."""
    shares = []
    numbers = {one.number for one in followed}
    for family in families:
        own = sum(_own_wall(one, family) for one in family.processes if one.number in numbers)
        rest = sum(one.cpu_s for one in family.processes if one.number not in numbers) * _waiting(family)
        wall = family.wall_s
        shares.append((rest / wall, max(own + rest - wall, 0.0) / wall, max(wall - own - rest, 0.0) / wall))
    rest, hidden, idle = np.median(np.array(shares), axis=0)
    return float(rest), float(hidden), float(idle)
