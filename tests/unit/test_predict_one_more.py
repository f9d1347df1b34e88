"""Bounds of one more core, and the cores that they are made of."""

import numpy as np
import pytest

from tierscope.predict.program.cores import BETWEEN, COUNT, cores
from tierscope.predict.program.front_end import UNPROBED
from tierscope.predict.program.one_more import counting, one_more, weights

EAGER, LAZY = UNPROBED.eager, UNPROBED.lazy
SMALL = {"a": 2.0, "b": 64.0, "c": 32.0, "d": 20.0, "e": 8.0}
LARGE = {"a": 8.0, "b": 512.0, "c": 112.0, "d": 12.0, "e": 48.0}


def test_a_core_counts_by_how_well_it_explains_the_time_here() -> None:
    right, slow, none = weights([2.0, 2.0 * np.exp(0.15), 0.0], 2.0)
    assert (right, slow, none) == pytest.approx((1.0, np.exp(-0.5), 0.0))
    assert counting([1.0] * 5) == pytest.approx(5)
    assert counting([1.0, 1.0, 0.0, 0.0]) == pytest.approx(2)
    assert counting([]) == counting([0.0]) == 0


def test_equal_weights_give_the_plain_prediction_interval() -> None:
    low, high = one_more([0.4] * 3, [2.0, 2.1, 2.2], [0.0] * 3)
    reach = 2.92 * 0.1 * (4 / 3) ** 0.5
    assert (low, high) == pytest.approx((2.1 - reach, 2.1 + reach), rel=0.002)


def test_a_memory_that_is_slower_for_each_core_saves_no_time() -> None:
    ratios = [1.0, 1.1, 1.8]
    assert one_more([1.0] * 3, ratios, [0.0] * 3)[0] == 1.0
    assert one_more([1.0] * 3, [2 - ratio for ratio in ratios], [0.0] * 3)[1] == 1.0
    low, high = one_more([1.0] * 3, [0.99, 1.1, 1.8], [0.0] * 3)
    assert low < 0.99
    assert high > 1.8


def test_what_was_not_traced_adds_to_how_cores_differ() -> None:
    low, high = one_more([1.0] * 3, [1.5] * 3, [0.1] * 3)
    assert (high - low) / 2 == pytest.approx(2.92 * 0.1 * (4 / 3) ** 0.5, rel=0.01)


def test_one_core_shows_no_spread() -> None:
    with pytest.raises(ValueError, match="fewer than two"):
        one_more([1.0, 0.0], [1.0, 2.0], [0.0, 0.0])


@pytest.mark.parametrize("seed", range(3))
def test_the_interval_contains_one_more_of_like_cores_as_often_as_stated(seed: int) -> None:
    """With weights that do not depend on the ratio, as for cores drawn from one normal distribution."""
    draw = np.random.default_rng(seed)
    inside = 0
    for _ in range(2000):
        given = weights(np.exp(draw.normal(0, 0.15, COUNT)).tolist(), 1.0)
        low, high = one_more(given, draw.normal(2, 0.1, COUNT).tolist(), [0.0] * COUNT)
        inside += low <= draw.normal(2, 0.1) <= high
    assert 0.87 <= inside / 2000 <= 0.94


def parsed(words: tuple[str, ...]) -> list[dict[str, str]]:
    return [dict(pair.split("=") for pair in word.split(",")[1:]) for word in words]


def test_the_cores_are_a_latin_hypercube() -> None:
    found = parsed(cores(SMALL, LARGE, [",p=x", ",p=y", ""]))[:BETWEEN]
    wide = parsed(cores(SMALL, {key: value * 1000 for key, value in SMALL.items()}, [""]))[:BETWEEN]
    for key, value in SMALL.items():
        places = sorted(np.log(float(one[key]) / value) / np.log(1000) * BETWEEN for one in wide)
        assert places == pytest.approx([rank + 0.5 for rank in range(BETWEEN)], abs=0.35)  # they are whole numbers
        assert all(min(value, LARGE[key]) <= float(one[key]) <= max(value, LARGE[key]) for one in found)
    assert [[one.get("p", "") for one in found].count(kind) for kind in ("x", "y", "")] == [6, 3, 3]


def test_the_small_and_the_large_core_are_among_them() -> None:
    found = cores(SMALL, LARGE, [",p=x", ",p=y", ""])
    assert len(found) == COUNT
    assert found[BETWEEN:] == (",a=2,b=64,c=32,d=20,e=8,p=x" + LAZY, ",a=8,b=512,c=112,d=12,e=48,p=x" + EAGER)


def test_a_core_that_is_known_is_the_same_for_all_but_its_wrong_paths() -> None:
    assert set(cores({"a": 5.0}, {"a": 5.0}, [",p=x"])) == {",a=5,p=x" + LAZY, ",a=5,p=x" + EAGER}


def test_cores_of_both_readings_of_wrong_paths_have_the_same_mean_of_each_parameter() -> None:
    large = {key: value * 1000 for key, value in SMALL.items()}
    found = cores(SMALL, large, [",p=x", ",p=y"])[:BETWEEN]
    halves = [parsed(tuple(one for one in found if reading in one)) for reading in (EAGER, LAZY)]
    assert [len(half) for half in halves] == [6, 6]
    for key in SMALL:
        first, second = (np.mean([np.log(float(one[key])) for one in half]) for half in halves)
        assert first == pytest.approx(second, abs=0.15)  # of a range of 6.9; they are whole numbers
    assert [[one["p"] for one in half].count("x") for half in halves] == [3, 3]
