"""The structure model: hits against a simulated LRU cache, and the published formula of document 004."""

from collections import OrderedDict
from dataclasses import replace

import numpy as np
import pytest

from tierscope.errors import UnknownNameError, UsageError
from tierscope.models.device import LINES, Cache, Device, device
from tierscope.models.model import Span
from tierscope.models.structure_model import StructureModel
from tierscope.models.structures import Step, Structure, b_tree, layout, patricia, probes, red_black, structures
from tierscope.models.structures.chains import buckets
from tierscope.reference import load
from tierscope.units import LINE_BYTES

MEMORY = Device("made", 300e-9, 100e-9, 1e9)


def cached(*lines: int, parallelism: float = 1.0) -> Device:
    """300 ns behind caches with these numbers of lines, of 1, 2, ... ns."""
    caches = tuple(Cache(f"L{i}", n * LINE_BYTES, i * 1e-9) for i, n in enumerate(lines, 1))
    return Device("made", 300e-9, 100e-9, 1e9, parallelism, caches)


def model(*steps: Step) -> StructureModel:
    return StructureModel(Structure("made", "", "", Span("elements", 1, 1e6), lambda _, line: steps))


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


def first_hits(populations: tuple[int, ...], lines: int, operations: int) -> list[float]:
    """The same from an empty cache on, mean of 20 runs."""
    draw = np.random.default_rng(7)
    hits = np.zeros(len(populations))
    for _ in range(20):
        cache: OrderedDict[tuple[int, int], None] = OrderedDict()
        for row in np.stack([draw.integers(0, n, operations) for n in populations], axis=1).tolist():
            for kind, line in enumerate(row):
                hits[kind] += (kind, line) in cache
                cache[kind, line] = None
                cache.move_to_end((kind, line))
                if len(cache) > lines:
                    cache.popitem(last=False)
    return [float(share) for share in hits / operations / 20]


@pytest.mark.parametrize(("lines", "operations"), [(200, 100), (200, 1000), (600, 1000), (5000, 1000), (50, 3000)])
def test_a_run_from_empty_caches_finds_what_a_simulated_one_does(lines: int, operations: int) -> None:
    populations = (1, 100, 1000)
    found = model(*(Step("", 1, n) for n in populations)).hits(1, cached(lines), operations)
    assert found[:, 0] == pytest.approx(first_hits(populations, lines, operations), abs=0.02)
    assert found.sum(axis=1) == pytest.approx([1, 1, 1])


def chained_hits(keys: int, array: int, lines: int, streamed: int) -> float:
    """Lines that one get of a chained map reads from memory if each key is used once in random order; mean of 10 maps.

    A bucket is a line, an entry is a line. streamed: lines of other memory behind each get.
    """
    draw = np.random.default_rng(11)
    misses = 0
    for _ in range(10):
        chains: list[list[int]] = [[] for _ in range(array)]
        for key, bucket in enumerate(draw.integers(0, array, keys).tolist()):
            chains[bucket].insert(0, key)
        where = {key: number for number, chain in enumerate(chains) for key in chain}
        cache: OrderedDict[tuple[str, int], None] = OrderedDict()
        for number, key in enumerate(draw.permutation(keys).tolist()):
            chain = chains[where[key]]
            touched = [("entry", one) for one in chain[: chain.index(key) + 1]]
            others = [("other", number * streamed + one) for one in range(streamed)]
            for line in [("bucket", where[key]), *touched, *others]:
                misses += line not in cache and line[0] != "other"
                cache[line] = None
                cache.move_to_end(line)
                if len(cache) > lines:
                    cache.popitem(last=False)
    return misses / keys / 10


@pytest.mark.parametrize("streamed", [0, 2])
@pytest.mark.parametrize("lines", [100, 600, 1500, 100_000])
def test_each_key_once_reads_what_a_simulated_map_does(lines: int, streamed: int) -> None:
    keys, array = 2000, 1000
    seen = 1 + (keys - 1) / (2 * array)
    steps = (Step("bucket", 1, array), Step("entries", seen, keys, own=1.0))
    asked = {"fresh": True, "once": True, "beside_bytes": streamed * LINE_BYTES}
    device = cached(lines)
    time = model(*steps).predict(keys, replace(device, caches=(replace(device.caches[0], latency_s=0.0),)), **asked)
    found = time.value / keys / device.read_latency_s
    assert found == pytest.approx(chained_hits(keys, array, lines, streamed), rel=0.03)


