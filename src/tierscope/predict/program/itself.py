"""The time of a program itself, of what was measured here: without the kernel, and without waits.

    one thread          M = U
    several             M = min(W, U a / B)

U: user time of all threads; W: wall time; a: time of the model; B: time in which the threads worked in the model, added
up. B / a threads work at a time in the model, on average. If they do so here, they take U a / B. If the wall
time is longer, they also waited: for a disk, for each other, or for CPUs that others used.
Blind to: threads that wait for each other here and not in the model. They look like any other wait, which may stay or
grow with the memory.
"""

from tierscope.predict.program.native import Native
from tierscope.simulated.replay import Traced
from tierscope.stats.median import Interval


def itself(native: Native, own: Traced) -> Interval:
    """Return M, in seconds. own: the program on the model of this machine."""
    if own.threads == 1:
        return native.user_s
    if own.seconds is None or own.busy_s <= 0:
        return native.wall_s
    share, user = own.seconds / own.busy_s, native.user_s
    beside = Interval(user.low * share, user.middle * share, user.high * share, user.count)
    return min(native.wall_s, beside, key=lambda one: one.middle)
