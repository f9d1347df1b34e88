"""The simulated optane100 against published figures of one and six DIMMs, by kind, in two halves and two last parts.

    python benchmarks/optane.py                      errors of the half that may be used for fitting
    python benchmarks/optane.py --half held-out      of the other half
    python benchmarks/optane.py --half looked-at     of groups that no fit has met, but someone looked at
    python benchmarks/optane.py --half untouched     of groups that nobody looked at
    python benchmarks/optane.py --list               which curve is in which half
    python benchmarks/optane.py --rows --set memory.pmem.accept=100ns

A curve is what a table states of one pattern, kind and access size: its rows differ in threads only. All rows of a
curve are in one half. In each group of curves, those of one table, pattern and kind, the SHA-256 of the words of a
curve sorts them, and every other one is for fitting. So nobody chose the halves. In `optane100_fence_interval` and
`optane100_persist_latency`, each row of one column counts as a curve. No row of ADDED and UNTOUCHED is for fitting. The
SHA-256 also sorts the groups of UNTOUCHED, those of gaps and those of mixed ones by themselves. Every other group, from
the first on, was looked at for decision 0105. The tables of mixed reads and writes state neither pattern nor size nor
store. Non-temporal stores to six DIMMs are simulated, random accesses of 64 B for `mixed_threads` and sequential ones
of 256 B for `mixed_ratio`.

The error of a row is |simulated / published - 1|. Rows of 24 threads are left out: thread 24 of the published runs was
on CPU 24, the first one of the other package.
"""

import argparse
import hashlib
import itertools
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from compiled import CORE, TOML, compiled

from tierscope.reference import load

PARTS = (
    "dimm media dram flat cxl interleave machine caches level touches tlb noise units replace_lru replace_clock "
    "replace_fifo replace_random"
).split()
SOURCES = (*(f"simulate/{part}.cpp" for part in PARTS), *TOML)
SIX = ["memory.pmem.ways=6", "memory.pmem.grain=4KiB"]
LEFT_OUT = ["bandwidth_interleaved sequential read 2048"]  # had its place in the order; its runs waited for each read
SINGLE = ["cpu.loads=12"]  # fill buffers; more reads overlap only where one turn of the published loop has several
ADDED = ("fence_threads",)  # when the model of decision 0082 was final
UNTOUCHED = ("bandwidth_strided", "mixed_threads", "mixed_ratio")  # when that of decision 0103 was final
HALVES = ("fitting", "held-out", "both", "looked-at", "untouched")
CORES = 23  # CPU 1 to 23 of the published package, which counts from 0


@dataclass(frozen=True)
class Figure:
    """One published number, and how to simulate it."""

    dimms: int
    pattern: str
    kind: str
    access_bytes: int
    threads: int
    published: float  # GB/s
    table: str
    fence_bytes: int = 0
    flush: str = "each"

    @property
    def group(self) -> tuple[str, str, str]:
        if self.table == "bandwidth_strided":
            return self.table, f"{self.dimms}", self.kind
        return (
            self.table,
            self.pattern.replace("same", "random"),
            f"{self.kind.split(':')[0]}{' at end' if self.flush == 'end' else ''}",
        )

    @property
    def curve(self) -> str:
        gap = [self.pattern] if self.pattern.isdigit() else self.kind.split(":")[1:]
        return " ".join([*self.group, str(self.access_bytes if self.fence_bytes == 0 else self.fence_bytes), *gap])


def rows_of(table: str) -> Iterator[dict[str, str]]:
    columns = load(f"optane100_{table}").columns
    for values in zip(*columns.values(), strict=True):
        yield dict(zip(columns, map(str, values), strict=True))


def figures() -> Iterator[Figure]:
    for table, dimms in (("bandwidth", 1), ("bandwidth_interleaved", 6)):
        for row in rows_of(table):
            size, threads = int(row["access_bytes"]), int(row["threads"])
            if threads <= CORES:
                yield Figure(dimms, row["pattern"], row["kind"], size, threads, float(row["bandwidth_gb_s"]), table)
    columns = {
        "clwb_each_line": ("store_clwb", "each"),
        "clwb_at_end": ("store_clwb", "end"),
        "nt_write": ("nt_write", "each"),
    }
    for row in rows_of("fence_interval"):
        size = int(row["interval_bytes"])
        for column, (kind, flush) in columns.items():
            rate = float(row[f"{column}_gb_s"])
            yield Figure(1, "sequential", kind, size, 1, rate, "fence_interval", size, flush)
    for row in rows_of("fence_threads"):
        size, threads = int(row["fence_bytes"]), int(row["threads"])
        yield Figure(
            1, "sequential", "store_clwb", 4 << 20, threads, float(row["bandwidth_gb_s"]), "fence_threads", size
        )
    for row in rows_of("persist_latency"):
        size = int(row["access_bytes"])
        for kind in ("nt_write", "store_clwb"):
            rate = size / float(row[f"{kind}_ns"])
            yield Figure(6, "same", kind, size, 1, rate, "persist_latency", size)
    yield from untouched()


