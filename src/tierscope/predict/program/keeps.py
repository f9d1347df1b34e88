"""How long the last cache keeps lines while a program runs, where the program's own time shows it.

    T(k)     time of the model here, if the last cache keeps a line for k seconds          [s]
    k        with T(k) = M, linear in ln k between the times that were replayed            [s]

Others use the last cache of a guest, so that the time for which it keeps a line is known only between two ends, and
changes from minute to minute. A program that comes back to its lines within such times finds them or not, and its time
here depends on that. If the model with the middle of the interval misses that time by more than a quarter, the program
is replayed once more with the k that takes it. The bounds still contain the cores with both ends. A time beyond that
of an end is explained by the end if that is near it.
Blind to: anything else that the model lacks. A keep that explains the time may be wrong, and the bounds show that.
"""

import itertools
import math
from collections.abc import Mapping, Sequence

from tierscope.predict.program.anchor import OFF, Anchor, seconds_of
from tierscope.predict.program.place import Keeps
from tierscope.simulated.measured import Measured
from tierscope.simulated.replay import Traced


def keep_word(found: Measured, keep_s: float) -> str:
    """Return the word of a last cache that keeps a line for these seconds."""
    return f",cache.{len(found.shapes) - 1}.keep={keep_s * 1e3:.4g}ms"


def keeps_of(found: Measured, word: str) -> Keeps:
    """Return the machine of this word with the middle of the keep, and with both ends; () without others."""
    if found.kept is None:
        return ()
    ends = (found.kept.low_s, found.kept.high_s)
    return (found.kept.middle_s, word), *((end_s, word + keep_word(found, end_s)) for end_s in ends)


def keep_of(keeps: Keeps, anchored: Anchor, found: Mapping[str, Traced]) -> float | None:
    """Return the seconds for which the last cache kept lines; None where the time here does not show it."""
    off = anchored.misfits and anchored.ratio is not None and abs(anchored.ratio - 1) > OFF
    if not off or not keeps:
        return None
    return keep_at([(keep_s, seconds_of(found[word])) for keep_s, word in keeps], anchored.measured_s[1])


def keep_at(times: Sequence[tuple[float, float]], here_s: float) -> float | None:
    """Return the keep that takes the time here. times: a keep, and the model's time with it.

    None where the time does not fall with the keep, or is beyond that of both ends by more than a quarter.
    """
    points = sorted(times)
    if any(later > earlier for (_, earlier), (_, later) in itertools.pairwise(points)):
        return None
    (shortest_s, slowest), (longest_s, fastest) = points[0], points[-1]
    if here_s >= slowest:
        return shortest_s if slowest >= here_s * (1 - OFF) else None
    if here_s <= fastest:
        return longest_s if fastest <= here_s * (1 + OFF) else None
    for (low_s, slow), (high_s, fast) in itertools.pairwise(points):
        if fast <= here_s <= slow and fast < slow:
            share = (slow - here_s) / (slow - fast)
            return math.exp(math.log(low_s) + share * math.log(high_s / low_s))
    return None


def kept_note(keep_s: float) -> str:
    """Return the note on a keep that the time here shows."""
    return (
        f"the last cache kept a line for about {keep_s * 1e3:.2g} ms while the program ran: that takes the time that "
        "was measured here, and the bounds contain the other times that the last cache may keep one"
    )
