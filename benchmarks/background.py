"""Does `run background` find the traffic of a program that states its own rate?

    python benchmarks/background.py [--rounds 3] [--curve RUN] [--duration 4]

A neighbour runs a kernel of ours on another CPU in a process of its own, at a pace, and reports its bytes. The probe
has no information about it. Rounds alternate between no neighbour, a slow and a fast one. The curve is measured once
before, or taken from a run. Each answer is judged: CONTAINS the true traffic, WIDE (contains it and is not known or
open), or WRONG.
"""

import argparse
import math
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np

from tierscope import core
from tierscope.cli.main import main as tierscope
from tierscope.record.experiment import Group, Target, Team, Workload
from tierscope.record.result import SIZING, load
from tierscope.record.work.line import LineWork
from tierscope.run.planned import this_machine
from tierscope.suites.background.row import BackgroundRow
from tierscope.tables import tables
from tierscope.units import MiB

STATES = (("none", 0), ("read", 1000), ("read", 0), ("write_nt", 1000), ("write_nt", 0))


class Neighbour(threading.Thread):
    """Runs a kernel until it is stopped. bytes_per_s: what it moved, including the time in which it was preempted."""

    def __init__(self, kernel: str, pace: int, cpu: int) -> None:
        super().__init__(daemon=True)
        work = Workload(kernel=kernel, footprint_bytes=256 * MiB, work=LineWork(streams=4), pace_cycles=pace)
        self._group = Group(workload=work, target=Target(), team=Team(cpus=(cpu,)))
        self.ready, self.done, self.rates = threading.Event(), threading.Event(), list[float]()

    def run(self) -> None:
        with core.Session() as session:
            (facts,) = session.prepare([self._group])
            self.ready.set()
            while not self.done.is_set():
                blocks = session.measure(0.25, 1e-3)
                blocks = blocks[(blocks["flags"] & SIZING) == 0]
                span = (int(blocks["stop_ticks"].max()) - int(blocks["start_ticks"].min())) / session.clock.hz
                self.rates.append(float(blocks["operations"].sum()) * (facts.bus_bytes_per_operation or 0) / span)


def watched(folder: Path, name: str, *words: str) -> BackgroundRow:
    """Return the row of all windows of one run of the suite."""
    status = tierscope(["run", "background", *words, "--out", str(folder / name), "--quiet"])
    if status:
        raise SystemExit(f"tierscope run background ended with status {status}")
    row: BackgroundRow = tables["background"].rows(load(folder / name))[0]
    return row


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--rounds", type=int, default=3)
    words.add_argument("--duration", type=float, default=4.0)
    words.add_argument("--curve", type=Path)
    asked = words.parse_args()
    cpu = this_machine(None).cpus()[-1]
    with tempfile.TemporaryDirectory() as name:
        folder, curve = Path(name), asked.curve
        if curve is None:
            curve = folder / "curve"
            watched(folder, "curve", f"duration={asked.duration}s")
        wrong = 0
        print("| neighbour | its bytes on the bus, GB/s | answer, GB/s | state | verdict |")
        print("| --- | --- | --- | --- | --- |")
        for turn in range(asked.rounds):
            for kernel, pace in STATES:
                wrong += judged(folder, curve, f"{turn}-{kernel}-{pace}", kernel, pace, cpu, asked.duration)
    return 1 if wrong else 0


def judged(folder: Path, curve: Path, name: str, kernel: str, pace: int, cpu: int, seconds: float) -> bool:
    """Print one line; return whether the answer is wrong."""
    neighbour = None if kernel == "none" else Neighbour(kernel, pace, cpu)
    if neighbour:
        neighbour.start()
        neighbour.ready.wait()
    row = watched(folder, name, f"curve={curve}", f"duration={seconds}s")
    if neighbour:
        neighbour.done.set()
        neighbour.join()
    truth = float(np.mean(neighbour.rates)) if neighbour else 0.0
    found = row.traffic
    low, high = (found.low, found.high) if found else (0.0, math.inf)
    wrong = not low <= truth <= high
    verdict = "WRONG" if wrong else "WIDE" if math.isinf(high) else "CONTAINS"
    shown = f"{low / 1e9:.1f} to {high / 1e9:.1f}"
    why = "; ".join(row.reasons)
    print(f"| {kernel}, pace {pace} | {truth / 1e9:.1f} | {shown} | {row.state} {why} | {verdict} |")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
