"""Programs that disturb a run: they compute, or copy memory, without end or in pulses."""

import multiprocessing
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from covering.load import cpu_seconds

Work = Callable[[float], None]

COPIED_BYTES = 256 << 20  # beyond the caches of any machine
SLICE_S = 0.05  # between two looks at the clock of a program
PULSE_S = (0.1, 2.0)
QUIET = "quiet"


def compute(until: float) -> None:
    """Use a CPU and nothing else."""
    value = 1
    while time.monotonic() < until:
        for _ in range(10_000):
            value = (value * 6364136223846793005 + 1442695040888963407) % 2**64


class Copy:
    """Copy memory. The arrays are made by the program that copies."""

    def __init__(self) -> None:
        self._arrays: tuple[np.ndarray, np.ndarray] | None = None

    def __call__(self, until: float) -> None:
        if self._arrays is None:
            self._arrays = (np.ones(COPIED_BYTES, dtype=np.uint8), np.ones(COPIED_BYTES, dtype=np.uint8))
        while time.monotonic() < until:
            np.copyto(*self._arrays)


def endless(work: Work) -> None:
    """Work without a pause."""
    while True:
        work(time.monotonic() + SLICE_S)


def pulses(work: Work, seed: int) -> None:
    """Rest and work, each for a random time."""
    dice = random.Random(seed)
    while True:
        time.sleep(dice.uniform(*PULSE_S))
        work(time.monotonic() + dice.uniform(*PULSE_S))


STATES: dict[str, list[tuple[Callable[..., None], tuple[object, ...]]]] = {
    QUIET: [],
    "cpu-2": [(endless, (compute,))] * 2,
    "cpu-4": [(endless, (compute,))] * 4,
    "memory-1": [(endless, (Copy(),))],
    "memory-2": [(endless, (Copy(),))] * 2,
    "pulses": [(pulses, (compute, 1)), (pulses, (compute, 2)), (pulses, (Copy(), 3)), (pulses, (Copy(), 4))],
}


def plan(rounds: int, states: list[str]) -> list[tuple[int, str]]:
    """Return the round and the state of each run, in order."""
    return [(number, state) for number in range(rounds) for state in (states if number % 2 == 0 else states[::-1])]


def uses_memory(state: str) -> bool:
    """Return whether a program of this state copies memory."""
    return any(isinstance(one, Copy) for _, args in STATES[state] for one in args)


@contextmanager
def beside(state: str) -> Iterator[Callable[[], float]]:
    """Start the programs of a state; they run when the block is entered. Yield how many CPU seconds they have used."""
    programs = [multiprocessing.Process(target=target, args=args, daemon=True) for target, args in STATES[state]]
    for program in programs:
        program.start()
    time.sleep(1.0 if programs else 0.0)
    try:
        yield lambda: sum(cpu_seconds(program.pid) for program in programs)
    finally:
        for program in programs:
            program.kill()
            program.join()
