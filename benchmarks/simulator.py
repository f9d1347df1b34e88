"""Speed of the simulator: its caches in accesses/s of one core against Valgrind's cachegrind, on the same streams;
and its persistent-memory DIMM in lines/s.

    python benchmarks/simulator.py [--rounds 5] [--levels 3]

Both simulate a first level of 32 KiB in 8 ways and a last one of 32 MiB in 16 ways, of 64-byte lines; `--levels 3`
puts 1 MiB in 16 ways between ours. Streams: loads of 8 bytes one after the other or at random in footprints of 2^n
bytes, and every load and store of a `sort` of random lines, as Valgrind's lackey lists them. Each run of cachegrind
has one of ours next to it, before it in one round and after it in the next. The ratio is taken within the pair; the
interval is the range over the rounds. Times are CPU seconds. The time of cachegrind on the same program without work is
subtracted. The rest still includes the simulation of instructions and the program's own run, which any user of
cachegrind pays: the column `all` counts instruction fetches as accesses, too. Ours counts as cachegrind does, by lists
of touches, and includes the making of the stream, which the sort has in memory. The column `timed` is ours with a time
for each access, which cachegrind does not compute. The DIMM is that of the preset optane100, asked for lines without
caches: reads that wait for each other, writes with eight in flight, and 512 of either in flight. Exit status 1: below
5x, or below 20 million lines/s.
"""

import argparse
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from array import array
from collections.abc import Sequence
from pathlib import Path

from compiled import CORE, TOML, compiled

PROGRAMS = {
    "hierarchy": ["simulate/caches.cpp", "simulate/level.cpp", "simulate/touches.cpp", *TOML],
    "dimm": ["simulate/dimm.cpp", "simulate/media.cpp", "simulate/interleave.cpp", *TOML],
}
CACHEGRIND = ["valgrind", "--tool=cachegrind", "--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64"]
ASKED = 5.0  # times cachegrind
LINES_PER_S = 20e6
STREAMS = {
    "sequential, 16 KiB": ("s", 40_000_000, 1 << 14),
    "sequential, 64 MiB": ("s", 40_000_000, 1 << 26),
    "random, 16 KiB": ("r", 20_000_000, 1 << 14),
    "random, 1 MiB": ("r", 20_000_000, 1 << 20),
    "random, 64 MiB": ("r", 10_000_000, 1 << 26),
}
LINES_SORTED = 30_000
STORE = 32  # core/simulate/touch.hpp
DIMM_STREAMS = {
    f"{order}, {size}, {what}": (f"{order[0]}{letters}", footprint)
    for size, footprint in {"1 MiB": 1 << 20, "1 GiB": 1 << 30}.items()
    for order in ("sequential", "random")
    for what, letters in {
        "a read": "r1",
        "8 writes": "w8",
        "512 reads": "rm",
        "512 writes": "wm",
    }.items()
}


def cache(name: str, size: str, ways: int, nanoseconds: int) -> str:
    return f'[[cache]]\nname = "{name}"\nsize = "{size}"\nways = {ways}\nlatency = "{nanoseconds}ns"\n'


def build(folder: Path, levels: int) -> None:
    compiled(folder, "walk")
    for program, sources in PROGRAMS.items():
        compiled(folder, program, sources)
    middle = cache("L2", "1MiB", 16, 4) if levels == 3 else ""
    (folder / "caches.toml").write_text(cache("L1d", "32KiB", 8, 1) + middle + cache("LL", "32MiB", 16, 20))


