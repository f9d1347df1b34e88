"""Two readings of what a core fetches before the program needs it, since no trace shows it, and both that cross them.

    eager    wrong paths behind a wrong guess of a branch meet the right one soon, and fetch its lines
             (core/simulate/pipeline.hpp); instructions come AHEAD lines before, and targets of branches are known
             (core/simulate/fetch.hpp)
    lazy     wrong paths fetch nothing that the program needs; instructions come on demand, and behind a taken branch
             whose target is not known later
    crossed  wrong paths of the one, instructions of the other

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

from tierscope.simulated.fetch import AHEAD

MEETS, MISSES = ",core.wrong_path=1", ",core.wrong_path=0"
SOON = f",core.fetch.ahead={AHEAD},core.fetch.redirect=0"
LATE = ",core.fetch.ahead=0,core.fetch.redirect=8"  # cycles until a branch is decoded, on most cores
EAGER, LAZY = MEETS + SOON, MISSES + LATE
CROSSED = (MEETS + LATE, MISSES + SOON)
OTHERS = (LAZY, *CROSSED)  # readings of the own core behind the eager one
WORDS = {
    EAGER: "that fetches instructions ahead, and lines of the right path behind wrong guesses of branches,",
    LAZY: "that fetches instructions on demand, and nothing behind wrong guesses of branches,",
}
Times = tuple[float, float]
"""Seconds of a core here and on the tier."""


def other(word: str) -> str:
    """Return the words of a machine with the other reading; the same words if they state none."""
    for one, another in ((EAGER, LAZY), (LAZY, EAGER)):
        if one in word:
            return word.replace(one, another)
    return word


def explains_better(one_s: float, another_s: float, here_s: float) -> bool:
    """Return whether one core explains the time here better than another; times in seconds."""
    if min(one_s, another_s, here_s) <= 0:
        return False
    return abs(math.log(one_s / here_s)) < abs(math.log(another_s / here_s))


def between(one: Times, another: Times, here_s: float) -> Iterator[float]:
    """Yield the ratio of a program between both readings that takes the time here; nothing where none does."""
    (a, b), (other_a, other_b) = one, another
    if min(a, other_a) < here_s < max(a, other_a):
        share = (here_s - a) / (other_a - a)
        yield ((1 - share) * b + share * other_b) / here_s


def refused(word: str, ratio: float) -> str:
    """Return the note on a reading that the time here refuses. word: of its machine; ratio: model over measured."""
    how = next(words for reading, words in WORDS.items() if reading in word)
    return f"a core {how} takes {ratio:.2f}x the time that was measured here, so that the bounds leave it out"
