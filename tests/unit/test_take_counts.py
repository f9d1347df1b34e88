"""Counts of takes that alternate, from counters that never stop."""

from tierscope.record.counting import Count, Counts
from tierscope.run.take_counts import TakeCounts


def behind(*values: int, reason: str = "") -> tuple[Counts, ...]:
    """The counts of groups whose one event has these values."""
    return tuple(
        Counts(
            blocks=value, operations=2 * value, ticks=3 * value,
            events=(Count(value=10 * value, enabled_ns=4 * value, running_ns=value, reason=reason),),
        )
        for value in values
    )  # fmt: skip


def test_each_take_has_what_its_own_batches_added() -> None:
    takes = TakeCounts()
    for take, values in [(0, (5, 0)), (1, (6, 7)), (1, (8, 10)), (0, (18, 10))]:
        takes.add(take, behind(*values))
    assert takes.of(0) == behind(15, 0)
    assert takes.of(1) == behind(3, 10)
    assert takes.of(2) == ()


def test_a_take_with_a_failed_reading_has_a_reason_and_no_counts() -> None:
    takes = TakeCounts()
    takes.add(0, behind(5))
    takes.add(1, behind(0, reason="its count cannot be read"))
    takes.add(0, behind(9))
    for take in (0, 1):
        (counts,) = takes.of(take)
        assert counts.events == (Count(value=0, enabled_ns=0, running_ns=0, reason="its count cannot be read"),)
