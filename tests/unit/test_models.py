"""Models in general: what is listed, curves and their families, saturation; on made data whose truth is known."""

import inspect
from functools import partial

import numpy as np
import pytest

from said import refused, say
from tierscope.arrays import Floats
from tierscope.errors import Exit, UsageError
from tierscope.models import models
from tierscope.models.curve import Curve
from tierscope.models.families import FAMILIES, coefficients, family, value
from tierscope.models.model import FitError, Span, clean, held_out, scale
from tierscope.models.saturation import Saturation
from tierscope.reference import load

N = np.array([5e4, 1e5, 5e5, 1e6, 2e6, 3e6, 4e6, 5e6, 6e6, 7e6])
TRUTHS = {
    "constant": (3e5,),
    "linear": (2e5, 4.966),
    "logarithm": (-0.242, 0.055),
    "n log n": (1.5, 0.4),
    "power": (2.5, 0.7),
    "polynomial 2": (1e5, 2.0, 4e-6),
}


def made(name: str, noise: float = 0.0, seed: int = 1995) -> Floats:
    exact = value(family(name), TRUTHS[name], N)
    return np.asarray(exact * (1 + noise * np.random.default_rng(seed).standard_normal(N.size)))


@pytest.mark.parametrize("name", list(models))
def test_a_model_states_its_limits_and_its_source(name: str) -> None:
    text = inspect.getdoc(inspect.getmodule(models[name])) or ""
    assert "Limits: " in text
    assert "Source: " in text or "section" in text
    assert "[" in text.splitlines()[2]  # the formula with its unit


def test_models_are_listed_with_their_first_line(capfd: pytest.CaptureFixture[str]) -> None:
    status, out, _ = say(capfd, "models")
    assert status == Exit.GOOD
    assert [line.split()[0] for line in out.splitlines()] == list(models)


def test_one_model_is_shown_with_its_formula(capfd: pytest.CaptureFixture[str]) -> None:
    assert "B(n) = min(n * b1, b_max)" in say(capfd, "models", "saturation")[1]


def test_an_unknown_model_is_a_usage_error_that_names_the_nearest(capfd: pytest.CaptureFixture[str]) -> None:
    status, line = refused(capfd, "models", "saturatoin")
    assert status == Exit.USAGE
    assert "did you mean saturation?" in line


# --- families and curves ---


@pytest.mark.parametrize("name", list(TRUTHS))
def test_a_family_recovers_its_own_coefficients(name: str) -> None:
    assert coefficients(family(name), N, made(name)) == pytest.approx(TRUTHS[name], rel=1e-6)


@pytest.mark.parametrize("name", list(TRUTHS))
def test_the_family_of_exact_data_is_found(name: str) -> None:
    curve = Curve.fit("made", N, made(name))
    assert curve.form.name == name
    assert curve.predict(2.5e6).value == pytest.approx(value(family(name), TRUTHS[name], np.array([2.5e6]))[0])


@pytest.mark.parametrize("name", list(TRUTHS))
@pytest.mark.parametrize("seed", range(5))
def test_a_curve_of_noisy_data_stays_near_the_truth(name: str, seed: int) -> None:
    curve = Curve.fit("made", N, made(name, 0.01, seed))
    inside = np.array([8e4, 8e5, 2.5e6, 6.5e6])
    truth = value(family(name), TRUTHS[name], inside)
    predictions = [curve.predict(n) for n in inside]
    assert [p.value for p in predictions] == pytest.approx(truth, rel=0.05)
    assert sum(p.low <= t <= p.high for p, t in zip(predictions, truth, strict=True)) >= 3


def test_every_family_is_tested() -> None:
    assert set(TRUTHS) == {form.name for form in FAMILIES}


def test_noise_alone_does_not_buy_more_terms() -> None:
    chosen = [Curve.fit("made", N, made("linear", 0.02, seed)).form.terms for seed in range(20)]
    assert chosen.count(2) >= 15


@pytest.mark.parametrize("there", [0, 1, 3])
def test_too_few_points_state_how_many_are_there_and_how_many_are_needed(there: int) -> None:
    with pytest.raises(FitError, match=rf"loads: {there} different places are there, 4 are needed"):
        Curve.fit("loads", N[:there], N[:there])


def test_points_at_one_place_count_once() -> None:
    with pytest.raises(FitError, match="1 different places are there"):
        Curve.fit("loads", np.full(9, 5.0), np.arange(9.0))


