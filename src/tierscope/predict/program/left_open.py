"""The time here that a model leaves open: on a tier it does not change, or all of it waits for memory.

    1 + (m - 1) A                   as if it did not change
    1 + (m - 1) (A + (1 - A) / s)   as if all of it waited for memory

m = b / a, of the model's times on the tier and here; A = a / M, M: time here; s: share of a that waits for memory,
1 - a0 / a, with a0 the time of the own core if the memory answers immediately. If the model takes longer than the
program, A is above 1: then the second one has shorter waits, but at least none.
Blind to: time that is left open in more than one part, in opposite directions.
Source: the anchor and its two readings of `predict.rows`; the second one adds where the time may be.
"""


def left_open(ratio: float, explained: float, share: float) -> tuple[float, ...]:
    """Return m by both readings; by the first alone if the model does not wait. ratio: m; explained: A; share: s."""
    same = 1 + (ratio - 1) * explained
    if share <= 0:
        return (same,)
    return same, 1 + (ratio - 1) * max(explained + (1 - explained) / share, 0.0)
