"""The simulated machine of a second pass: who shares a cache here shares one there, in numbers that its words allow."""

from itertools import combinations

import msgspec
import pytest

from made_machine import made_machine, made_server
from tierscope.record.machine import Cache, Machine
from tierscope.run.twin import Twin, twin_of
from tierscope.units import KiB, MiB

SIZES = {1: 32 * KiB, 2: MiB, 3: 32 * MiB}


def with_caches(shared: dict[int, list[tuple[int, ...]]]) -> Machine:
    """A machine with caches of each level for those sets of CPUs."""
    caches = tuple(
        Cache(level=level, kind="Unified", size_bytes=SIZES[level], ways=16, line_bytes=64, cpus=cpus)
        for level, sets in shared.items()
        for cpus in sets
    )
    machine = made_machine()
    return msgspec.structs.replace(machine, identity=msgspec.structs.replace(machine.identity, caches=caches))


def values(twin: Twin) -> dict[str, str]:
    return dict(word.split("=") for word in twin.word.split(",")[1:])


SMT = {1: [(n, n + 40) for n in range(40)], 3: [tuple(range(20)) + tuple(range(40, 60)),
                                                tuple(range(20, 40)) + tuple(range(60, 80))]}  # fmt: skip
TWENTY = {1: [(n,) for n in range(20)], 3: [tuple(range(16)), tuple(range(16, 20))]}
PAIRS = {1: [(n,) for n in range(6)], 2: [(0, 3), (1, 4), (2,), (5,)], 3: [(0, 1, 2, 3, 4), (5,)]}


@pytest.mark.parametrize(
    ("shared", "cpus"),
    [
        (SMT, (0, 1, 40)), (SMT, (0, 20)), (SMT, tuple(range(80))), (SMT, (41, 40, 1, 0, 21)),
        (TWENTY, tuple(range(20))), (TWENTY, (19, 3)), (PAIRS, tuple(range(6))), (PAIRS, (5, 4, 1)),
    ],
)  # fmt: skip
def test_cpus_that_share_a_cache_here_share_one_there(
    shared: dict[int, list[tuple[int, ...]]], cpus: tuple[int, ...]
) -> None:
    twin = twin_of(with_caches(shared), cpus)
    assert twin
    said = values(twin)
    count = int(said["cpu.count"])
    assert sorted(twin.cpus) == sorted(cpus)
    assert len(set(twin.cpus.values())) == len(cpus)
    assert max(twin.cpus.values()) < count
    last = 1
    for number, level in enumerate(sorted(shared)):
        width = int(said[f"cache.{number}.shared"])
        assert count % width == 0
        assert width % last == 0  # the simulator asks for both
        last = width
        for one, other in combinations(cpus, 2):
            here = any(one in those and other in those for those in shared[level])
            assert (twin.cpus[one] // width == twin.cpus[other] // width) == here, (level, one, other)


def test_a_twin_has_the_caches_of_the_first_cpu() -> None:
    twin = twin_of(made_machine(4), (1, 2))
    assert twin
    assert [values(twin)[f"cache.{number}.name"] for number in range(3)] == ["L1d", "L2", "L3"]
    assert "cache.3.name" not in values(twin)
    assert values(twin)["cache.0.size"] == "48KiB"
    assert values(twin)["cache.2.shared"] == "2"


def test_without_caches_there_is_no_twin() -> None:
    assert twin_of(made_server(caches=0), (0, 1)) is None
    assert twin_of(with_caches({1: [(0,)]}), (1,)) is None
