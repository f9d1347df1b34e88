"""The counter model: made counters whose truth is known, and the published curves of document 004."""

import numpy as np
import pytest

from tierscope.arrays import Floats
from tierscope.errors import UnknownNameError, UsageError
from tierscope.models.counter_model import COUNTERS, CounterModel
from tierscope.models.device import Cache, Device, device
from tierscope.models.model import FitError
from tierscope.reference import load

N = np.array([1e5, 3e5, 1e6, 2e6, 4e6, 8e6])
CLOCK = 2e9
DIMM = Device("made", 300e-9, 100e-9, 2e9)


def counters() -> dict[str, Floats]:
    return {
        "cycles": 900 * N + 4.0 * N * np.log(N),
        "stall_cycles": 4.0 * N * np.log(N),
        "llc_load_misses": 4.0 * N,
        "llc_store_misses": 0.5 * N,
    }


def test_time_follows_from_the_counters_and_the_device() -> None:
    model = CounterModel.fit(N, counters(), CLOCK)
    found = model.predict(5e5, DIMM, value_bytes=8)
    wanted = 5e5 * (900 / CLOCK + 4 * 300e-9 + 0.5 * 100e-9 + 8 / 2e9)
    assert found.value == pytest.approx(wanted, rel=1e-6)
    assert found.low <= wanted * (1 + 1e-6)
    assert found.high >= wanted * (1 - 1e-6)
    assert found.warnings == ()


def test_misses_that_overlap_cost_their_share() -> None:
    model = CounterModel.fit(N, counters(), CLOCK)
    one, four = (model.predict(1e6, Device("made", 300e-9, 100e-9, 2e9, p)).value for p in (1, 4))
    work = 1e6 * 900 / CLOCK
    assert (one - work) / (four - work) == pytest.approx(4)


def test_outside_the_fitted_operations_the_bounds_are_wide_with_a_warning() -> None:
    noisy = {name: y * (1 + 0.02 * np.random.default_rng(7).standard_normal(N.size)) for name, y in counters().items()}
    model = CounterModel.fit(N, noisy, CLOCK)
    inside, outside = model.predict(2e6, DIMM), model.predict(8e7, DIMM)
    assert (outside.high - outside.low) / outside.value > 3 * (inside.high - inside.low) / inside.value
    assert any("extrapolated" in text for text in outside.warnings)
    assert (model.valid.low, model.valid.high) == (1e5, 8e6)


@pytest.mark.parametrize("missing", COUNTERS)
def test_a_missing_counter_is_named(missing: str) -> None:
    some = counters()
    del some[missing]
    with pytest.raises(FitError, match=rf"^counter_model: {missing} missing"):
        CounterModel.fit(N, some, CLOCK)


def test_too_few_runs_state_how_many() -> None:
    few = {name: y[:3] for name, y in counters().items()}
    with pytest.raises(FitError, match="3 different places are there, 4 are needed; measure 1 more"):
        CounterModel.fit(N[:3], few, CLOCK)


def test_more_stalls_than_cycles_are_refused() -> None:
    with pytest.raises(FitError, match="more stall cycles than cycles"):
        CounterModel.fit(N, {**counters(), "stall_cycles": 1e6 * N}, CLOCK)


@pytest.mark.parametrize("clock", [0.0, float("inf")])
def test_an_impossible_clock_is_refused(clock: float) -> None:
    with pytest.raises(UsageError, match="Hz is impossible"):
        CounterModel.fit(N, counters(), clock)


def test_the_preset_gives_every_published_row_but_one_to_the_printed_digits() -> None:
    columns = load("document004_map_get").columns
    model, memory = CounterModel.preset("document 004"), device("document 004 counters")
    found = [model.predict(n, memory, 1).value for n in columns["operations"].tolist()]
    assert [round(t, 3) for t in found][1:] == columns["counter_model_s"].tolist()[1:]
    assert round(found[0], 3) == 0.022  # published: 0.032


def test_the_bounds_of_the_preset_contain_measurements_from_100_000_operations() -> None:
    columns = load("document004_map_get").columns
    model, memory = CounterModel.preset("document 004"), device("document 004 counters")
    for n, measured in list(zip(columns["operations"].tolist(), columns["measured_s"].tolist(), strict=True))[1:]:
        prediction = model.predict(n, memory, 1)
        assert prediction.low <= measured <= prediction.high


def test_the_preset_states_where_its_curves_are_impossible() -> None:
    model, memory = CounterModel.preset("document 004"), device("document 004 counters")
    said = {n: " ".join(model.predict(n, memory).warnings) for n in (50_000, 1_000_000, 7_000_000)}
    assert "LLC loads: the curve is negative" in said[50_000]
    assert all("LLC stores: the curve is negative" in text for text in said.values())
    assert "LLC store miss ratio: the curve gives 1.09" in said[7_000_000]
    assert "LLC store miss ratio" not in said[1_000_000]
    assert "extrapolated" in " ".join(model.predict(2e7, memory).warnings)


def test_names_that_are_not_published_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="document 004"):
        CounterModel.preset("document 005")
    with pytest.raises(UnknownNameError, match="document 004 counters"):
        device("optane")


@pytest.mark.parametrize("bad", [{"read_latency_s": 0}, {"bandwidth_bytes_per_s": -1}, {"parallelism": 0.5}])
def test_an_impossible_device_is_refused(bad: dict[str, float]) -> None:
    good = {"read_latency_s": 1e-7, "write_latency_s": 1e-7, "bandwidth_bytes_per_s": 1e9, "parallelism": 1.0}
    with pytest.raises(UsageError, match="device made"):
        Device("made", **{**good, **bad})


def test_caches_that_do_not_grow_are_refused() -> None:
    with pytest.raises(UsageError, match="caches must grow"):
        Device("made", 1e-7, 1e-7, 1e9, caches=(Cache("L2", 2048, 1e-9), Cache("L1", 1024, 1e-9)))
