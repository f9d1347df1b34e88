"""Lines about a replay while it runs: how long all of it will take.

    share   = seconds of the program so far on the first machine / seconds of the whole program here
    whole   = time so far * timed(instructions so far / share) / timed(instructions so far)

timed: the instructions that the sampling takes of a number of them (`simulated.tracer`). They take nearly all the time.
Blind to: a program whose instructions become faster or slower, and a model that is wrong; both are off by as much.
"""

import time
from collections.abc import Callable

from tierscope.predict.program.native import Native
from tierscope.simulated.replay import SoFar, Watch
from tierscope.simulated.tracer import timed
from tierscope.units import show_seconds

FIRST_S = 10.0  # until the first line
LATER = 2.0  # the time of the next line over that of the last one
MOST = 0.95  # of the program, beyond which the time left is not known


def watched(
    name: str, native: Native, tell: Callable[[str], None], clock: Callable[[], float] = time.monotonic
) -> Watch:
    """Return what gets how far a replay is, from its begin on. name: of the program; native: its time here."""
    begun, next_s = clock(), FIRST_S

    def watch(far: SoFar) -> None:
        nonlocal next_s
        whole_s = native.user_s.middle if far.threads == 1 else native.wall_s.middle
        took = clock() - begun
        if took < next_s or not far.seconds or not whole_s:
            return
        next_s = took * LATER
        tell(f"{name} in the tracer: {_line(far, far.seconds / whole_s, took, native.user_s.middle)}")

    return watch


def _line(far: SoFar, share: float, took: float, user_s: float) -> str:
    after = f"replayed after {show_seconds(took)}"
    if share >= MOST:
        return f"nearly all {after}"
    whole = took * timed(user_s, far.instructions / share) / timed(user_s, far.instructions)
    return f"about {share:.0%} of its time {after}; all will take about {show_seconds(whole)}"
