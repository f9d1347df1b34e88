"""The verdict on a pair of CPUs whose truth is known: threads of one core, cores of their own, and cases between.

Each machine is a law of time: how long a thread needs for work while others run. The takes of a moment are laid out as
the core does it, block by block, and judged as a run judges them. A false "share one core" is the worst answer, since
it is stated as the cause of what a user sees.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest

from made import made_facts
from made_machine import made_machine
from tierscope.arrays import Floats
from tierscope.plans import suites
from tierscope.record.result import BLOCK, SIZING, Blocks
from tierscope.run.expected import imagine
from tierscope.stats.judged import judge_record
from tierscope.suites.sharing.verdict import OWN, SHARED, UNKNOWN, sharing_of

HZ = 1e9
BLOCK_S, BATCH_S, ROUNDS = 0.5e-3, 10e-3, 16
MACHINE = made_machine(2)
(EXPERIMENT,) = imagine(suites["sharing"].plan(MACHINE, suites["sharing"].read({})))

Law = Callable[[int, int, Floats, np.random.Generator], Floats]
"""(CPU, how many run, moments in s, draws) -> rate at each moment, of 1 alone."""


@dataclass
class Timeline:
    """The choices of a law for a whole moment: the speed of each CPU on a fine grid of time."""

    step_s: float = 0.05e-3
    now: float = 0.0
    found: list[Blocks] = field(default_factory=list)

    def batch(self, number: int, groups: tuple[int, ...], law: Law, rng: np.random.Generator) -> None:
        """Arrange one batch: blocks of equal work, as long as the law makes them."""
        grid = self.now + np.arange(0, 4 * BATCH_S, self.step_s)
        for group in groups:
            rates = law(group % 2, len(groups), grid, rng)
            done = np.concatenate([[0.0], np.cumsum(rates) * self.step_s])
            count = int(np.interp(self.now + BATCH_S, [*grid, grid[-1] + self.step_s], done) / BLOCK_S)
            work = np.arange(max(count, 1) + 1) * BLOCK_S
            ends = np.interp(work, done, [*grid, grid[-1] + self.step_s]) * np.exp(rng.normal(0, 1e-6, work.size))
            self.found.append(_blocks(group, number, np.maximum.accumulate(ends)))
        self.now += BATCH_S


def _blocks(group: int, batch: int, ends: Floats) -> Blocks:
    blocks = np.zeros(ends.size - 1, dtype=BLOCK)
    blocks["group"], blocks["batch"], blocks["cpu"] = group, batch, group % 2
    blocks["start_ticks"], blocks["stop_ticks"] = np.round(ends[:-1] * HZ), np.round(ends[1:] * HZ)
    blocks["operations"] = 1000
    blocks["flags"][0] = SIZING
    return blocks


def core_of(law: Law, seed: int) -> str:
    """Return the class of the core that one moment of a machine shows."""
    rng, timeline, ran = np.random.default_rng(seed), Timeline(), []
    for number in range(ROUNDS):
        for take in (0, 1, 2, 3) if number % 2 == 0 else (3, 2, 1, 0):
            timeline.batch(len(ran), EXPERIMENT.takes[take], law, rng)
            ran.append(take)
    facts = [made_facts(group) for group in EXPERIMENT.groups]
    blocks = np.concatenate(timeline.found)
    found = judge_record(blocks, HZ, EXPERIMENT, facts, ran, MACHINE.identity.caches)
    return sharing_of(found, EXPERIMENT.schedule).core


def one_core(cpu: int, running: int, grid: Floats, rng: np.random.Generator) -> Floats:
    """Two threads of one core, for good."""
    return np.full(grid.size, 1.0 / running)


def two_cores(cpu: int, running: int, grid: Floats, rng: np.random.Generator) -> Floats:
    return np.ones(grid.size)


def neighbour(last_s: float, share: float, beside: tuple[int, ...]) -> Law:
    """Two cores; a neighbour of the host runs on the sibling of some CPUs, for `last_s` at a time, and pauses."""
    phases: dict[int, float] = {}

    def law(cpu: int, running: int, grid: Floats, rng: np.random.Generator) -> Floats:
        if cpu not in beside:
            return np.ones(grid.size)
        phase = phases.setdefault(cpu, float(rng.uniform(0, last_s / share)))
        return np.where((grid + phase) % (last_s / share) < last_s, 0.5, 1.0)

    return law


def alternate(slice_s: float) -> Law:
    """One CPU of the host runs both alternately, each at full speed while it has it: a cap, or a host that is full."""

    def law(cpu: int, running: int, grid: Floats, rng: np.random.Generator) -> Floats:
        if running == 1:
            return np.ones(grid.size)
        return np.where((grid / slice_s).astype(int) % 2 == cpu, 1.0, 1e-6)

    return law


def second_alone(cpu: int, running: int, grid: Floats, rng: np.random.Generator) -> Floats:
    """The first CPU is slowed whenever the second one runs, which is not slowed itself: no core does that."""
    return np.full(grid.size, 0.5 if running == 2 and cpu == 0 else 1.0)


@pytest.mark.parametrize("seed", range(5))
def test_threads_of_one_core_and_cores_of_their_own_are_found(seed: int) -> None:
    assert core_of(one_core, seed) == SHARED
    assert core_of(two_cores, seed) == OWN


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("last_s", [1e-3, 5e-3, 20e-3, 0.3, 2.0])
@pytest.mark.parametrize("beside", [(0,), (1,), (0, 1)])
def test_a_neighbour_on_a_sibling_is_never_a_core_that_both_share(
    last_s: float, share: float, beside: tuple[int, ...]
) -> None:
    found = [core_of(neighbour(last_s, share, beside), seed) for seed in range(4)]
    assert SHARED not in found


@pytest.mark.parametrize("slice_s", [0.2e-3, 0.5e-3, 1e-3, 3e-3, 6e-3, 25e-3])
def test_a_host_that_alternates_both_never_looks_like_a_shared_core(slice_s: float) -> None:
    """Turns of a block or less slow each block alike: these look as a core does."""
    found = {core_of(alternate(slice_s), seed) for seed in range(4)}
    assert SHARED not in found or slice_s <= BLOCK_S


def test_one_cpu_that_is_slowed_alone_shares_no_core() -> None:
    assert core_of(second_alone, 1) == UNKNOWN
