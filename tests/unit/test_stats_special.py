"""Quantiles and functions against published values."""

import pytest

from tierscope.stats.special import digamma, inverse_trigamma, student, tail_of_ratio, trigamma

EULER = 0.5772156649015329


@pytest.mark.parametrize(
    ("degrees", "quantile"),
    [(1, 12.7062), (2, 4.3027), (2.4, 3.6835), (3, 3.1824), (4, 2.7764), (10, 2.2281), (30, 2.0423), (1e9, 1.9600)],
)
def test_students_t_is_that_of_the_tables(degrees: float, quantile: float) -> None:
    assert student(0.95, degrees) == pytest.approx(quantile, rel=1e-4)


@pytest.mark.parametrize("degrees", [1.05, 1.2, 1.5, 1.9])
def test_between_one_and_two_degrees_it_falls_and_is_between_both(degrees: float) -> None:
    assert student(0.95, 2) < student(0.95, degrees) <= student(0.95, 1)


@pytest.mark.parametrize(("above", "below", "ratio"), [(1, 10, 10.044), (2, 10, 7.559), (4, 20, 4.431), (2, 30, 5.390)])
def test_one_in_a_hundred_ratios_is_beyond_the_quantile_of_f(above: int, below: int, ratio: float) -> None:
    assert tail_of_ratio(ratio, above, below) == pytest.approx(0.01, abs=5e-4)


def test_digamma_and_trigamma_have_their_known_values() -> None:
    assert digamma(1) == pytest.approx(-EULER, abs=1e-10)
    assert digamma(0.5) == pytest.approx(-1.9635100260214235, abs=1e-10)
    assert trigamma(0.5) == pytest.approx(4.934802200544679, abs=1e-9)
    assert trigamma(1) == pytest.approx(1.6449340668482264, abs=1e-10)


@pytest.mark.parametrize("x", [0.3, 1.0, 7.5, 400.0])
def test_the_inverse_undoes_trigamma(x: float) -> None:
    assert inverse_trigamma(trigamma(x)) == pytest.approx(x, rel=1e-9)
