"""How long the last cache keeps lines while a program runs, where the program's own time shows it.

    T(k)     time of the model here, if the last cache keeps a line for k seconds          [s]
    k        with T(k) = M, linear in ln k between the times that were replayed            [s]

Others use the last cache of a guest, so that the time for which it keeps a line is known only between two ends, and
changes from minute to minute. A program that comes back to its lines within such times finds them or not, and its time
here depends on that. If the model with the middle of the interval misses that time by more than a quarter, the program
is replayed once more with the k that takes it. The other cores of the bounds keep lines for other times, up to both
ends. A time beyond that of an end has the end, if this explains most of it. Where runs here differ, or the machine
was crowded, the time here shows nothing of the cache.
Blind to: anything else that the model lacks. A keep that explains the time may be wrong, and the bounds show that.
"""

import itertools
import math
from collections.abc import Mapping, Sequence

from tierscope.predict.program.anchor import NOISY, OFF, Anchor, seconds_of
from tierscope.predict.program.crowded import crowded
from tierscope.predict.program.place import Keeps
from tierscope.simulated.measured import Measured
from tierscope.simulated.replay import Traced

LEFT = 0.5  # of the logarithm of what the middle misses: an end that leaves more explains nothing


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
    if not off or not keeps or is_unsure(anchored):
        return None
    return keep_at([(keep_s, seconds_of(found[word])) for keep_s, word in keeps], anchored.measured_s[1])


def is_unsure(anchored: Anchor) -> bool:
    """Return whether something else than the cache may have changed the time here, or that of the model."""
    native, own = anchored.native, anchored.cores[0]
    uncertain = own.sampling_deviation_s > NOISY * seconds_of(own)
    return uncertain or (native.noise_share or 0.0) > NOISY or bool(crowded(native.cpus, native.others_cpus))


def keep_at(times: Sequence[tuple[float, float]], here_s: float) -> float | None:
    """Return the keep that takes the time here. times: a keep, and the model's time with it.

    times: the middle first. None where the time does not fall with the keep, or is beyond that of both ends by more
    than a quarter, or where an end leaves over half of what the middle misses.
    """
    points, missed = sorted(times), abs(math.log(times[0][1] / here_s))
    if any(later > earlier for (_, earlier), (_, later) in itertools.pairwise(points)):
        return None
    (shortest_s, slowest), (longest_s, fastest) = points[0], points[-1]
    for beyond, end_s, time_s in ((here_s >= slowest, shortest_s, slowest), (here_s <= fastest, longest_s, fastest)):
        if beyond:
            left = abs(math.log(time_s / here_s))
            return end_s if abs(time_s / here_s - 1) <= OFF and left <= LEFT * missed else None
    for (low_s, slow), (high_s, fast) in itertools.pairwise(points):
        if fast <= here_s <= slow and fast < slow:
            share = (slow - here_s) / (slow - fast)
            return math.exp(math.log(low_s) + share * math.log(high_s / low_s))
    return None


def kept_note(keep_s: float) -> str:
    """Return the note on a keep that the time here shows."""
    return (
        f"the last cache kept a line for about {keep_s * 1e3:.2g} ms while the program ran: its time here "
        "shows that, and the other cores of the bounds keep one for other times"
    )
