"""Families of latency under load: on made memories with hidden parameters, and on points that show none."""

import numpy as np
import pytest

from made_family import PARTS, SHARES, Points, memory
from tierscope.arrays import Floats
from tierscope.models.loaded_family import LOADS, MOST, LoadedFamily, chosen
from tierscope.models.model import FitError

MADE = 60


def fitted(points: Points, noise: float = 0.0) -> tuple[LoadedFamily, list[int]]:
    shares, bandwidth, latency = points
    given = chosen(shares, bandwidth)
    return LoadedFamily.fit(shares[given], bandwidth[given], latency[given], noise=noise), given


def errors(noise: float, seeds: range = range(MADE)) -> tuple[Floats, Floats, list[bool]]:
    """Return errors of all points that were not given, their parts of the peak, and whether the bounds contain them."""
    off, at, inside = [], [], []
    for seed in seeds:
        points = memory(seed, noise)
        model, given = fitted(points, noise)
        for i, (share, bandwidth, latency) in enumerate(zip(*points, strict=True)):
            if i not in given:
                found = model.predict(share, bandwidth)
                off.append(abs(found.value / latency - 1))
                at.append(PARTS[i % PARTS.size])
                inside.append(found.low <= latency <= found.high)
    return np.array(off), np.array(at), inside


def test_twelve_points_give_all_others() -> None:
    off, at, inside = errors(noise=0.0)
    assert off[at < 0.8].mean() < 0.02
    assert off.mean() < 0.03
    assert np.mean(inside) > 0.9


def test_the_bounds_contain_noisy_points() -> None:
    off, at, inside = errors(noise=0.02)
    assert off[at < 0.8].mean() < 0.04
    assert np.mean(inside) > 0.9


def test_the_points_are_selected_without_a_look_at_latency() -> None:
    shares, bandwidth, _ = memory(0)
    given = chosen(shares, bandwidth)
    assert len(given) == MOST
    assert sorted(set(shares[given])) == [0, 0.5, 1]
    for share in (0, 0.5, 1):
        mine = bandwidth[given][shares[given] == share]
        assert sorted(mine / bandwidth[shares == share].max()) == pytest.approx(LOADS)


def test_a_point_that_was_given_is_met() -> None:
    shares, bandwidth, latency = points = memory(3)
    model, given = fitted(points)
    for i in given:
        assert model.predict(shares[i], bandwidth[i]).value == pytest.approx(latency[i])


def test_noise_and_the_middle_between_shares_widen_the_bounds() -> None:
    points = memory(4)
    quiet, noisy = (fitted(points, noise)[0] for noise in (0.0, 0.05))
    peak = points[1][points[0] == 0.5].max()
    at, between = quiet.predict(0.5, 0.9 * peak), quiet.predict(0.75, 0.9 * peak)
    assert between.high / between.value > at.high / at.value
    wide = noisy.predict(0.5, 0.9 * peak)
    assert wide.high - wide.low > at.high - at.low


def test_a_memory_that_is_fastest_with_both_has_no_negative_time_of_a_byte() -> None:
    """A link with a lane for each direction: a parabola through 10, 1 and 1 falls below 0 between the last two."""
    shares = np.repeat([0.0, 0.5, 1.0], 4)
    bandwidth = np.outer([1e9, 10e9, 10e9], [0.1, 0.6, 0.9, 1.0]).ravel()
    model = LoadedFamily.fit(shares, bandwidth, np.tile([100e-9, 120e-9, 150e-9, 300e-9], 3))
    assert model.predict(0.75, 10e9).value > 120e-9


@pytest.mark.parametrize(
    ("share", "bandwidth", "why"),
    [
        (0.5, 1e12, r"none of the loads up to .* of this family"),
        (0.5, 0.0, "none of the loads"),
        (1.1, 1e9, r"1.10 is outside 0.00 to 1.00"),
    ],
)
def test_parameters_that_the_points_do_not_show_are_refused(share: float, bandwidth: float, why: str) -> None:
    with pytest.raises(FitError, match=why):
        fitted(memory(5))[0].predict(share, bandwidth)


def test_between_two_shares_nothing_is_known_and_at_each_of_them_it_is() -> None:
    shares, bandwidth, latency = memory(6)
    two = np.isin(shares, [0, 1])
    model, _ = fitted((shares[two], bandwidth[two], latency[two]))
    assert model.predict(1, 50e9).value > 0
    with pytest.raises(FitError, match="between two that were given"):
        model.predict(0.4, 10e9)


def test_a_share_with_two_loads_is_none() -> None:
    shares, bandwidth, _ = memory(7)
    few = np.isin(np.tile(PARTS, SHARES.size), [0.5, 1.0])
    with pytest.raises(FitError, match="no mix has 3 loads"):
        chosen(shares[few], bandwidth[few])


def test_loads_that_hardly_differ_show_no_curve() -> None:
    with pytest.raises(FitError, match="differ by a factor of 1.5"):
        chosen(np.ones(4), np.array([1.0, 1.1, 1.2, 1.3]))


def test_one_line_at_a_time_is_not_a_load() -> None:
    """Latency x bandwidth is a line: the points of document 003."""
    latency = np.array([40e-9, 50e-9, 60e-9, 80e-9])
    with pytest.raises(FitError, match="show no load"):
        LoadedFamily.fit(np.ones(4), 64 / latency, latency)


def test_more_points_than_twelve_are_refused() -> None:
    shares, bandwidth, latency = memory(8)
    with pytest.raises(FitError, match="give at most 12"):
        LoadedFamily.fit(shares, bandwidth, latency)
