"""Two readings of what a core fetches before the program needs it, since no trace shows it, and both that cross them.

    eager    wrong paths behind a wrong guess of a branch meet the right one soon, and fetch its lines
             (core/simulate/pipeline.hpp); instructions come early (core/simulate/fetch.hpp)
    lazy     wrong paths fetch nothing that the program needs; instructions come late
    crossed  wrong paths of the one, instructions of the other

Early and late are the ends of what a run of `core` found (`simulated.fetched`). Without one, early is many lines ahead,
with all targets of branches known, and late is on demand. Readings that cross are left out where both ends are near
each other.

A real core runs the wrong path in any case. Whether that path meets the right one depends on the program. Most cores
fetch instructions ahead, and how far depends on the core. So a program may be between all four. The own core has all of
them. The one of eager and lazy that explains the time here better answers. The bounds contain each other one, unless
its time here is off by more than a quarter. They also contain a program between any two of them:

    q = (M - a) / (a' - a)        ((1 - q) b + q b') / M           if M is between a and a'

a, b and a', b': model times of both readings, here and on the tier; M: time here; q: what a share of it saves of the
time that all would save.

Time that wrong paths save and time that instructions take may cancel each other here, and only the former changes with
the memory. So a single mixture of eager and lazy would be wrong for a core that has one half of each.
Blind to: lines that the program does not need, which a wrong path may fetch as well.
Sources: O. Mutlu, H. Kim, D. N. Armstrong, Y. N. Patt, "Understanding the Effects of Wrong-Path Memory References on
Processor Performance", WMPI 2004: they usually help, by what the right path needs later. G. Reinman, B. Calder, T.
Austin, "Fetch Directed Instruction Prefetching", MICRO 1999.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from tierscope.simulated.fetched import NOT_PROBED, Fetched

BETWEEN = ",between"  # behind a reading: a mixture with the other one (`mixture`), which no machine replays
MEETS, MISSES = ",core.wrong_path=1", ",core.wrong_path=0"
Times = tuple[float, float]
"""Seconds of a core here and on the tier."""


@dataclass(frozen=True, slots=True)
class FrontEnd:
    """The readings of one machine, as words behind it. fetched: how early and how late its instructions may come."""

    fetched: Fetched = NOT_PROBED

    @property
    def eager(self) -> str:
        return MEETS + self.fetched.early

    @property
    def lazy(self) -> str:
        return MISSES + self.fetched.late

    @property
    def others(self) -> tuple[str, ...]:
        """Return the readings of the own core behind the eager one, the lazy one first."""
        crossed = (MEETS + self.fetched.late, MISSES + self.fetched.early)
        return (self.lazy,) if self.fetched.sure else (self.lazy, *crossed)

    def other(self, word: str) -> str:
        """Return the words of a machine with the other reading; the same words if they state none."""
        for one, another in ((self.eager, self.lazy), (self.lazy, self.eager)):
            if one in word:
                return word.replace(one, another)
        return word

    def mixed(self, word: str) -> str:
        """Return the name of a mixture of both readings of a machine; the same words if they state none."""
        for reading in (self.eager, self.lazy):
            if reading in word:
                return word.replace(reading, reading + BETWEEN)
        return word

    def refused(self, word: str, ratio: float) -> str:
        """Return the note on a reading that the time here refuses. word: of its machine; ratio: model over measured."""
        ahead, demand = ("", "") if self.fetched.sure else ("instructions ahead, and ", "instructions on demand, and ")
        lines = "lines of the right path behind wrong guesses of branches,"
        how = f"fetches {ahead}{lines}" if self.eager in word else f"fetches {demand}no {lines}"
        return f"a core that {how} takes {ratio:.2f}x the time that was measured here, so that the bounds leave it out"


UNPROBED = FrontEnd()


def between_readings(one: float, another: float) -> str:
    """Return the note on a mixture. one, another: model over measured of both readings."""
    low, high = sorted((one, another))
    return (
        f"a core takes {low:.2f}x the time that was measured here if it fetches instructions and lines as early as it "
        f"may, and {high:.2f}x as late; no trace shows which: the answer is between both, and the bounds contain both"
    )


def replayed(word: str) -> str:
    """Return the words of a machine that can be replayed: of a mixture, the reading that it is named by."""
    return word.replace(BETWEEN, "")


def explains_better(one_s: float, another_s: float, here_s: float) -> bool:
    """Return whether one core explains the time here better than another; times in seconds."""
    if min(one_s, another_s, here_s) <= 0:
        return False
    return abs(math.log(one_s / here_s)) < abs(math.log(another_s / here_s))


def between_share(one_s: float, another_s: float, here_s: float) -> float | None:
    """Return q, where the time here is between those of two readings; else None."""
    return (here_s - one_s) / (another_s - one_s) if min(one_s, another_s) < here_s < max(one_s, another_s) else None


def between(one: Times, another: Times, here_s: float) -> Iterator[float]:
    """Yield the ratio of a program between both readings that takes the time here; nothing where none does."""
    (a, b), (other_a, other_b) = one, another
    if (share := between_share(a, other_a, here_s)) is not None:
        yield ((1 - share) * b + share * other_b) / here_s
