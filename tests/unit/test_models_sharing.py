"""Splits of threads over two tiers, and threads up to hyper-threads: on made networks whose truth is known."""

import math
from itertools import product

import numpy as np
import pytest

from tierscope.arrays import Floats
from tierscope.models.model import FitError
from tierscope.models.scaling import Scaling, by_curve, doubled
from tierscope.models.sharing import Sharing, Split

T = 16
N = np.arange(1, T + 1, dtype=np.float64)
MADE = 40


def closed(first: int, second: int, thinks: tuple[float, float], demands: tuple[float, float]) -> tuple[float, float]:
    """Return the throughput of both classes of a closed network with one queue, by exact mean value analysis.

    Source: E. Lazowska and others, "Quantitative System Performance", 1984, chapter 7.
    """
    queue = np.zeros((first + 1, second + 1))
    rates = (0.0, 0.0)
    for a, b in product(range(first + 1), range(second + 1)):
        waits = [
            demands[i] * (1 + queue[a - (i == 0), b - (i == 1)]) if (a, b)[i] else 0.0 for i in (0, 1)
        ]  # fmt: skip
        rates = tuple((a, b)[i] / (thinks[i] + waits[i]) if (a, b)[i] else 0.0 for i in (0, 1))
        queue[a, b] = sum(rate * wait for rate, wait in zip(rates, waits, strict=True))
    return rates


def networks() -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """The first tier is full at 4 to 12 threads; the second loads the queue with a factor of 1 to 2, at its pace."""
    draw = np.random.default_rng(1995)
    made = []
    for _ in range(MADE):
        full = draw.uniform(4, 12)
        made.append(((full - 1, draw.uniform(0.5, 3) * full), (1.0, draw.uniform(1, 2))))
    return made


def rates(k: int, network: tuple[tuple[float, float], tuple[float, float]]) -> tuple[float, float]:
    return closed(T - k, k, *network)


def fitted(network: tuple[tuple[float, float], tuple[float, float]], given: tuple[int, ...]) -> Sharing:
    alone = np.array([closed(int(n), 0, *network)[0] for n in N])
    splits = [Split(k, *rates(k, network)) for k in given]
    return Sharing.fit(N, alone, splits=splits, second=0.0 if given else rates(T, network)[1])


def errors(given: tuple[int, ...]) -> tuple[Floats, list[bool]]:
    off, inside = [], []
    for network in networks():
        model = fitted(network, given)
        for k in range(1, T):
            if k not in given:
                for found, truth in zip(model.predict(k), rates(k, network), strict=True):
                    off.append(abs(found.value / truth - 1))
                    inside.append(found.low <= truth <= found.high)
    return np.array(off), inside


def test_two_splits_give_all_others() -> None:
    """Mean 0.5 % on networks that the model does not assume: it knows neither thinks nor demands."""
    off, _ = errors((4, 12))
    assert off.mean() < 0.02
    assert np.percentile(off, 90) < 0.05


def test_a_measured_split_is_met() -> None:
    network = networks()[3]
    model = fitted(network, (4, 12))
    for k in (4, 12):
        for found, truth in zip(model.predict(k), rates(k, network), strict=True):
            assert found.value == pytest.approx(truth, rel=0.01)


def test_without_a_split_the_bounds_are_wide() -> None:
    network = networks()[3]
    (none, _), (two, _) = (fitted(network, given).predict(8) for given in ((), (4, 12)))
    assert none.high - none.low > two.high - two.low


def test_noise_widens_the_bounds() -> None:
    alone = 10 * N / (N + 3)
    split = Split(8, 4.0, 3.0)
    quiet, noisy = (Sharing.fit(N, alone, splits=[split], noise=(s, s)).predict(4)[1] for s in (0.0, 0.05))
    assert quiet.low == quiet.value == quiet.high
    assert noisy.high - noisy.value == pytest.approx(noisy.value * 0.05 * 1.645 * math.sqrt(2))


def test_a_split_of_equal_tiers_is_equal_shares() -> None:
    """Threads of the second tier that are just like the first's: each gets what all get alone."""
    alone = 10 * N / (N + 3)
    each = alone[-1] / T
    model = Sharing.fit(N, alone, splits=[Split(8, 8 * each, 8 * each)])
    first, second = model.predict(3)
    assert first.value == pytest.approx(13 * each, rel=1e-3)
    assert second.value == pytest.approx(3 * each)


@pytest.mark.parametrize(
    ("splits", "second", "why"),
    [
        ([], 0.0, "neither a split nor the second tier alone"),
        ([Split(16, 1.0, 1.0)], 0.0, "threads on both tiers"),
        ([Split(4, 0.0, 1.0)], 0.0, "bandwidths above 0"),
    ],
)
def test_too_little_is_refused(splits: list[Split], second: float, why: str) -> None:
    with pytest.raises(FitError, match=why):
        Sharing.fit(N, N, splits=splits, second=second)


@pytest.mark.parametrize("threads", [0, 16, 17, math.nan])
def test_text_that_is_not_a_split_is_refused(threads: float) -> None:
    with pytest.raises(FitError, match="is not a split"):
        Sharing.fit(N, N, splits=[Split(8, 4.0, 3.0)]).predict(threads)


# --- threads ---


def test_three_numbers_of_threads_give_the_others() -> None:
    truth = ((N * 12e9) ** -3.0 + 65e9**-3.0) ** (-1 / 3)
    model = Scaling.fit(N[[0, 3, 15]], truth[[0, 3, 15]], cores=T)
    assert [model.predict(n).value for n in N] == pytest.approx(truth.tolist(), rel=0.01)
    assert all(model.predict(n).low <= b <= model.predict(n).high for n, b in zip(N, truth, strict=True))
    assert model.knee_seen


def test_second_hardware_threads_wait_for_the_cores_that_have_two() -> None:
    """17 threads on 16 cores: 16 shares at full speed, then one alone."""
    assert doubled(17, 16, 64.0, 12.0) == pytest.approx(17 / (16 / 64 + 1 / 12))
    assert doubled(32, 16, 64.0, 64.0) == pytest.approx(64.0)


def test_a_knee_that_was_not_seen_leaves_the_roof_open() -> None:
    model = Scaling.fit(N[[0, 1, 3]], 10.0 * N[[0, 1, 3]], cores=T)
    found = model.predict(16)
    assert not model.knee_seen
    assert found.high >= 159
    assert "knee was not seen" in " ".join(found.warnings)


def test_threads_beyond_the_cores_are_not_fitted() -> None:
    with pytest.raises(FitError, match="beyond 4 cores"):
        Scaling.fit(N, N, cores=4)


def test_one_thread_and_a_curve_give_all_threads() -> None:
    """10 lines in flight, 100 ns up to the peak of 20 GB/s: 6.4 GB/s a thread, then the peak."""

    def latency(bandwidth: float) -> float:
        return 100e-9 if bandwidth < 20e9 else math.inf

    assert by_curve(6.4e9, 3, latency) == pytest.approx(19.2e9)
    assert by_curve(6.4e9, 8, latency) == pytest.approx(20e9)
