"""Score the models `loaded_family` and `threads` on published tables, and print a Markdown table: misses and hits.

    .venv/bin/python benchmarks/predict/published.py [CURVES] > table.md

CURVES is the folder `data/bw_lat_curves` of the repository bsc-mem/PROFET, which is not part of Tierscope: latency over
bandwidth of two memories, for 51 mixes of reads and writes. Without it these rows are left out.

    loaded_family   gets the at most 12 points that `chosen` selects without a look at latency, and predicts the others
    threads         gets one thread of a kernel and the curves of other kernels up to all cores, or a curve of CURVES,
                    and predicts the kernel with all other numbers of threads

    USL             gets the same thread and the other kernel of most alike traffic up to all cores (rivals.py)

Nothing is fitted to points that are scored. PROFET states cycles and megabytes per second; ratios of both are scored.
Behind the most bandwidth of a mix, its points are left out: there a bandwidth has several latencies.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from rivals import Usl

from tierscope.arrays import Floats
from tierscope.models.loaded_family import LoadedFamily, chosen
from tierscope.models.model import FitError
from tierscope.models.threads import DeviceCurve, Threads
from tierscope.reference import load
from tierscope.reproduce.score import Point, scatter
from tierscope.reproduce.scores_000 import CORES, KERNELS, alone, noise

KNEE = 0.8  # of the most bandwidth of a mix: below and above it are scored apart
PER_BYTE = {"copy": 3 / 2, "scale": 3 / 2, "add": 4 / 3, "triad": 4 / 3}  # a plain store first reads its line
OPTANE = {"read": (1.0, 1.0), "nt_write": (1.0, 0.0), "store_clwb": (2.0, 0.5)}  # the same, and shares of reads
READS = {"W9": 3 / 4, "W8": 1 / 2, "W7": 2 / 3, "W6": 0.0}  # of document 003, whose stores are non-temporal
MEMORIES = {"local_socket": "DDR4 of the own package", "upi_remote_socket": "DDR4 of the other package"}
BUS_READS = {"copy": 2 / 3, "scale": 2 / 3, "add": 3 / 4, "triad": 3 / 4}
MB = 1e6
Family = tuple[Floats, Floats, Floats]
"""Shares of reads, bandwidths, latencies."""


def main(words: list[str]) -> None:
    folder = Path(words[0]) if words else None
    print("| model | data | given | points | mean error | p90 | worst | inside the bounds | mean half-width "
          "| USL, mean error |")  # fmt: skip
    print("|---|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for stride in (64, 256):
        family(f"table 1 of `003`, stride {stride} B", of_document(stride))
    for name, title in MEMORIES.items() if folder else ():
        assert folder
        family(f"PROFET, {title}", of_profet(folder, name))
    for memory, table in (("dram", "table 1 of `000`, DRAM"), ("nvdimm", "table 2 of `000`, NVDIMMs")):
        points = [point for kernel in KERNELS for point in of_kernel(memory, kernel)]
        usl = [point for kernel in KERNELS for point in usl_of_kernel(memory, kernel)]
        for more, title, given in ((False, "2 to 16", "other kernels"), (True, "17 to 32", "other kernels to 16")):
            mine, theirs = ([point for point in every if is_many(point) == more] for every in (points, usl))
            row("threads", f"{table}, {title} threads", f"1 thread; {given}", mine, theirs)
    for dimms in (1, 6):
        optane(dimms)
    if folder:
        points = [point for kernel in KERNELS for point in by_latency(folder, kernel)]
        row("threads", "table 1 of `000`, DRAM, 2 to 16 threads", "1 thread; latency of a like machine", points)


def optane(dimms: int) -> None:
    data, given = f"Optane 100, DIMMs: {dimms}", "1 thread; other kinds of access"
    try:
        row("threads", data, given, list(of_optane(dimms)))
    except FitError as error:
        print(f"| `threads` | {data} | {given} | | not known: {error} | | | | | |")


def is_many(point: Point) -> bool:
    return int(point.label.split()[-1]) > CORES


def row(model: str, data: str, given: str, points: list[Point], usl: Sequence[Point] = ()) -> None:
    errors = np.array([point.error for point in points])
    bounds = [(point.low or 0.0, point.measured, point.high or 0.0) for point in points]
    inside = np.mean([low <= measured <= high for low, measured, high in bounds])
    half = np.mean([(point.high - point.low) / 2 / point.predicted for point in points if point.low and point.high])
    off = np.abs(errors)
    worst = errors[off.argmax()]
    simple = f"{100 * np.mean([abs(point.error) for point in usl]):.1f} %" if usl else ""
    numbers = (f"{100 * off.mean():.1f} %", f"{100 * np.percentile(off, 90):.1f} %", f"{100 * worst:+.1f} %",
               f"{100 * inside:.0f} %", f"{100 * half:.0f} %", simple)  # fmt: skip
    print(f"| `{model}` | {data} | {given} | {len(points)} | {' | '.join(numbers)} |")


def family(data: str, points: Family) -> None:
    shares, bandwidth, latency = points
    try:
        given = chosen(shares, bandwidth)
        model = LoadedFamily.fit(shares[given], bandwidth[given], latency[given])
    except FitError as error:
        print(f"| `loaded_family` | {data} | | {shares.size} | not known: {error} | | | | | |")
        return
    below: list[Point] = []
    above: list[Point] = []
    for i in sorted(set(range(shares.size)) - set(given)):
        found = model.predict(shares[i], bandwidth[i])
        part = bandwidth[i] / bandwidth[shares == shares[i]].max()
        (below if part < KNEE else above).append(Point("", found.value, float(latency[i]), found.low, found.high))
    words = f"{len(given)} of {shares.size} points"
    row("loaded_family", f"{data}, below {100 * KNEE:.0f} % of the most bandwidth", words, below)
    row("loaded_family", f"{data}, from there on", words, above)


def of_document(stride: int) -> Family:
    table = load("document003_loaded_latency")
    mine = table.columns["stride_bytes"] == stride
    shares = np.array([READS[str(mode)] for mode in table.columns["mode"][mine]])
    return shares, table.si("bandwidth_mb_s")[mine], table.si("latency_ns")[mine]


def of_profet(folder: Path, name: str) -> Family:
    (path,) = folder.glob(f"*__{name}/curves.json")
    found: list[tuple[float, float, float]] = []
    for word, pairs in json.loads(path.read_text()).items():
        curve = np.array([pair for pair in pairs if pair[0] > 0])
        stable = curve[: int(curve[:, 0].argmax()) + 1]
        found += [(int(word) / 100, rate * MB, time) for rate, time in stable]
    shares, bandwidth, latency = np.array(found).T
    return shares, bandwidth, latency


def of_kernel(memory: str, kernel: str) -> Iterator[Point]:
    """Yield a kernel of document 000 with two threads or more, from the three others."""
    curves = []
    for other in alike(kernel):
        n, b = alone(memory, other)
        curves.append(DeviceCurve.of(n[n <= CORES], b[n <= CORES] * PER_BYTE[other], BUS_READS[other]))
    n, b = alone(memory, kernel)
    model = Threads.fit(
        float(b[0]), PER_BYTE[kernel], BUS_READS[kernel], curves, cores=CORES, noise=noise(memory, kernel)
    )
    yield from predicted(model, kernel, n, b)


def alike(kernel: str) -> list[str]:
    """Return the other kernels, the one with the most alike traffic first."""
    return sorted(set(KERNELS) - {kernel}, key=lambda name: (abs(PER_BYTE[name] - PER_BYTE[kernel]), name))


def usl_of_kernel(memory: str, kernel: str) -> Iterator[Point]:
    """Yield the same points by the scaling law of another kernel."""
    n, b = alone(memory, alike(kernel)[0])
    law = Usl.fit(n[n <= CORES], b[n <= CORES])
    n, b = alone(memory, kernel)
    one = float(b[n == 1][0])
    for threads, measured in zip(n.tolist(), b.tolist(), strict=True):
        if threads > 1:
            yield Point(f"{kernel} {threads:.0f}", law.predict(one, threads), measured)


def predicted(model: Threads, name: str, threads: Floats, bandwidth: Floats) -> Iterator[Point]:
    for n, measured in zip(threads.tolist(), bandwidth.tolist(), strict=True):
        if n > 1:
            one = model.predict(n)
            yield Point(f"{name} {n:.0f}", one.value, measured, one.low, one.high)


def of_optane(dimms: int) -> Iterator[Point]:
    columns = load("optane100_bandwidth_threads").columns
    mine = columns["dimms"] == dimms
    kinds = {
        kind: (columns["threads"][mine & (columns["kind"] == kind)].astype(float),
               columns["bandwidth_gb_s"][mine & (columns["kind"] == kind)].astype(float) * 1e9)
        for kind in OPTANE
    }  # fmt: skip
    curves = {kind: DeviceCurve.of(n, b * OPTANE[kind][0], OPTANE[kind][1]) for kind, (n, b) in kinds.items()}
    for kind, (n, b) in kinds.items():
        others = [curve for other, curve in curves.items() if other != kind]
        model = Threads.fit(float(b[n == 1][0]), *OPTANE[kind], others, cores=float(n.max()), noise=scatter(b / n))
        yield from predicted(model, kind, n, b)


def by_latency(folder: Path, kernel: str) -> Iterator[Point]:
    """Yield a kernel of document 000 up to all cores, from the curve of another machine with the same memory."""
    shares, bandwidth, latency = of_profet(folder, "local_socket")
    share = min(np.unique(shares), key=lambda one: abs(one - BUS_READS[kernel]))
    mine = shares == share
    n, b = alone("dram", kernel)
    curve = DeviceCurve.under_load(bandwidth[mine], latency[mine], float(share))
    model = Threads.fit(
        float(b[0]), PER_BYTE[kernel], BUS_READS[kernel], [curve], cores=CORES, noise=noise("dram", kernel)
    )
    yield from predicted(model, kernel, n[n <= CORES], b[n <= CORES])


if __name__ == "__main__":
    main(sys.argv[1:])
