"""Any number of threads from one thread and curves of the device: on made queues whose truth is known."""

import math

import numpy as np
import pytest

from tierscope.arrays import Floats
from tierscope.models.model import FitError
from tierscope.models.scaling import doubled
from tierscope.models.threads import DeviceCurve, Threads

CORES = 16
N = np.arange(1, CORES + 1, dtype=np.float64)
MADE = 60
READS = 2 / 3
SEVERAL = N[[0, 1, 3, 7, 11, 15]]


def queue(threads: int, think: float) -> Floats:
    """Return the lines per service time of 1 to `threads` threads with one line each, by exact mean value analysis.

    Source: E. Lazowska and others, "Quantitative System Performance", 1984, chapter 6.
    """
    rates, waiting = [], 0.0
    for n in range(1, threads + 1):
        wait = 1 + waiting
        rates.append(n / (think + wait))
        waiting = rates[-1] * wait
    return np.array(rates)


def kernels(seed: int) -> tuple[Floats, float, list[Floats]]:
    """Return B(n) of a kernel, its traffic for a byte, and the traffic of two others, on one memory."""
    draw = np.random.default_rng(seed)
    full = draw.uniform(3, 14)
    rates = [queue(CORES, full * draw.uniform(0.7, 1.5) - 1) for _ in range(3)]
    traffic = draw.uniform(1, 2)
    return rates[0] / traffic, traffic, rates[1:]


def curve(rates: Floats) -> DeviceCurve:
    mine = np.isin(N, SEVERAL)
    return DeviceCurve.of(N[mine], rates[mine], READS)


def test_one_thread_and_curves_of_others_give_all_threads() -> None:
    off, inside = [], []
    for seed in range(MADE):
        truth, traffic, others = kernels(seed)
        model = Threads.fit(truth[0], traffic, READS, [curve(other) for other in others], cores=CORES, noise=0.005)
        for n, rate in zip(N[1:], truth[1:], strict=True):
            found = model.predict(n)
            off.append(abs(found.value / rate - 1))
            inside.append(found.low <= rate <= found.high)
    assert np.mean(off) < 0.03
    assert np.percentile(off, 90) < 0.06
    assert np.mean(inside) > 0.9


def test_the_same_kernel_as_the_curve_is_met() -> None:
    truth, traffic, _ = kernels(3)
    model = Threads.fit(truth[0], traffic, READS, [curve(truth * traffic)], cores=CORES)
    assert [model.predict(n).value for n in SEVERAL] == pytest.approx(truth[np.isin(N, SEVERAL)].tolist(), rel=0.01)


def test_second_hardware_threads_follow_from_the_cores() -> None:
    truth, traffic, _ = kernels(5)
    model = Threads.fit(truth[0], traffic, READS, [DeviceCurve.of(N, truth * traffic, READS)], cores=CORES)
    for n in (17, 20, 32):
        found = model.predict(n)
        assert found.value == pytest.approx(doubled(n, CORES, truth[-1], truth[n - CORES - 1]), rel=0.01)
        assert found.low <= truth[-1] * 1.001  # as if they changed nothing
        assert found.high >= truth[-1] * 0.999


def test_a_roof_that_no_curve_shows_leaves_the_bounds_open() -> None:
    one = DeviceCurve.of(N[:4], 10e9 * N[:4], READS)
    found = Threads.fit(8e9, 1.0, READS, [one], cores=CORES).predict(16)
    assert found.high >= 16 * 8e9
    assert "no curve shows a roof" in " ".join(found.warnings)


def test_a_curve_that_falls_past_its_knee_keeps_its_roof() -> None:
    """Writes to persistent memory fall past the knee: one reading follows them, the other stays at the roof."""
    falls = DeviceCurve.of(np.array([1.0, 2, 4, 8]), np.array([2e9, 4e9, 5e9, 3e9]), READS)
    found = Threads.fit(2e9, 1.0, READS, [falls], cores=8).predict(8)
    assert (found.low, found.high) == pytest.approx((3e9, 1.03 * 5e9), rel=1e-6)
    assert math.isinf(falls.latency(5.1e9))


def test_latency_under_load_is_a_curve_of_the_device() -> None:
    """10 lines in flight, 100 ns up to the peak of 20 GB/s: 6.4 GB/s a thread, then the peak."""
    loads = np.array([1e9, 10e9, 19.99e9, 20e9])
    device = DeviceCurve.under_load(loads, np.array([100e-9, 100e-9, 100e-9, 900e-9]), READS)
    model = Threads.fit(6.4e9, 1.0, READS, [device], cores=8)
    assert model.predict(3).value == pytest.approx(19.2e9)
    assert model.predict(8).value == pytest.approx(20e9, rel=1e-3)
    flat = DeviceCurve.under_load(loads, np.array([100e-9, 100e-9, 110e-9, 120e-9]), READS)
    assert math.isinf(flat.roof)


def test_noise_widens_the_bounds() -> None:
    truth, traffic, others = kernels(6)
    quiet, noisy = (
        Threads.fit(truth[0], traffic, READS, [curve(others[0])], cores=CORES, noise=noise).predict(8)
        for noise in (0, 0.05)
    )
    assert noisy.low < quiet.low <= quiet.value <= quiet.high < noisy.high


@pytest.mark.parametrize(
    ("threads", "traffic", "why"),
    [
        (N[:2], N[:2], "2 different places are there, 3 are needed"),
        (N[1:5], N[1:5], "begins with one thread"),
        (N[:4], 0 * N[:4], "traffic is above 0"),
    ],
)
def test_points_without_a_curve_are_refused(threads: Floats, traffic: Floats, why: str) -> None:
    with pytest.raises(FitError, match=why):
        DeviceCurve.of(threads, traffic, READS)


def test_a_curve_beyond_the_cores_and_none_are_refused() -> None:
    with pytest.raises(FitError, match="beyond 4 cores"):
        Threads.fit(1e9, 1.0, READS, [DeviceCurve.of(N, N, READS)], cores=4)
    with pytest.raises(FitError, match="no curve has a share of reads within"):
        Threads.fit(1e9, 1.0, READS, [], cores=4)


def test_a_curve_with_another_share_of_reads_is_not_used() -> None:
    """Reads and writes of persistent memory have roofs that differ by a factor of 3 and more."""
    truth, traffic, others = kernels(7)
    with pytest.raises(FitError, match=r"within 0.1 of 1.00"):
        Threads.fit(truth[0], traffic, 1.0, [curve(others[0])], cores=CORES)
