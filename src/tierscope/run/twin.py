"""The simulated machine that stands for this one: its caches, and which of its CPUs stands for which one here.

Caches are those that the system reports (sizes, ways, who shares them). CPUs are those of the teams alone. Each is in
one cache of every level; with d = its place among those in the same larger cache (of the largest level: among all), and
r = the most such places of that level,

    number = ((d_L3 * r_L2 + d_L2) * r_L1 + d_L1) * r_CPU + d_CPU,    CPUs that share an L2 = r_L1 * r_CPU, and so on

so that those who share a cache here do so there: simulated caches are shared by equally many CPUs with numbers side by
side. Where the real ones are not, some numbers stay empty.
Blind to: cores of several kinds: all CPUs have the caches of the first.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tierscope.record.machine import Cache, Machine
from tierscope.units import word_bytes

NAMES = {1: "L1d", 2: "L2", 3: "L3", 4: "L4"}
LATENCIES_NS = {
    1: 1.5,
    2: 5.0,
    3: 20.0,
    4: 40.0,
}  # guesses: they order the accesses of threads, counts hardly feel them


@dataclass(frozen=True)
class Twin:
    """word: behind `sim:`. cpus: the number there of each CPU here."""

    word: str
    cpus: Mapping[int, int]


def twin_of(machine: Machine, cpus: Iterable[int]) -> Twin | None:
    """Return the twin for the CPUs of all teams; None where the system reports no caches of the first of them."""
    used = list(dict.fromkeys(cpus))
    reported = [cache for cache in machine.identity.caches if cache.kind != "Instruction"]
    caches = sorted((one for one in reported if used[0] in one.cpus), key=lambda cache: -cache.level)
    if not caches:
        return None
    numbers, radix = _numbered({cpu: (*(_place(reported, one.level, cpu) for one in caches), cpu) for cpu in used})
    words = ["flat", f"cpu.count={math.prod(radix)}", "memory.flat.size=1024GiB"]
    for number, cache in enumerate(reversed(caches)):
        shared = math.prod(radix[len(caches) - number :])
        words += [f"cache.{number}.{word}" for word in _cache(cache, shared)]
    return Twin(",".join(words), numbers)


def _place(reported: Iterable[Cache], level: int, cpu: int) -> tuple[int, ...]:
    """Return the CPUs that share this CPU's cache of that level; the CPU alone where none is reported."""
    return next((one.cpus for one in reported if one.level == level and cpu in one.cpus), (cpu,))


def _numbered(chains: Mapping[int, tuple[object, ...]]) -> tuple[dict[int, int], list[int]]:
    """Return numbers, and r of each level. chains: what each CPU is in, the largest cache first, itself last."""
    digits: dict[int, list[int]] = {cpu: [] for cpu in chains}
    seen: dict[tuple[object, ...], dict[object, int]] = {}
    for cpu, chain in chains.items():
        for level, place in enumerate(chain):
            siblings = seen.setdefault(chain[:level], {})
            digits[cpu].append(siblings.setdefault(place, len(siblings)))
    radix = [1 + max(of) for of in zip(*digits.values(), strict=True)]
    steps = [math.prod(radix[level + 1 :]) for level in range(len(radix))]
    return {cpu: sum(d * step for d, step in zip(of, steps, strict=True)) for cpu, of in digits.items()}, radix


def _cache(cache: Cache, shared: int) -> tuple[str, ...]:
    return (
        f"name={NAMES.get(cache.level, f'L{cache.level}')}",
        f"size={word_bytes(cache.size_bytes)}",
        f"ways={cache.ways}",
        f"latency={LATENCIES_NS.get(cache.level, 60.0):g}ns",
        f"shared={shared}",
    )
