"""The processes of a program that are followed, the rest, and when nothing is predicted."""

import msgspec
import pytest

from made_processes import process, ran
from tierscope.predict.program.members import MOST, Household, household
from tierscope.predict.program.native import Native
from tierscope.simulated.family import Relative


def found(*runs: tuple[Relative, ...], wall: float = 10.0) -> Household:
    home = household(ran(*runs, wall=wall))
    assert home is not None
    return home


def followed(home: Household) -> list[str]:
    return [one.number for one in home.followed]


DRIVER = (process("", 0, 10, 0.1), process("1", 0.1, 9.5, 9.4), process("2", 9.5, 9.9, 0.3))
"""A compiler: the driver waits for the compiler itself, then for the assembler."""


def test_a_program_without_processes_has_no_household() -> None:
    whole = ran((process("", 0, 10, 10),))
    assert household(Native(whole.wall_s, whole.user_s, 0.0, 5)) is None


def test_the_process_that_takes_the_time_is_followed_and_the_rest_is_left() -> None:
    home = found(DRIVER)
    assert followed(home) == ["1"]
    assert home.followed[0].share == pytest.approx(0.94, abs=0.011)
    assert (home.rest_s, home.count, home.unknown) == (pytest.approx(0.4 * 10 / 9.8), 2, "")
    assert home.hidden_s < 0.11
    assert home.alone
    assert not found((*DRIVER[:2], process("2", 9.5, 10, 0.5))).alone


def test_a_process_that_waits_for_another_one_has_its_own_time_alone() -> None:
    """The program works for 6 s and waits for 4 s: neither is counted twice."""
    home = found((process("", 0, 10, 6.0), process("1", 3, 7, 4.0)))
    assert followed(home) == ["", "1"]
    assert [one.native.wall_s.middle for one in home.followed] == pytest.approx([6.0, 4.0])
    assert (home.rest_s, home.hidden_s, home.idle_s) == pytest.approx((0, 0, 0))


def test_time_in_which_nobody_runs_is_idle() -> None:
    home = found((process("", 0, 10, 0.1), process("1", 1, 8, 7.0)))
    assert home.idle_s == pytest.approx(10 - 7 - 0.1 * 10 / 7.1)


def test_a_wait_of_two_processes_counts_once() -> None:
    """Both ends of a pipe waited for a CPU that others used, for 5 s of 10 s."""
    home = found((process("", 0, 10, 0.0), process("1", 0, 10, 4.5), process("2", 0, 10, 0.5)))
    assert home.rest_s + home.idle_s == pytest.approx(0)
    assert [one.native.wall_s.middle for one in home.followed] == pytest.approx([9.0, 1.0])
    assert (home.hidden_s, home.unknown) == (0, "")


def test_the_heaviest_processes_are_followed_up_to_a_number() -> None:
    parts = [process(str(n), 2.6 * (n - 1), 2.6 * n, 2.6) for n in range(1, 4)] + [process("4", 7.8, 9.9, 2.1)]
    home = found((process("", 0, 10, 0.1), *parts))
    assert len(home.followed) == MOST
    assert home.unknown == ""
    parts = [process(str(n), n - 1, n, 1.0) for n in range(1, 11)]
    home = found((process("", 0, 10, 0.0), *parts))
    assert (
        "it started 10 processes, and those that can be followed leave 70% of its time; predict one by" in home.unknown
    )
    assert "10% is p1 word" in home.unknown


def test_small_processes_are_not_followed() -> None:
    home = found((process("", 0, 10, 9.3), process("1", 9.3, 9.7, 0.4), process("2", 9.7, 10, 0.3)))
    assert followed(home) == [""]
    assert home.rest_s == pytest.approx(0.7)


@pytest.mark.parametrize(("other", "served"), [(1.0, True), (2.0, True), (3.0, False), (9.0, False)])
def test_processes_side_by_side_are_served_if_one_takes_nearly_all(other: float, served: bool) -> None:
    """As of a pipe: the second one works while the first one does."""
    home = found((process("", 0, 10, 0.0), process("1", 0, 10, 9.9), process("2", 0, 10, other)))
    assert (home.unknown == "") == served
    assert home.hidden_s == pytest.approx(other - 0.1)
    if not served:
        assert "side by side, so that their times cannot be added" in home.unknown
        assert "p1 word; p2 word" in home.unknown


