"""Cycles of one part of a program on ChampSim and on ours, each with a near and with a far memory."""

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from independent.machine import CYCLE_NS, FAR_CYCLES, NEAR_CYCLES, ours
from tierscope import core
from tierscope.errors import MachineError, UsageError
from tierscope.simulated.replay import read_all
from tierscope.simulated.trace import words_of

LIMIT_S = 7200.0  # of one run of ChampSim


@dataclass(frozen=True)
class Cycles:
    """The same part of a program, on two memories."""

    near: float
    far: float

    @property
    def serialised(self) -> float:
        """Return the misses that wait for one another: cycles added, for each cycle that the memory is slower.

        A miss that something else hides adds nothing, and n that overlap add as much as one. So the number needs no
        internals of a simulator.
        Source: G. Keramidas, V. Spiliopoulos, S. Kaxiras, "Interval-Based Models for Run-Time DVFS Orchestration in
        SuperScalar Processors", Computing Frontiers 2010 (leading loads: of overlapping misses, the first one counts).
        """
        return (self.far - self.near) / (FAR_CYCLES - NEAR_CYCLES)


def champsim(programs: tuple[Path, Path], trace: Path, warm: int, timed: int) -> Cycles:
    """Return what both programs of ChampSim (near, far) make of a trace: `warm` records, then `timed` ones."""
    with ThreadPoolExecutor() as both:
        near, far = both.map(lambda which: _phase(programs[which], which, trace, warm, timed), range(2))
    return Cycles(near["cycles"], far["cycles"])


def _phase(program: Path, which: int, trace: Path, warm: int, timed: int) -> dict[str, float]:
    """Return the counts of the timed part."""
    answer = trace.with_suffix(f".{which}.json")
    answer.unlink(missing_ok=True)
    words = [program, "--hide-heartbeat", "-w", str(warm), "-i", str(timed), "--json", answer, trace]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        raise UsageError(f"{program.name} takes longer than {LIMIT_S:.0f} s for {trace.name}; take less") from None
    except OSError as error:
        raise UsageError(f"{program} cannot be started ({error}); name a ChampSim that was built") from error
    if done.returncode or not answer.is_file():
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()] or ["no message"]
        raise MachineError(f"{program.name} ended with status {done.returncode}: {lines[-1]}")
    try:
        found = json.loads(answer.read_text())[0]["roi"]["cores"][0]
        return {key: found[key] for key in ("cycles", "instructions")}
    except (ValueError, LookupError, TypeError) as error:
        raise MachineError(f"{program.name} answers as another version would ({error}); build 2ff25011") from error


def tierscope(stream: Path, folder: Path) -> Cycles:
    """Return what both of our machines make of a stream whose last part is timed."""
    files = []
    for name, cycles in (("near", NEAR_CYCLES), ("far", FAR_CYCLES)):
        files.append(folder / f"{name}.toml")
        files[-1].write_text(ours(cycles))
    with stream.open("rb") as opened:
        near, far = read_all(core.trace(words_of(list(map(str, files))), opened.fileno()))
    return Cycles(*(one.parts[-1][2] * 1e9 / CYCLE_NS for one in (near, far)))
