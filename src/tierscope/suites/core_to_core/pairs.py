"""The pairs of CPUs to measure if there is no time for all: first those that differ by construction, then a sample.

The order is: one pair of hardware threads of each core, one pair of cores of each last-level cache, one pair of each
two such caches, one pair of each two packages. Each CPU that has no pair yet follows. Then come pairs that are drawn
evenly from the rest. The same machine has the same pairs each time, so that runs can be compared.
Blind to a slow link between two CPUs that are drawn in no pair.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, combinations, pairwise

from tierscope.record.machine import Machine

SEED = 1995

Pair = tuple[int, int]
"""Two CPUs, in the order of the topology."""


def number_of_pairs(cpus: int) -> int:
    """Return the number of pairs of this number of CPUs."""
    return cpus * (cpus - 1) // 2


def chosen_pairs(machine: Machine, cpus: Sequence[int], most: int) -> list[Pair]:
    """Return at most `most` pairs of CPUs, or all if there are no more. cpus: in the order of the topology."""
    if number_of_pairs(len(cpus)) <= most:
        return list(combinations(cpus, 2))
    place = {cpu: number for number, cpu in enumerate(cpus)}
    found: set[Pair] = set()
    paired: set[int] = set()
    for a, b in chain(_by_structure(machine, cpus), _lonely(cpus, paired), _drawn(cpus)):
        if len(found) >= most:
            break
        found.add((a, b) if place[a] < place[b] else (b, a))
        paired.update((a, b))
    return sorted(found, key=lambda pair: (place[pair[0]], place[pair[1]]))


def _by_structure(machine: Machine, cpus: Sequence[int]) -> Iterator[Pair]:
    places = {cpu.number: cpu for cpu in machine.identity.cpus}
    caches = {cpu: machine.last_level_cache_of(cpu) for cpu in cpus}
    cores = _grouped(cpus, lambda cpu: (places[cpu].package, places[cpu].core))
    yield from (next(combinations(core, 2)) for core in cores if len(core) > 1)
    firsts = [core[0] for core in cores]
    clusters = _grouped(firsts, lambda cpu: (places[cpu].package, -1 if (cache := caches[cpu]) is None else cache))
    yield from (next(combinations(cluster, 2)) for cluster in clusters if len(cluster) > 1)
    yield from _across(clusters)
    yield from _across(_grouped(firsts, lambda cpu: (places[cpu].package,)))


def _grouped(cpus: Sequence[int], key: Callable[[int], tuple[int, ...]]) -> list[list[int]]:
    found: dict[tuple[int, ...], list[int]] = {}
    for cpu in cpus:
        found.setdefault(key(cpu), []).append(cpu)
    return list(found.values())


def _across(groups: list[list[int]]) -> Iterator[Pair]:
    """Yield one pair of each two groups; the members of a group are used one after the other."""
    turn = [0] * len(groups)
    for a, b in combinations(range(len(groups)), 2):
        yield groups[a][turn[a] % len(groups[a])], groups[b][turn[b] % len(groups[b])]
        turn[a] += 1
        turn[b] += 1


def _lonely(cpus: Sequence[int], paired: set[int]) -> Iterator[Pair]:
    """Yield each CPU that has no pair yet with its neighbor. paired: grows while this runs."""
    yield from ((a, b) for a, b in pairwise(cpus) if a not in paired)
    if cpus[-1] not in paired:
        yield cpus[-2], cpus[-1]


def _drawn(cpus: Sequence[int]) -> Iterator[Pair]:
    """Yield pairs without end; some appear repeatedly."""
    draw = random.Random(SEED)  # noqa: S311 (nobody is kept from guessing them)
    while True:
        a, b = draw.sample(cpus, 2)
        yield a, b