def test_each_key_once_is_refused_where_it_has_no_meaning() -> None:
    chains, flat = Step("entries", 1.5, 1000, own=1.0), Step("entries", 1.5, 1000)
    with pytest.raises(UsageError, match="1,000 operations with fresh=True, not 0"):
        model(chains).predict(1000, cached(100), once=True)
    with pytest.raises(UsageError, match="1,000 operations with fresh=True, not 10"):
        model(chains).predict(10, cached(100), elements=1000, fresh=True, once=True)
    with pytest.raises(UsageError, match="does not state which lines are those of one key"):
        model(flat).predict(1000, cached(100), fresh=True, once=True)


def endless_hits(populations: tuple[int, ...], lines: int, streamed: int, operations: int = 20_000) -> list[float]:
    """Share of hits of each population in full caches. streamed: lines of other memory behind each operation."""
    draw = np.random.default_rng(5)
    drawn = np.stack([draw.integers(0, n, 2 * operations) for n in populations], axis=1)
    cache: OrderedDict[tuple[int, int], None] = OrderedDict()
    hits = np.zeros(len(populations))
    for number, row in enumerate(drawn.tolist()):
        for kind, line in [*enumerate(row), *((-1, number * streamed + one) for one in range(streamed))]:
            hits[kind] += kind >= 0 and number >= operations and (kind, line) in cache
            cache[kind, line] = None
            cache.move_to_end((kind, line))
            if len(cache) > lines:
                cache.popitem(last=False)
    return [float(share) for share in hits / operations]


@pytest.mark.parametrize("streamed", [1, 4])
@pytest.mark.parametrize("lines", [300, 1500, 3000])
def test_other_memory_takes_lines_from_an_endless_run_even_where_all_fit(lines: int, streamed: int) -> None:
    populations = (100, 1000)
    device = cached(lines)
    device = replace(device, caches=(replace(device.caches[0], latency_s=0.0),))
    made = model(*(Step("", 1, n) for n in populations))
    time = made.predict(1000, device, beside_bytes=streamed * LINE_BYTES)
    found = time.value / 1000 / device.read_latency_s
    assert found == pytest.approx(len(populations) - sum(endless_hits(populations, lines, streamed)), abs=0.04)


def test_each_key_once_reads_the_own_lines_of_each_key_from_memory() -> None:
    keys, device = 10_000, cached(10**6)
    device = replace(device, caches=(replace(device.caches[0], latency_s=0.0),))
    misses = {
        name: StructureModel.preset(f"hashmap_atomic {name}").predict(keys, device, fresh=True, once=True)
        for name in ("find", "get")
    }
    end = (misses["get"].value - misses["find"].value) / device.read_latency_s
    assert end == pytest.approx(keys, rel=1e-6)  # each value ends in a line that no other key reaches


def test_a_long_run_from_empty_caches_ends_as_one_from_full_ones() -> None:
    steps = (Step("small", 1, 100), Step("large", 2, 1e5), Step("past the caches", 1, 50, cached=False))
    made, caches = model(*steps), cached(100, 20_000)
    assert made.hits(1, caches, 1e9) == pytest.approx(made.hits(1, caches), abs=1e-3)


def test_the_time_of_instructions_is_added_to_each_operation() -> None:
    made = model(Step("", 1, 1e6))
    slow, quick = (made.predict(1000, cached(100), elements=1e5, fresh=True, core_s=s) for s in (5e-7, 0.0))
    assert slow.value - quick.value == pytest.approx(1000 * 5e-7)
    assert quick.value > made.predict(1000, cached(100), elements=1e5).value


