"""The part of a program that both simulators time, and what warms their caches before it.

A program is traced for MOST instructions. TIMED of them are timed from three quarters on, behind the set-up of a
kernel. The WARM instructions before them only change caches, translations and predictors.
"""

import os
import subprocess
from dataclasses import dataclass

import numpy as np

from independent.stream import Trace, read
from tierscope.errors import MachineError
from tierscope.simulated.tracer import traced_words

MOST, WARM, TIMED = 20_000_000, 1_500_000, 50_000  # instructions
REST = 10**15  # instructions: the rest of any program stays untraced


@dataclass(frozen=True, eq=False)
class Part:
    """Instructions that warm caches, and behind them those that are timed."""

    trace: Trace  # both
    warm_blocks: int  # blocks that ran before the first timed one
    warm_instructions: int
    timed_instructions: int


def traced(command: list[str]) -> Trace:
    """Return the first MOST instructions of a program; MachineError if it fails."""
    reading, writing = os.pipe()
    try:
        words = traced_words(command, writing, f"all={MOST},skip={REST},warm=0,unit=1")
        program = subprocess.Popen(words, pass_fds=(writing,), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    except BaseException:
        os.close(reading)
        raise
    finally:
        os.close(writing)
    try:
        with os.fdopen(reading, "rb") as stream:
            found = read(stream)
    except BaseException:
        program.kill()
        program.wait()
        raise
    if status := program.wait():
        raise MachineError(f"{command[0]} ended with status {status} in the tracer")
    return found


def part_of(trace: Trace, warm: int = WARM, timed: int = TIMED) -> Part:
    """Return the part that is timed, and up to `warm` instructions before it, in whole blocks."""
    starts = trace.starts()
    sizes = trace.sizes()[trace.numbers(starts)]
    begins = np.cumsum(sizes) - sizes  # instructions before each block that ran
    total = int(begins[-1] + sizes[-1])
    middle = min(int(np.searchsorted(begins, total * 3 // 4)), begins.size - 1)
    first = int(np.searchsorted(begins, begins[middle] - warm))
    last = int(np.searchsorted(begins, begins[middle] + timed))
    places, edges = np.append(starts, trace.events.size), np.append(begins, total)
    return Part(
        trace.part(int(places[first]), int(places[last])), middle - first,
        int(edges[middle] - edges[first]), int(edges[last] - edges[middle]),
    )  # fmt: skip
