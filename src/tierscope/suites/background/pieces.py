"""The measurements of the probe: latencies of each piece, in the order of time, and the speed of the core meanwhile.

Only blocks in which nothing disturbed the thread are used. Time that the host or a limit takes from the CPU marks
blocks. A disturbance that marks none also slows the additions in registers, and `slower` shows it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tierscope.record.experiment import Experiment
from tierscope.record.result import SIZING, Blocks, Record, Run
from tierscope.stats.median import median
from tierscope.stats.traffic import Piece

FEWEST = 10  # undisturbed blocks of a piece
UNDISTURBED = 0.2  # share of a window's blocks: with fewer, the window is not trusted
FASTEST = 10  # percentile: this share of the pieces had additions as fast or faster


@dataclass(frozen=True, slots=True)
class Window:
    """Some seconds. pieces: () if too few blocks were undisturbed; slower: time of the core over its fastest."""

    begin_s: float
    end_s: float
    pieces: tuple[Piece, ...]
    slower: float
    kept: float  # share of the blocks


def windows_of(run: Run, record: Record, length_s: float, core_s: float | None = None) -> list[Window]:
    """Return the windows of a watch, in the order of time; times begin at its first block.

    core_s: time of an addition in registers when the curve was measured, None if it is not known.
    """
    blocks, hz = run.blocks(record), record.clock.hz
    blocks = blocks[(blocks["flags"] & SIZING) == 0]
    if not blocks.size:
        return []
    probe = _batches(blocks, record.experiment, record.takes, 0)
    additions = _batches(blocks, record.experiment, record.takes, 1)
    first = float(blocks["start_ticks"].min()) / hz
    begins = np.array([one["start_ticks"].min() / hz - first for one in probe])
    speeds = [(one["start_ticks"].min() / hz - first, _middle(one, hz)) for one in additions if _clean(one).size]
    fastest = min(_fastest([time for _, time in speeds]) or 1.0, core_s or math.inf)
    found = []
    for number in range(int(begins.max() // length_s) + 1):
        inside = [one for one, begin in zip(probe, begins, strict=True) if begin // length_s == number]
        now = [time for begin, time in speeds if begin // length_s == number]
        if inside:
            now = now or _nearest(speeds, (number + 0.5) * length_s)
            slower = float(np.median(now)) / fastest if now else 1.0
            found.append(_window(inside, hz, first, slower))
    return found


def _nearest(speeds: Sequence[tuple[float, float]], at_s: float) -> list[float]:
    """Return the time of the additions nearest to a moment, for a window without any; an empty list if none ran."""
    return [min(speeds, key=lambda one: abs(one[0] - at_s))[1]] if speeds else []


def core_s_of(run: Run, record: Record) -> float | None:
    """Return the time of an addition in registers at its fastest; None if no undisturbed block has one."""
    additions = _batches(run.blocks(record), record.experiment, record.takes, 1)
    return _fastest([_middle(one, record.clock.hz) for one in additions if _clean(one).size])


def _fastest(times: Sequence[float]) -> float | None:
    return float(np.percentile(times, FASTEST)) if times else None


def _window(inside: Sequence[Blocks], hz: float, first: float, slower: float) -> Window:
    kept = sum(_clean(one).size for one in inside) / sum(one.size for one in inside)
    pieces = tuple(_piece(one, hz) for one in inside if _clean(one).size >= FEWEST)
    begin, end = (float(end) / hz - first for end in (inside[0]["start_ticks"].min(), inside[-1]["stop_ticks"].max()))
    return Window(begin, end, pieces if kept >= UNDISTURBED else (), slower, kept)


def _batches(blocks: Blocks, experiment: Experiment, ran: Sequence[int], take: int) -> list[Blocks]:
    """Return the blocks of a take's first group, one array per batch; an empty list if the take does not exist."""
    if take >= len(experiment.takes):
        return []
    own = blocks[blocks["group"] == experiment.takes[take][0]]
    found = [own[own["batch"] == batch] for batch, number in enumerate(ran) if number == take]
    return [one for one in found if one.size]


def _clean(blocks: Blocks) -> Blocks:
    return np.asarray(blocks[blocks["flags"] == 0])


def _times(blocks: Blocks, hz: float) -> npt.NDArray[np.float64]:
    """Return the seconds of one operation in each undisturbed block."""
    good = _clean(blocks)
    ticks = (good["stop_ticks"] - good["start_ticks"]).astype(np.float64)
    return np.asarray(ticks / hz / np.maximum(good["operations"], 1))


def _middle(blocks: Blocks, hz: float) -> float:
    return float(np.median(_times(blocks, hz)))


def _piece(blocks: Blocks, hz: float) -> Piece:
    times = _times(blocks, hz)
    found = median(times)
    return Piece(found.middle, float(times.mean()), float(np.log(found.high / found.low)) / 2 if found.low > 0 else 1.0)