def cachegrind(command: list[str]) -> tuple[float, int, int]:
    """Return CPU seconds, data accesses, all accesses."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    options = ["--LL=33554432,16,64", "--cachegrind-out-file=/dev/null"]
    done = subprocess.run([*CACHEGRIND, *options, *command], capture_output=True, text=True, check=True)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    data, instructions = (
        int(match.group(1).replace(",", "")) if (match := re.search(rf"{word}\s+refs:\s+([\d,]+)", done.stderr)) else 0
        for word in ("D", "I ")
    )
    return seconds, data, data + instructions


def ours(folder: Path, words: list[str]) -> float:
    """Return accesses per CPU second."""
    return rate_of([folder / "hierarchy", folder / "caches.toml", *words])


def rate_of(command: Sequence[str | Path]) -> float:
    count, seconds, _ = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return int(count) / float(seconds)


def dimm(folder: Path, rounds: int) -> float:
    """Print a table; return the lowest rate."""
    preset = (CORE / "simulate/presets/optane100.toml").read_text()
    (folder / "dimm.toml").write_text(preset[preset.index("[memory.pmem]") : preset.index("[memory.dram]")])
    print("\nmillion lines/s:               median [range]")
    lowest = []
    for title, (letters, footprint) in DIMM_STREAMS.items():
        command: list[str | Path] = [folder / "dimm", folder / "dimm.toml", letters, "4000000", str(footprint)]
        rates = [rate_of(command) / 1e6 for _ in range(rounds)]
        lowest.append(statistics.median(rates))
        print(f"{title:28} {lowest[-1]:8.1f} [{min(rates):.1f}, {max(rates):.1f}]", flush=True)
    return min(lowest) * 1e6


def traced(folder: Path) -> tuple[list[str], list[str], list[str]]:
    """Return the command of a real program, the same without work, and the arguments that replay its accesses."""
    draw = random.Random(1995)
    (folder / "lines").write_text("".join(f"{draw.random()}\n" for _ in range(LINES_SORTED)))
    (folder / "none").write_text("")
    sort = ["env", "LC_ALL=C", "sort", "--parallel=1"]
    lackey = ["valgrind", "--tool=lackey", "--trace-mem=yes", "--trace-children=no", f"--log-file={folder / 'log'}"]
    subprocess.run(["env", "LC_ALL=C", *lackey, *sort[2:], folder / "lines"], capture_output=True, check=True)
    words = array("Q")
    with (folder / "log").open() as log:
        for line in log:
            if line[:3] in {" L ", " S ", " M "}:
                address = int(line[3:].split(",")[0], 16)
                words.append(address & ~63 | (0 if line[1] == "L" else STORE))
    (folder / "log").unlink()
    (folder / "trace").write_bytes(words.tobytes())
    return [*sort[2:], str(folder / "lines")], [*sort[2:], str(folder / "none")], ["trace", str(folder / "trace")]


def compare(name: str, folder: Path, theirs: list[str], idle: list[str], words: list[str], rounds: int) -> float:
    """Print one line of the table; return the ratio over data accesses."""
    rates, ratios, with_fetches = [], [], []
    base, base_data, base_all = cachegrind(idle)
    for turn in range(rounds):
        first = ours(folder, words) if turn % 2 == 0 else 0.0
        seconds, data, everything = cachegrind(theirs)
        rate = first or ours(folder, words)
        seconds = max(seconds - base, 1e-3)
        rates.append((rate, (data - base_data) / seconds))
        ratios.append(rates[-1][0] / rates[-1][1])
        with_fetches.append(rate / ((everything - base_all) / seconds))
    mine, other = (statistics.median(side) for side in zip(*rates, strict=True))
    ratio = statistics.median(ratios)
    print(
        f"{name:20} {mine / 1e6:8.1f} {other / 1e6:10.1f} {ratio:7.2f} [{min(ratios):.2f}, {max(ratios):.2f}]"
        f" {statistics.median(with_fetches):7.2f} {ours(folder, [*words, 'time']) / 1e6:9.1f}",
        flush=True,
    )
    return ratio


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--levels", type=int, choices=(2, 3), default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build(folder, options.levels)
        print("million accesses/s:      ours cachegrind   ratio [range]        all     timed")
        worst = []
        for title, (kind, count, footprint) in STREAMS.items():
            walk = [str(folder / "walk"), kind]
            theirs, idle = [*walk, str(count), str(footprint)], [*walk, "1", str(footprint)]
            worst.append(compare(title, folder, theirs, idle, theirs[1:], options.rounds))
        theirs, idle, words = traced(folder)
        worst.append(compare(f"a sort of {LINES_SORTED} lines", folder, theirs, idle, words, options.rounds))
        lines = dimm(folder, options.rounds)
    return 0 if min(worst) >= ASKED and lines >= LINES_PER_S else 1


if __name__ == "__main__":
    sys.exit(main())