def untouched() -> Iterator[Figure]:
    """Return the figures of the tables that no fit has met."""
    for row in rows_of("bandwidth_strided"):
        dimms, size, threads = int(row["dimms"]), int(row["access_bytes"]), int(row["threads"])
        rate = float(row["bandwidth_gb_s"])
        yield Figure(dimms, row["stride_bytes"], row["kind"], size, threads, rate, "bandwidth_strided")
    for row in rows_of("mixed_threads"):
        rate, readers = float(row["bandwidth_gb_s"]), int(row["readers"])
        threads = readers + int(row["writers"])
        yield Figure(6, "random", f"readers:{readers}", 64, threads, rate, "mixed_threads")
    for row in rows_of("mixed_ratio"):
        rate, ratio = float(row["bandwidth_gb_s"]), f"ratio:{row['reads']}:{row['writes']}"
        yield Figure(6, "sequential", ratio, 256, int(row["threads"]), rate, "mixed_ratio")


def halves(all_figures: Iterable[Figure]) -> dict[str, bool]:
    """Return for each curve whether it may be used for fitting."""
    groups: dict[str, set[str]] = {}
    for curve in [*LEFT_OUT, *(figure.curve for figure in all_figures)]:
        groups.setdefault(curve.rpartition(" ")[0], set()).add(curve)
    chosen = {}
    for curves in groups.values():
        for number, curve in enumerate(sorted(curves, key=lambda words: hashlib.sha256(words.encode()).digest())):
            chosen[curve] = number % 2 == 0 and not curve.startswith((*ADDED, *UNTOUCHED))
    return chosen


def looked_at(all_figures: Iterable[Figure]) -> set[str]:
    """Return the groups of UNTOUCHED that decision 0105 looked at: every other one by SHA-256."""
    chosen: set[str] = set()
    every = list(all_figures)
    for tables in (UNTOUCHED[:1], UNTOUCHED[1:]):
        groups = {" ".join(figure.group) for figure in every if figure.table in tables}
        chosen.update(sorted(groups, key=lambda words: hashlib.sha256(words.encode()).digest())[::2])
    return chosen


def simulate(program: Path, some: list[Figure], changes: list[str], lines: int) -> dict[Figure, float]:
    """Return GB/s of each."""
    found = {}
    for dimms, single in itertools.product((1, 6), (False, True)):
        chosen = [f for f in some if f.dimms == dimms and (f.access_bytes == 64) == single]
        protocol = [*(SIX if dimms == 6 else []), *(SINGLE if single else [])]
        machine = ",".join([str(CORE / "simulate/presets/optane100.toml"), *protocol, *changes])
        words = "".join(
            f"{f.pattern} {f.kind} {f.access_bytes} {f.threads} {f.fence_bytes} {f.flush} "
            f"{max(lines + lines // 8 * f.threads, 6 * f.fence_bytes // 64)}\n"
            for f in chosen
        )
        done = subprocess.run([program, machine], input=words, capture_output=True, text=True, check=True)
        for figure, line in zip(chosen, done.stdout.splitlines(), strict=True):
            found[figure] = float(line.split()[0])
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=HALVES, default="fitting")
    parser.add_argument("--list", action="store_true", help="print the halves alone")
    parser.add_argument("--rows", action="store_true", help="print each figure")
    parser.add_argument("--only", default="", help="groups that contain this text")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="of the simulated machine")
    parser.add_argument("--lines", type=int, default=60_000, help="of one thread; more threads take more")
    parser.add_argument("--program", type=Path, help="native/optane, if it is built")
    words = parser.parse_args()
    every = list(figures())
    chosen = halves(every)
    if words.list:
        for curve, fits in sorted(chosen.items()):
            print(f"{'fitting' if fits else 'held-out':8} {curve}")
        return 0
    later, looked = words.half in HALVES[3:], looked_at(every)
    wanted = [f for f in every if (f.table in UNTOUCHED) == later]
    if later:
        wanted = [f for f in wanted if (" ".join(f.group) in looked) == (words.half == "looked-at")]
    if words.half in ("fitting", "held-out"):
        wanted = [f for f in wanted if chosen[f.curve] == (words.half == "fitting")]
    wanted = [f for f in wanted if words.only in " ".join(f.group)]
    with tempfile.TemporaryDirectory() as name:
        found = simulate(words.program or compiled(Path(name), "optane", SOURCES), wanted, words.set, words.lines)
    if words.rows:
        for figure, rate in found.items():
            error = rate / figure.published - 1
            print(f"{figure.curve:55} {figure.threads:3} {figure.published:8.3f} {rate:8.3f} {error:+7.1%}")
    report(found)
    return 0


def report(found: dict[Figure, float]) -> None:
    groups: dict[str, list[float]] = {}
    for figure, rate in found.items():
        error = abs(rate / figure.published - 1)
        for group in (" ".join(figure.group), "all"):
            groups.setdefault(group, []).append(error)
    print(f"{'figures':50} {'n':>4} {'median':>7} {'mean':>7} {'worst':>7}")
    for group, errors in sorted(groups.items(), key=lambda item: (item[0] == "all", item[0])):
        median, mean = statistics.median(errors), statistics.mean(errors)
        print(f"{group:50} {len(errors):4} {median:7.1%} {mean:7.1%} {max(errors):7.1%}")


if __name__ == "__main__":
    sys.exit(main())
