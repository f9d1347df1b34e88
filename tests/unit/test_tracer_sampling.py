"""How much of a program is traced for dozens of machines: about as much of a long one as of a short one."""

import pytest

from tierscope.simulated.tracer import BEGIN, DOUBLES, FINER, LINES, UNIT, begin_of_unit, for_many


def units(user_s: float, per_s: float) -> tuple[int, float]:
    """Return the units of a program, and the share of it that the longest gap is; gaps have their mean length."""
    plan = {name: int(value) for name, value in (word.split("=") for word in for_many(user_s).split(","))}
    whole, at, count, gap = user_s * per_s, float(plan["all"]), 0, 0
    while True:
        gap = plan["skip"] << count // plan["doubles"]
        at += gap + plan["warm"] + plan["unit"]
        if at >= whole:
            return count, gap / whole
        count += 1


@pytest.mark.parametrize("user_s", [1.0, 10.0, 1000.0])
@pytest.mark.parametrize("per_s", [3e8, 1e9, 5e9])
def test_the_work_of_a_replay_hardly_depends_on_the_program(user_s: float, per_s: float) -> None:
    count, longest = units(user_s, per_s)
    assert 0.6 * DOUBLES <= count <= 4.2 * DOUBLES
    assert longest < 0.06


@pytest.mark.parametrize("user_s", [0.0, 0.01, 0.05])
def test_a_short_program_has_short_gaps(user_s: float) -> None:
    assert f"skip=250000,doubles={FINER * DOUBLES}" in for_many(user_s)


@pytest.mark.parametrize("user_s", [0.1, 0.2, 0.3, 0.4])
@pytest.mark.parametrize("per_s", [3e8, 1e9, 4.5e9])
def test_units_are_finer_where_the_trace_states_all_gaps(user_s: float, per_s: float) -> None:
    """They are shorter by the same factor, so that the replay takes as long."""
    count, longest = units(user_s, per_s)
    assert 20 <= count <= 4.2 * FINER * DOUBLES
    assert f"unit={UNIT // FINER}," in for_many(user_s)
    assert longest * user_s * per_s <= LINES
    assert begin_of_unit(user_s) * BEGIN == UNIT // FINER


def test_units_of_a_long_program_are_whole() -> None:
    assert f"unit={UNIT}," in for_many(0.5)
    assert begin_of_unit(0.5) * BEGIN == UNIT