@pytest.mark.parametrize("bad", [[1.0, 2.0, 3.0, 0.0], [1.0, 2.0, 3.0, np.nan]])
def test_places_that_are_not_above_0_are_refused(bad: list[float]) -> None:
    with pytest.raises(FitError, match="above 0"):
        clean("loads", np.array(bad), np.ones(4), 3)


def test_places_and_values_of_different_numbers_are_refused() -> None:
    with pytest.raises(FitError, match="shape"):
        clean("loads", np.ones(4), np.ones(3), 3)


def test_outside_the_span_the_bounds_are_wide_and_contain_the_rivals() -> None:
    curve = Curve.fit("made", N, made("linear", 0.01))
    inside, outside = curve.predict(5e6), curve.predict(7e7)
    assert inside.warnings == ()
    assert "is outside 50000 to 7e+06: this is extrapolated" in outside.warnings[0]
    assert (outside.high - outside.low) / outside.value > 5 * (inside.high - inside.low) / inside.value
    rival = next(c for f, c in curve.rivals if f.name == "power")
    assert outside.low <= value(family("power"), rival, np.array([7e7]))[0] <= outside.high


def test_counts_are_never_predicted_below_0() -> None:
    curve = Curve.fit("made", N, 5.0 * N - 2e5)
    prediction = curve.predict(1e4)
    assert prediction.value == prediction.low == 0
    assert any("negative" in text for text in prediction.warnings)


def test_counters_that_are_all_0_stay_0() -> None:
    assert Curve.fit("made", N, np.zeros(N.size)).predict(1e6).value == 0


@pytest.mark.parametrize("place", [0.0, -1.0, float("nan"), float("inf")])
def test_a_place_that_cannot_be_is_refused(place: float) -> None:
    with pytest.raises(UsageError, match="a number above 0 is needed"):
        Span("operations", 1, 2).distance(place)


def test_the_error_of_a_point_left_out_is_that_of_a_fit_without_it() -> None:
    places, values = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 1.0, 1.0, 2.0])
    errors = held_out(lambda x, y: lambda _: np.full(1, y.mean()), places, values)
    assert errors == pytest.approx([1 / 3, 1 / 3, 1 / 3, -1 / 2])


def test_errors_on_unused_points_of_a_published_table_are_those_computed_elsewhere() -> None:
    columns = load("document004_map_get").columns
    n, seconds = columns["operations"].astype(np.float64), columns["measured_s"].astype(np.float64)
    means = {}
    for name in ("linear", "n log n", "power"):
        form = family(name)
        errors = held_out(lambda x, y, form=form: partial(value, form, coefficients(form, x, y)), n, seconds)
        means[name] = 100 * float(np.abs(errors).mean())
    # By a general optimiser of relative residuals.
    assert means == pytest.approx({"linear": 7.0, "n log n": 8.6, "power": 9.6}, abs=0.3)


def test_errors_of_values_near_0_are_not_divided_by_them() -> None:
    assert scale(np.array([0.0, 100.0])) == pytest.approx([0.5, 100.0])


# --- saturation ---

THREADS = np.array([1.0, 2, 4, 6, 8, 12, 16])


def test_saturation_recovers_slope_and_roof() -> None:
    fit = Saturation.fit(THREADS, np.minimum(THREADS * 10e9, 64e9))
    assert (fit.b1, fit.b_max) == pytest.approx((10e9, 64e9))
    assert fit.knee_seen
    assert fit.predict(3).value == pytest.approx(30e9)
    assert fit.predict(10).value == pytest.approx(64e9)
    assert fit.predict(10).warnings == ()


def test_saturation_needs_three_thread_counts() -> None:
    with pytest.raises(FitError, match="saturation: 2 different places are there, 3 are needed; measure 1 more"):
        Saturation.fit(THREADS[:2], THREADS[:2])


def test_a_roof_that_was_not_seen_is_stated_and_the_bounds_are_open() -> None:
    fit = Saturation.fit(THREADS[:4], THREADS[:4] * 10e9)
    beyond = fit.predict(16)
    assert not fit.knee_seen
    assert any("knee was not seen" in text for text in beyond.warnings)
    assert beyond.low <= 60e9
    assert beyond.high >= 160e9


def test_beyond_the_threads_measured_the_lower_bound_falls() -> None:
    fit = Saturation.fit(THREADS, np.minimum(THREADS * 10e9, 64e9))
    assert fit.predict(32).low <= 32e9
    assert "extrapolated" in fit.predict(32).warnings[0]
