"""The structure model: hits against a simulated LRU cache, and the published formula of document 004."""

from collections import OrderedDict

import numpy as np
import pytest

from tierscope.errors import UnknownNameError, UsageError
from tierscope.models.device import Cache, Device, device
from tierscope.models.model import Span
from tierscope.models.structure_model import StructureModel
from tierscope.models.structures import Step, Structure, structures
from tierscope.models.structures.hashmap_atomic_get import buckets
from tierscope.reference import load
from tierscope.units import LINE_BYTES

MEMORY = Device("made", 300e-9, 100e-9, 1e9)


def cached(*lines: int, parallelism: float = 1.0) -> Device:
    """300 ns behind caches of so many lines, of 1, 2, ... ns."""
    caches = tuple(Cache(f"L{i}", n * LINE_BYTES, i * 1e-9) for i, n in enumerate(lines, 1))
    return Device("made", 300e-9, 100e-9, 1e9, parallelism, caches)


def model(*steps: Step) -> StructureModel:
    return StructureModel(Structure("made", "", "", Span("elements", 1, 1e6), lambda _: steps))


def simulated(populations: tuple[int, ...], lines: int, operations: int = 20_000) -> list[float]:
    """Share of hits of each population in an LRU cache; one line of each, drawn evenly, per operation."""
    draw = np.random.default_rng(1995)
    cache: OrderedDict[tuple[int, int], None] = OrderedDict()
    hits = np.zeros(len(populations))
    drawn = np.stack([draw.integers(0, n, 2 * operations) for n in populations], axis=1)
    for number, row in enumerate(drawn.tolist()):
        for kind, line in enumerate(row):
            key = (kind, line)
            hits[kind] += number >= operations and key in cache
            cache[key] = None
            cache.move_to_end(key)
            if len(cache) > lines:
                cache.popitem(last=False)
    return [float(share) for share in hits / operations]


@pytest.mark.parametrize("lines", [50, 200, 600])
def test_hits_are_those_of_a_simulated_cache(lines: int) -> None:
    populations = (1, 100, 1000)
    found = model(*(Step("", 1, n) for n in populations)).hits(1, cached(lines))
    assert found[:, 0] == pytest.approx(simulated(populations, lines), abs=0.02)
    assert found.sum(axis=1) == pytest.approx([1, 1, 1])


def test_what_fits_is_always_found_and_what_is_not_cached_never() -> None:
    steps = (Step("small", 1, 100), Step("past the caches", 1, 50, cached=False))
    assert model(*steps).hits(1, cached(100, 200)) == pytest.approx(np.array([[1, 0, 0], [0, 0, 1]]))


def test_a_level_holds_what_the_one_before_held_and_more() -> None:
    first, second, memory = model(Step("", 1, 1000)).hits(1, cached(100, 400))[0]
    assert (first, second, memory) == pytest.approx((0.1, 0.3, 0.6))


def test_dependent_lines_wait_and_independent_ones_overlap() -> None:
    steps = (Step("", 2, 1e6, cached=False), Step("", 3, 1e6, dependent=False, cached=False))
    found = model(*steps).predict(1000, cached(parallelism=3))
    assert found.value == pytest.approx(1000 * (2 + 1) * 300e-9)
    assert found.low == pytest.approx(found.value)
    assert found.high == pytest.approx(1000 * 5 * 300e-9)
    assert any("no error of it is known" in text for text in found.warnings)


def test_elements_may_differ_from_operations_and_have_a_span() -> None:
    made = StructureModel(Structure("made", "", "", Span("elements", 1, 1e6), lambda n: (Step("", n, n),)))
    assert made.predict(10, MEMORY, elements=5).value == pytest.approx(10 * 5 * 300e-9)
    assert "extrapolated" in made.predict(1e7, MEMORY).warnings[0]
    with pytest.raises(UsageError, match="elements=-1: a number above 0 is needed"):
        made.predict(10, MEMORY, elements=-1)


def test_the_preset_gives_every_published_row_but_one_to_the_printed_digits() -> None:
    columns = load("document004_map_get").columns
    preset = StructureModel.preset("document 004")
    found = [preset.predict(n, device("document 004"), 1).value for n in columns["operations"].tolist()]
    assert [round(t, 3) for t in found][1:] == columns["structure_model_s"].tolist()[1:]
    assert round(found[0], 3) == 0.066  # published: 0.036, what 7/3 accesses take
    assert preset.lines(1e6) == pytest.approx(13 / 3)


def test_the_bounds_of_the_preset_hold_what_was_measured_from_100_000_operations_on() -> None:
    columns = load("document004_map_get").columns
    preset = StructureModel.preset("document 004")
    for n, measured in list(zip(columns["operations"].tolist(), columns["measured_s"].tolist(), strict=True))[1:]:
        prediction = preset.predict(n, device("document 004"), 1)
        assert prediction.low <= measured <= prediction.high


def test_an_unknown_structure_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="hashmap_atomic get"):
        StructureModel.preset("hashmap")


@pytest.mark.parametrize("name", list(structures))
def test_a_structure_touches_some_lines_of_a_place_at_least_as_large(name: str) -> None:
    for elements in (10, 1e3, 1e6):
        for step in structures[name].steps(elements):
            assert 0 < step.lines <= max(step.places, 1.5)
    assert structures[name].source


@pytest.mark.parametrize(("elements", "size"), [(1, 10), (20, 10), (21, 20), (1500, 1280), (1e6, 655_360)])
def test_the_array_of_hashmap_atomic_doubles_at_two_entries_to_a_bucket(elements: float, size: float) -> None:
    assert buckets(elements) == size


def test_a_look_up_in_hashmap_atomic_touches_six_lines() -> None:
    # Lackey counts a median of 6 distinct lines of the pool at 1,500 keys.
    assert StructureModel.preset("hashmap_atomic get").lines(1500) == pytest.approx(6, rel=0.05)
