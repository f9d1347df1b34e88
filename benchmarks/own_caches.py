"""Error of a simulated machine, configured from measurements, in predicting this machine's latency staircase.

    python benchmarks/own_caches.py [RUN] [--pages thp] [--per-octave 8] [--keep DIR]

Measures a staircase (or takes RUN, a `tierscope run latency`), makes a simulated machine as `tierscope preset` does
from every other footprint, runs the same suite on it, and compares at the footprints in between:

    off = simulated / measured - 1     [1]

Footprints that have no measured median are listed and counted, not compared; those in a knee count like any other.
Exit status 1: the worst |off| above 10 %. The load average shows how quiet the machine was.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from tierscope.record.result import load
from tierscope.simulated.measured import from_rows
from tierscope.simulated.preset import text
from tierscope.suites.latency.levels import latency_levels
from tierscope.suites.latency.row import LatencyRow
from tierscope.suites.latency.table import Latency
from tierscope.units import show_bytes

ASKED = 0.1


def measure(words: list[str], out: Path) -> None:
    command = [sys.executable, "-c", "import sys; from tierscope.cli.entry import main; sys.exit(main())"]
    subprocess.run([*command, "run", "latency", *words, "--out", str(out), "--quiet"], check=True)


def curve(directory: Path) -> tuple[list[LatencyRow], list[LatencyRow]]:
    """Return the staircase with the largest pages, and its footprints without a median."""
    rows = Latency().rows(load(directory))
    found = next(iter(latency_levels(rows).values()))
    lost = [row for row in rows if row.pages == found.pages and row.latency is None]
    return list(found.rows), lost


def compare(rows: list[LatencyRow], simulated: list[LatencyRow], used: set[int]) -> list[float]:
    known = {row.footprint_bytes: row.latency.middle for row in simulated if row.latency}
    offs = []
    print(f"{'footprint':>12} {'measured':>12} {'simulated':>12} {'off':>8}")
    for row in rows:
        size, seen = row.footprint_bytes, row.latency.middle if row.latency else 0.0
        told = known.get(size)
        off = told / seen - 1 if told else None
        mark = "configured" if size in used else ""
        said = "not simulated" if off is None or told is None else f"{told * 1e9:9.2f} ns {100 * off:+7.1f} %"
        print(f"{show_bytes(size):>12} {seen * 1e9:9.2f} ns {said} {mark}")
        if size not in used and off is not None:
            offs.append(abs(off))
    return offs


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("run", nargs="?", type=Path)
    parser.add_argument("--pages", default="thp")
    parser.add_argument("--per-octave", type=int, default=8)
    parser.add_argument("--keep", type=Path, help="where runs and preset stay")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        words = [f"pages={asked.pages}", f"per_octave={asked.per_octave}"]
        load_before = os.getloadavg()[0]
        if asked.run is None:
            measure(words, folder / "measured")
        load_after = os.getloadavg()[0]
        directory = asked.run or folder / "measured"
        rows, lost = curve(directory)
        configuring = rows[::2]
        machine = load(directory).result.machine
        file = folder / "measured.toml"
        file.write_text(text(from_rows(configuring, machine, "measured", directory.name)))
        ends = [f"from={rows[0].footprint_bytes}B", f"to={rows[-1].footprint_bytes}B"]
        measure([f"target=sim:{file}", *words, *ends], folder / "simulated")
        offs = compare(rows, curve(folder / "simulated")[0], {row.footprint_bytes for row in configuring})
    for row in lost:
        print(f"{show_bytes(row.footprint_bytes):>12} not measured: {'; '.join(row.reasons)}")
    if asked.run is None:
        print(f"load average {load_before:.1f} before, {load_after:.1f} after")
    good = sum(off <= ASKED for off in offs)
    print(f"{len(offs)} footprints that were not used: {good} within {100 * ASKED:.0f} %,")
    print(f"median {100 * median(offs):.1f} %, worst {100 * max(offs):.1f} %; {len(lost)} could not be measured")
    return int(max(offs) > ASKED)


if __name__ == "__main__":
    sys.exit(main())
