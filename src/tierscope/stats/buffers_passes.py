"""The capacity of a buffer from regions that are read in passes, where its unit is known.

A pass reads one line of each unit of a region, in a random order. The next pass reads the next line of each unit in the
same order, so that all other units of the region are visited between two visits of one. The misses then depend on
the entries, on the units of the region, and on the kind in a way that can be stated (`buffers_evicted`). A buffer that
evicts in the order of use or of arrival has all units of a region up to its capacity, and none of a larger one.

All families of kinds are fitted to the latencies of all regions, with two free times. The capacity is in the range of
all that explain the latencies. If none does, or if the range is as wide as what was tried, passes do not show it. The
error of a point is that of its median, and MODEL of the whole rise.
Blind to: buffers further away that are outgrown by the same regions, since they have as many units of another size.
Then no capacity is known by passes.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from tierscope.arrays import Floats
from tierscope.stats.buffers_evicted import families
from tierscope.stats.buffers_levels import Estimate, Pass
from tierscope.stats.buffers_search import Place
from tierscope.units import LINE_BYTES, show_bytes

MODEL = 0.02  # of the whole rise: how far families are from an exact simulation
GOOD = 1.5  # squares of errors for each free point: a family explains the latencies
LEAST = 0.01  # of a capacity: with several memories, a region need not be whole in them
CHANCE = 9.0  # squares of errors more: three standard deviations
RISE = 8.0  # errors: less is not a rise
MOST = 3.0  # times: a wider interval is tried from its low end up to here
OFF = 1.2  # times: beyond the interval of a capacity that the fit states
APART = 1.3  # times: regions at which two buffers are outgrown
FEWEST = 6  # regions
LITTLE = 0.3  # of the rise that a level would cause
STEP_SHARE = 0.3  # of the whole rise, in one step
NARROW = 1.02  # times: the next region of such a step
CLOSE = 1.1  # times: beyond the interval of a capacity; such a step of plain sets is up to 7 % above it
STEP = 1.01  # times: entries that are tried
SURE = 5.0  # errors of a step that is halved
AROUND = 3  # regions on each side that state the whole rise


def shown_by_passes(
    passes: Sequence[Pass], places: Sequence[Place], capacities: Sequence[Estimate], line_bytes: int = LINE_BYTES
) -> Mapping[int, Estimate]:
    """Return level -> capacity, of the levels whose capacity the passes show near the interval of the fit.

    line_bytes: of the caches, which a pass reads of each unit.
    """
    found = {}
    for number, (place, size) in enumerate(zip(places, capacities, strict=True)):
        own = capacity_by_passes(
            passes, place.unit_bytes, size.low / OFF, min(size.high, size.low * MOST) * OFF, line_bytes
        )
        others = (one for other, one in enumerate(places) if other != number)
        regions = [one.capacity_bytes / one.unit_bytes * place.unit_bytes for one in others]
        if own and not _any_near(regions, own.low, own.high):
            found[number] = own
    return found


def against(
    passes: Sequence[Pass], places: Sequence[Place], capacities: Sequence[Estimate], steps_s: Floats
) -> Iterator[str]:
    """Yield a phrase for each level whose capacity is not where the passes rise.

    A STEP between regions next to each other shows a buffer that evicts by age, whatever else is there: with random
    replacement and hashed sets, one more unit hardly changes the misses. steps_s: what each level saves, in seconds.
    """
    for number, (place, size, saved_s) in enumerate(zip(places, capacities, steps_s, strict=True)):
        own = sorted((one for one in passes if one.stride_bytes == place.unit_bytes), key=lambda one: one.region_bytes)
        near = [one for one in own if size.low / MOST <= one.region_bytes <= size.high * MOST]
        others = [one for other, one in enumerate(places) if other != number]
        regions = [one.capacity_bytes / one.unit_bytes * place.unit_bytes for one in others]
        if size.bounded or len(near) < FEWEST or _any_near(regions, near[0].region_bytes, near[-1].region_bytes):
            continue
        noise = float(np.median([one.latency_s * one.spread for one in near]))
        rise = max(one.latency_s for one in near) - min(one.latency_s for one in near)
        around = near[0].region_bytes * OFF <= size.low and size.high * OFF <= near[-1].region_bytes
        if around and all(region < size.low for region in regions) and saved_s / 2 > max(RISE * noise, rise / LITTLE):
            yield f"passes do not outgrow buffer {number + 1}"
        for at in range(1, len(near) - 2):
            below, above = near[at].region_bytes, near[at + 1].region_bytes
            outside = above < size.low / CLOSE or below > size.high * CLOSE
            narrow = above <= NARROW * below or above - below <= place.unit_bytes
            if outside and narrow and rise > RISE * noise and steps_by(near, at, STEP_SHARE):
                yield f"passes outgrow a buffer at {show_bytes(below)}, not at the capacity of buffer {number + 1}"
                break


def _any_near(regions: Sequence[float], least: float, most: float) -> bool:
    return any(least / APART <= region <= most * APART for region in regions)


def capacity_by_passes(
    passes: Sequence[Pass], unit_bytes: int, low: float, high: float, line_bytes: int = LINE_BYTES
) -> Estimate | None:
    """Return the capacity from `low` to `high` bytes that passes with a stride of one unit show."""
    own = [one for one in passes if one.stride_bytes == unit_bytes and low / OFF <= one.region_bytes <= high * OFF]
    if len(own) < FEWEST:
        return None
    units = np.array([one.region_bytes / unit_bytes for one in own])
    latency = np.array([one.latency_s for one in own])
    noise = np.array([one.latency_s * one.spread for one in own])
    rise = float(latency.max() - latency.min())
    if rise < RISE * float(np.median(noise)):
        return None
    weight = 1 / np.hypot(noise, MODEL * rise)
    entries = _entries(low / unit_bytes, high / unit_bytes)
    lines = unit_bytes // line_bytes
    costs = np.array([
        min(_cost(missed, latency, weight) for missed in families(units, float(number), lines)) for number in entries
    ])  # fmt: skip
    if not costs.size or costs.min() > GOOD * max(1, len(own) - 3):
        return None
    inside = np.flatnonzero(costs <= costs.min() + CHANCE)
    if inside[0] == 0 or inside[-1] == entries.size - 1:
        return None
    best = int(np.argmin(costs))
    low, middle, high = (float(entries[at]) * unit_bytes for at in (inside[0], best, inside[-1]))
    return Estimate(low / (1 + LEAST), middle, high * (1 + LEAST))


def _entries(low: float, high: float) -> Floats:
    """Return the numbers of entries that are tried, rising: whole ones."""
    steps = int(np.log(high / low) / np.log(STEP)) + 2
    return np.unique(np.round(low * STEP ** np.arange(steps)))


def _cost(missed: Floats, latency: Floats, weight: Floats) -> float:
    """Return the sum of weighted squares with the best two times; infinite if misses are not slower."""
    one, mean = missed, float(np.average(missed, weights=weight**2))
    middle = float(np.average(latency, weights=weight**2))
    along = float(np.sum(weight**2 * (one - mean) * (latency - middle)))
    length = float(np.sum(weight**2 * (one - mean) ** 2))
    if along <= 0 or length <= 0:
        return np.inf
    return float(np.sum((weight * (latency - middle - along / length * (one - mean))) ** 2))


def widest(own: Sequence[Pass]) -> int | None:
    """Return the place of the region below the largest step, if at least two regions are on each side of it."""
    steps = [after.latency_s - before.latency_s for before, after in itertools.pairwise(own)]
    inside = steps[1:-1]
    return 1 + int(np.argmax(inside)) if inside else None


def steps_by(own: Sequence[Pass], at: int, share: float) -> bool:
    """Return whether the step behind `at` is this share of the whole rise around it, and more than chance."""
    below, above = own[at], own[at + 1]
    step = above.latency_s - below.latency_s
    near, far = own[max(at + 1 - AROUND, 0) : at + 1], own[at + 1 : at + 1 + AROUND]
    whole = float(np.mean([one.latency_s for one in far]) - np.mean([one.latency_s for one in near]))
    error = float(np.hypot(below.latency_s * below.spread, above.latency_s * above.spread))
    return step >= share * whole and step >= SURE * error
