"""A machine that timed the begin of each part, completed by one that timed all of them."""

import pytest

from tierscope.errors import MachineError
from tierscope.simulated.begun import asked, completed, whole
from tierscope.simulated.replay import Part, Traced

K = 100_000
TIMED = Traced(
    machine="own", instructions=12 * K, loads=0, stores=0, counters={}, seconds=50.0, busy_s=75.0, last_gap=K,
    parts=((0, 5 * K, 5.0), (20 * K, 4 * K, 8.0), (10 * K, 3 * K, 3.0)), knots=((0, K, 1.5), (1, K, 4.0), (2, K, 0.5)),
    sampling_deviation_s=2.0,
)  # fmt: skip


def begun(*parts: Part, cut: tuple[int, ...] = (1, 2)) -> Traced:
    return Traced(
        machine="other",
        instructions=7 * K,
        loads=0,
        stores=0,
        counters={},
        seconds=1.0,
        busy_s=1.0,
        parts=parts,
        cut=cut,
    )


OTHER = begun((0, 5 * K, 10.0), (20 * K, K, 12.0), (13 * K, K, 0.5))


def test_a_part_has_the_factor_of_its_begin() -> None:
    """The first part was timed as a whole: it has 2x the time. The begin of the others has 3x and 1x."""
    found = whole(OTHER, TIMED)
    assert found.parts == ((0, 5 * K, 10.0), (20 * K, 4 * K, 24.0), (10 * K, 3 * K, 3.0))
    assert found.knots == ((0, K, 3.0), (1, K, 12.0), (2, K, 0.5))
    assert (found.machine, found.last_gap, found.cut) == ("other", K, ())
    gaps = 20 * (2 + 6) / 2 + 10 * (6 + 1) / 2 + 1 * 1
    assert found.seconds == pytest.approx(10 + 24 + 3 + gaps)


def test_threads_work_in_the_same_share_and_the_sampling_is_as_good() -> None:
    """The begins alone have another share: one thread works there, and more of them come later."""
    found = whole(OTHER, TIMED)
    assert found.seconds is not None
    assert found.busy_s / found.seconds == pytest.approx(75 / 50)
    assert found.sampling_deviation_s / found.seconds == pytest.approx(2 / 50)


def test_a_part_that_ends_at_a_knot_is_compared_with_what_it_is() -> None:
    """A whole part ends when all of it has ended, and a knot when its last instruction has."""
    timed = Traced(machine="own", instructions=2 * K, loads=0, stores=0, counters={}, seconds=2.0,
                   parts=((0, K, 1.0), (0, K, 1.0)), knots=((0, K, 0.9), (1, K, 0.9)))  # fmt: skip
    found = whole(begun((0, K, 2.0), (0, K, 1.8), cut=(1,)), timed)
    assert [seconds for _, _, seconds in found.parts] == [2.0, 2.0]


def test_a_part_that_is_too_short_has_the_rate_before_it() -> None:
    timed = Traced(machine="own", instructions=K, loads=0, stores=0, counters={}, seconds=1.0,
                   parts=((0, K, 1.0), (0, K, 1.0), (K, 10, 9.0)), knots=((1, K // 2, 0.5),))  # fmt: skip
    found = whole(begun((0, K, 1.0), (0, K // 2, 0.5), (K, 10, 9.0), cut=(1,)), timed)
    assert found.seconds == pytest.approx(1 + 1 + 1 + 9)


@pytest.mark.parametrize(
    "parts",
    [
        ((0, 5 * K, 10.0), (20 * K, K, 12.0)),
        ((0, 5 * K, 10.0), (20 * K, 2 * K, 12.0), (13 * K, K, 0.5)),
        ((0, 4 * K, 10.0), (20 * K, K, 12.0), (13 * K, K, 0.5)),
        (),
    ],
    ids=["fewer", "another end", "another first part", "none"],
)
def test_parts_of_another_trace_are_refused(parts: tuple[Part, ...]) -> None:
    with pytest.raises(MachineError, match="of one trace"):
        whole(begun(*parts), TIMED)


def test_machines_that_timed_all_stay() -> None:
    found = completed({"own": TIMED, "other": OTHER}, {"other": "own"})
    assert found["own"] is TIMED
    assert found["other"] == whole(OTHER, TIMED)
    assert whole(TIMED, TIMED) is TIMED
    assert asked(["own", "other"], {"other": "own"}, 5000) == ["own,knot=5000", "other,begin=5000"]
