"""Performance events of each take of an experiment: the core counts continuously, and takes alternate.

of a take = sum over its batches of (counts behind the batch - counts behind the one before)
"""

from collections.abc import Sequence

from tierscope.record.counting import Count, Counts


class TakeCounts:
    """Receives the counts after each batch, in the order in which they ran."""

    def __init__(self) -> None:
        self._last: tuple[Counts, ...] = ()
        self._of: dict[int, tuple[Counts, ...]] = {}

    def add(self, take: int, counts: Sequence[Counts]) -> None:
        """Add what was counted since the last call to a take.

        counts: of each group, since counting began.
        """
        batch = _joined(counts, self._last, -1) if self._last else tuple(counts)
        self._of[take] = _joined(self._of[take], batch, 1) if take in self._of else batch
        self._last = tuple(counts)

    def of(self, take: int) -> tuple[Counts, ...]:
        """Return the counts of each group, in batches of this take alone; () where none ran."""
        return self._of.get(take, ())


def _joined(ones: Sequence[Counts], others: Sequence[Counts], sign: int) -> tuple[Counts, ...]:
    """Return one + sign * other, of each group."""
    return tuple(
        Counts(
            blocks=one.blocks + sign * other.blocks,
            operations=one.operations + sign * other.operations,
            ticks=one.ticks + sign * other.ticks,
            events=tuple(_event(a, b, sign) for a, b in zip(one.events, other.events, strict=True)),
        )
        for one, other in zip(ones, others, strict=True)
    )


def _event(one: Count, other: Count, sign: int) -> Count:
    """Return the sum of both; once a reading failed, no sum over it is valid."""
    if reason := one.reason or other.reason:
        return Count(value=0, enabled_ns=0, running_ns=0, reason=reason)
    return Count(
        value=one.value + sign * other.value,
        enabled_ns=one.enabled_ns + sign * other.enabled_ns,
        running_ns=one.running_ns + sign * other.running_ns,
    )
