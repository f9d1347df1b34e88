"""The own core of a cell, by the rules of `tierscope predict`: one of its two readings, or a mixture of both."""

from collections.abc import Sequence

from tierscope.predict.program.anchor import seconds_of
from tierscope.predict.program.front_end import explains_better
from tierscope.predict.program.mixture import mixed, share_of
from tierscope.simulated.replay import Traced

Cores = tuple[Traced, ...]


def chosen(here_s: float, here: Sequence[Traced], *others: Sequence[Traced]) -> tuple[list[Cores], bool]:
    """Return all cores with the one that answers first, and whether it is a mixture, which is one core more.

    here_s: time here; here: all cores, the two readings first; others: the same elsewhere. An empty one stays empty.
    """
    first, second = (seconds_of(core) for core in here[:2])
    every = [tuple(one) for one in (here, *others)]
    share = share_of(first, second, here_s)
    if explains_better(second, first, here_s):
        every = [(*one[1::-1], *one[2:]) for one in every]
        share = 1 - share if share is not None else None
    if share is None:
        return every, False
    return [(mixed(*one[:2], share), *one) if one else () for one in every], True
