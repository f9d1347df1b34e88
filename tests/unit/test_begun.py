"""A machine that timed the begin of each part, completed by one that timed all of them."""

import pytest

from tierscope.errors import MachineError
from tierscope.simulated.begun import begin, completed, whole
from tierscope.simulated.replay import Part, Traced

K = 100_000
TIMED = Traced(
    machine="own", instructions=12 * K, loads=0, stores=0, counters={}, seconds=99.0, last_gap=K,
    parts=((0, 5 * K, 5.0), (20 * K, 4 * K, 8.0), (10 * K, 3 * K, 3.0)), knots=((0, K, 1.5), (1, K, 4.0), (2, K, 0.5)),
)  # fmt: skip


def begun(*parts: Part) -> Traced:
    return Traced(machine="other", instructions=7 * K, loads=0, stores=0, counters={}, seconds=1.0, parts=parts)


def test_a_part_has_the_factor_of_its_begin() -> None:
    """The first part was timed as a whole: it has 2x the time. The begin of the others has 3x and 1x."""
    found = completed(begun((0, 5 * K, 10.0), (20 * K, K, 12.0), (13 * K, K, 0.5)), TIMED)
    assert found.parts == ((0, 5 * K, 10.0), (20 * K, 4 * K, 24.0), (10 * K, 3 * K, 3.0))
    assert found.knots == ((0, K, 3.0), (1, K, 12.0), (2, K, 0.5))
    assert (found.machine, found.last_gap) == ("other", K)
    gaps = 20 * (2 + 6) / 2 + 10 * (6 + 1) / 2 + 1 * 1
    assert found.seconds == pytest.approx(10 + 24 + 3 + gaps)


def test_a_part_that_is_too_short_has_the_rate_before_it() -> None:
    timed = Traced(machine="own", instructions=K, loads=0, stores=0, counters={}, seconds=1.0,
                   parts=((0, K, 1.0), (K, 10, 9.0)))  # fmt: skip
    found = completed(begun((0, K, 1.0), (K, 10, 9.0)), timed)
    assert found.seconds == pytest.approx(1 + 1 + 9)


@pytest.mark.parametrize(
    "parts",
    [
        ((0, 5 * K, 10.0), (20 * K, K, 12.0)),
        ((0, 5 * K, 10.0), (20 * K, 2 * K, 12.0), (13 * K, K, 0.5)),
        (),
    ],
    ids=["fewer", "another end", "none"],
)
def test_parts_of_another_trace_are_refused(parts: tuple[Part, ...]) -> None:
    with pytest.raises(MachineError, match="of one trace"):
        completed(begun(*parts), TIMED)


def test_machines_that_timed_all_stay() -> None:
    other = begun((0, 5 * K, 10.0), (20 * K, K, 12.0), (13 * K, K, 0.5))
    found = whole({"own": TIMED, "other": other}, {"other": "own"})
    assert found["own"] is TIMED
    assert found["other"] == completed(other, TIMED)
    assert begin("flat", 500) == "flat,begin=500"
