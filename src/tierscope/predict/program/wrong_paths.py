"""Two readings of the lines that a core fetches behind a wrong guess of a branch, since no trace shows them.

    meets       wrong paths meet the right one soon, and fetch its lines (core/simulate/pipeline.hpp)
    nothing     wrong paths fetch nothing that the program needs

A real core runs the wrong path in any case. Whether that path meets the right one depends on the program, so a program
may be between both. The own core has both readings. The one that explains the time here better answers. The bounds
contain the other one unless its time here is off by more than a quarter. They also contain a program between both:

    q = (M - a) / (a' - a)        ((1 - q) b + q b') / M           if M is between a and a'

a, b and a', b': model times of both readings, here and on the tier; M: time here; q: what a share of wrong paths saves
of the time that all of them would save.
Blind to: lines that the program does not need, which a wrong path may fetch as well.
Source: O. Mutlu, H. Kim, D. N. Armstrong, Y. N. Patt, "Understanding the Effects of Wrong-Path Memory References on
Processor Performance", WMPI 2004: they usually help, by what the right path needs later.
"""

import math
from collections.abc import Iterator

MEETS, NOTHING = ",core.wrong_path=1", ",core.wrong_path=0"
WORDS = {
    MEETS: "where wrong guesses of branches fetch lines of the right path",
    NOTHING: "where wrong guesses of branches fetch nothing",
}
Times = tuple[float, float]
"""Seconds of a core here and on the tier."""


def other(word: str) -> str:
    """Return the words of a machine with the other reading; the same words if they state none."""
    for one, another in ((MEETS, NOTHING), (NOTHING, MEETS)):
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