def test_processes_that_share_a_cpu_on_a_busy_machine_are_side_by_side() -> None:
    """Each has half of the time, as if one had followed the other; but they share the memory."""
    home = found((process("", 0, 10, 0.0), process("1", 0, 10, 5.0), process("2", 0, 10, 5.0)))
    assert home.hidden_s == 0
    assert "side by side" in home.unknown
    assert found((process("", 0, 10, 0.0), process("1", 0, 5, 5.0), process("2", 5, 10, 5.0))).unknown == ""


def test_a_process_and_one_that_it_started_are_not_side_by_side() -> None:
    home = found((process("", 0, 10, 3.0), process("1", 0, 10, 3.0), process("1.1", 0, 10, 4.0)))
    assert (home.beside_s, home.unknown) == (0, "")


def test_work_in_a_copy_of_a_process_is_refused() -> None:
    home = found((process("", 0, 10, 5.0), process("1", 5, 10, 5.0, programs=0)))
    assert followed(home) == [""]
    assert "50% of its time is work in a copy of a process (fork) that becomes no program of its own" in home.unknown
    home = found((process("", 0, 10, 0.1), process("1", 0, 10, 9.9, programs=0)))
    assert "99% of its time is work in a copy" in home.unknown


@pytest.mark.parametrize("change", ["another program", "another number", "absent"])
def test_processes_that_differ_from_run_to_run_are_refused(change: str) -> None:
    others = {
        "another program": process("1", 0.1, 9.5, 9.4, name="other"),
        "another number": process("3", 0.1, 9.5, 9.4, name="p1"),
        "absent": process("1", 0.1, 9.5, 0.0),
    }
    others["absent"] = msgspec.structs.replace(others["absent"], number="4")
    home = found(DRIVER, DRIVER, (DRIVER[0], others[change], DRIVER[2]))
    assert "not the same ones each time" in home.unknown


def test_small_processes_may_differ_from_run_to_run() -> None:
    assert found(DRIVER, (*DRIVER, process("3", 9.9, 10, 0.01)), DRIVER).unknown == ""


def test_words_that_differ_from_run_to_run_are_left_out() -> None:
    """Such as the names of temporary files."""
    other = msgspec.structs.replace(DRIVER[1], first_digests=("0" * 16, "f" * 16))
    home = found(DRIVER, (DRIVER[0], other, DRIVER[2]))
    assert home.followed[0].digests == ("0" * 16, "")


def test_a_process_that_outlives_the_program_counts_until_its_end() -> None:
    """That of the program: it has no end of its own. A heavy one continues with work that nobody has timed."""
    home = found((process("", 0, 10, 9.0), process("1", 8, None, 0.4)))
    assert (followed(home), home.unknown) == ([""], "")
    assert home.rest_s == pytest.approx(0.4 * 10 / 9.4)
    home = found((process("", 0, 10, 9.0), process("1", 8, None, 0.6)))
    assert home.unknown == "it leaves a process behind that still runs: p1 word; predict that one by itself"


def test_work_of_a_copy_before_it_becomes_a_program_is_left() -> None:
    """A script that forks, works, and then runs a program: the trace of this program begins later."""
    home = found((process("", 0, 10, 0.0), process("1", 2, 10, 8.0, before=2.0)))
    assert (followed(home), home.count, home.unknown) == (["1"], 1, "")
    assert (home.rest_s, home.hidden_s, home.idle_s) == pytest.approx((2.0, 0, 0))
    assert not home.alone
    home = found((process("", 0, 10, 0.0), process("1", 4, 10, 6.0, before=4.0)))
    assert home.unknown.startswith(
        "40% of its time is work in a copy of a process (fork) before it becomes a program of its own, which is not"
    )


def test_work_of_copies_side_by_side_is_refused() -> None:
    parts = [process(str(n), 5, 6, 1.0, before=4.5) for n in range(1, 3)]
    assert found((process("", 0, 10, 0.0), *parts)).unknown != ""
    home = found((process("", 0, 10, 4.0), process("1", 4, 10, 3.0, before=3.5), process("1.1", 2, 3, 1.0)))
    assert home.beside_s == 0  # the copy may have waited for what it started


def test_a_program_of_many_small_processes_is_refused_with_what_to_do() -> None:
    home = found(tuple(process("" if n == 0 else str(n), n / 10, (n + 1) / 10, 0.1) for n in range(100)))
    assert "it started 99 processes, and none takes 10 ms and 5% of the time here; give it more work" in home.unknown