def test_cached_lines_are_always_found_and_others_never() -> None:
    steps = (Step("small", 1, 100), Step("past the caches", 1, 50, cached=False))
    assert model(*steps).hits(1, cached(100, 200)) == pytest.approx(np.array([[1, 0, 0], [0, 0, 1]]))


def test_a_level_contains_more_than_the_one_before() -> None:
    first, second, memory = model(Step("", 1, 1000)).hits(1, cached(100, 400))[0]
    assert (first, second, memory) == pytest.approx((0.1, 0.3, 0.6))


def test_dependent_lines_wait_and_independent_ones_overlap() -> None:
    steps = (Step("", 2, 1e6, cached=False), Step("", 3, 1e6, dependent=False, cached=False))
    found = model(*steps).predict(1000, cached(parallelism=3))
    assert found.value == pytest.approx(1000 * (2 + 1) * 300e-9)
    assert found.low == pytest.approx(found.value)
    assert found.high == pytest.approx(1000 * 5 * 300e-9)
    assert any("its error is not known" in text for text in found.warnings)


def test_elements_may_differ_from_operations_and_have_a_span() -> None:
    made = StructureModel(Structure("made", "", "", Span("elements", 1, 1e6), lambda n, line: (Step("", n, n),)))
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


def test_the_bounds_of_the_preset_contain_measurements_from_100_000_operations() -> None:
    columns = load("document004_map_get").columns
    preset = StructureModel.preset("document 004")
    for n, measured in list(zip(columns["operations"].tolist(), columns["measured_s"].tolist(), strict=True))[1:]:
        prediction = preset.predict(n, device("document 004"), 1)
        assert prediction.low <= measured <= prediction.high


def test_an_unknown_structure_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="hashmap_atomic get"):
        StructureModel.preset("hashmap")


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("name", list(structures))
def test_a_structure_touches_some_lines_of_a_place_at_least_as_large(name: str, line: int) -> None:
    for elements in (10, 1e3, 1e6):
        for step in structures[name].steps(elements, line):
            assert 0 < step.lines <= step.places + 1e-9
    assert structures[name].source


@pytest.mark.parametrize("name", [name for name in structures if name != "document 004"])
def test_a_larger_structure_takes_as_long_or_longer_and_its_top_stays_in_a_cache(name: str) -> None:
    preset = StructureModel.preset(name)
    small, large = (preset.predict(1, cached(1000), elements=n).value for n in (1e3, 1e6))
    assert small < large
    lines, hits = preset.lines(1e6), preset.hits(1e6, cached(1000))
    weighted = sum(hits[i, 0] * step.lines for i, step in enumerate(preset.structure.steps(1e6, LINE_BYTES)))
    assert 0.9 < weighted < lines


@pytest.mark.parametrize("name", [name for name in structures if name != "document 004"])
def test_longer_lines_are_fewer_and_never_less_than_one(name: str) -> None:
    preset = StructureModel.preset(name)
    lines = [preset.lines(1e4, line) for line in LINES]
    assert lines == sorted(lines, reverse=True)
    assert lines[-1] > 1


def test_lines_of_an_object_are_those_counted_by_hand() -> None:
    bucket = layout.every(80, 128, 8)  # begins at 8, 24, ... 120, and five of eight leave less than 80 bytes
    assert bucket.lines((0, 80)) == pytest.approx(1 + 5 / 8)
    entry = layout.in_pool(56, 256)
    assert entry.begins == (80, 208)
    assert entry.lines((0, 56)) == pytest.approx(1.5)
    assert entry.of(1000) == pytest.approx(500)
    assert layout.in_pool(176, 128).begins == (80, 16)
    assert [layout.in_pool(240, line).lines((0, 240)) for line in LINES] == [4, 3, 2]


def test_a_cache_contains_fewer_longer_lines_and_memory_moves_all_their_bytes() -> None:
    made = model(Step("", 1, 100))
    wide = replace(cached(100), line_bytes=128)
    assert made.hits(1, cached(100))[0] == pytest.approx([1, 0])
    assert made.hits(1, wide)[0] == pytest.approx([0.5, 0.5])
    slow = replace(MEMORY, bandwidth_bytes_per_s=1e8)
    alone = model(Step("", 1, 1e6, cached=False))
    assert alone.predict(1, slow).value == pytest.approx(640e-9)
    assert alone.predict(1, replace(slow, line_bytes=128)).value == pytest.approx(1280e-9)
    with pytest.raises(UsageError, match="lines have 64, 128, 256 bytes, not 96"):
        replace(MEMORY, line_bytes=96)


@pytest.mark.parametrize(("elements", "size"), [(1, 10), (20, 10), (21, 20), (1500, 1280), (1e6, 655_360)])
def test_the_array_of_chains_doubles_at_two_entries_to_a_bucket(elements: float, size: float) -> None:
    assert buckets(elements) == size


def drawn_trie(base: int, keys: int, seed: int) -> tuple[float, float]:
    """Inner nodes on a key's way, and keys next to it at the lowest one, on average over the keys of one trie."""
    digits = np.random.default_rng(seed).integers(0, base, (keys, 64))

    def below(rows: np.ndarray, level: int) -> tuple[float, float]:
        groups = [rows[rows[:, level] == digit] for digit in np.unique(rows[:, level])]
        branches = len(groups) > 1
        inner = beside = 0.0
        for group in groups:
            if len(group) == 1:
                beside += len(rows) - 1
            else:
                more = below(group, level + 1)
                inner, beside = inner + more[0], beside + more[1]
        return inner + branches * len(rows), beside

    inner, beside = below(digits, 0)
    return inner / keys, beside / keys


@pytest.mark.parametrize("base", [2, 16])
def test_depths_of_a_trie_are_those_of_drawn_ones(base: int) -> None:
    drawn = np.mean([drawn_trie(base, 500, seed) for seed in range(20)], axis=0)
    slope = (patricia.beside(499, base, 1 + 1e-6) - patricia.beside(499, base, 1)) / 1e-6  # of x^K at 1: the mean of K
    assert sum(patricia.levels(499, base)) == pytest.approx(drawn[0], rel=0.01)
    assert slope == pytest.approx(drawn[1], rel=0.03)
    assert patricia.beside(499, base, 1) == pytest.approx(1)


def test_robin_hood_probes_are_those_of_a_drawn_table() -> None:
    slots, keys = 4096, 2000
    homes = np.sort(np.random.default_rng(1995).integers(0, slots, keys))
    ends, last = [], -1
    for home in [*homes, *(homes + slots)]:  # twice around, the second time for the surplus of the first
        last = max(last + 1, int(home))
        ends.append(last - home)
    found = probes.hit(keys / slots)
    assert np.mean(ends[keys:]) == pytest.approx(found.beyond, abs=0.05)
    assert np.mean(np.array(ends[keys:]) == 0) == pytest.approx(found.at_home, abs=0.03)


def test_fringes_are_in_balance() -> None:
    nodes = red_black.COUNTS
    grown = {
        2: 4 * nodes[4] - 2 * nodes[2],
        3: 2 * nodes[2] + 4 * nodes[4] - 3 * nodes[3],
        4: 3 * nodes[3] - 4 * nodes[4],
    }
    assert grown == pytest.approx(nodes)
    grown = {k: (k - 1) * b_tree.COUNTS.get(k - 1, 0) - k * b_tree.COUNTS[k] + 8 * (k in (4, 5)) for k in b_tree.COUNTS}
    assert grown == pytest.approx(b_tree.COUNTS)


@pytest.mark.parametrize("elements", [100, 1e3, 1e4, 1e6])
def test_levels_of_a_b_tree_contain_all_its_keys(elements: float) -> None:
    levels = b_tree.shape(elements)
    assert sum(level.keys for level in levels) == pytest.approx(1)
    assert (levels[-1].nodes, levels[-1].there) == (1, 1)


def test_elements_far_outside_what_was_counted_are_reported() -> None:
    assert "extrapolated" in StructureModel.preset("ctree get").predict(1, MEMORY, elements=1e9).warnings[0]
