"""Document 000, a chapter on NVDIMMs: STREAM on two memories, and threads that share out both."""

from tierscope.reference import Reference, load
from tierscope.reproduce import Claim, Document, Figure, reproduce
from tierscope.reproduce.scores_000 import scores

KERNELS = ("copy", "scale", "add", "triad")
CORES = 16
CHANNELS, CHANNEL_MB_S = 6, 21_328  # DDR4-2666: 2666 x 8 bytes
BUS = {"copy": 3 / 2, "scale": 3 / 2, "add": 4 / 3, "triad": 4 / 3}  # bytes moved over bytes counted: stores read first
SPLIT = 6  # NVDIMM threads of figures 4, 6 and 8
TABLES = (("table 3", "nvm_nvm"), ("table 4", "nvm_dram"), ("table 5", "dram_nvm"))
SUM_SLACK = 0.01  # MB/s; two addends, each rounded to 0.01

CUT = "cut off, not rounded"


def stream(memory: str, kernel: str, threads: int) -> float:
    """Return MB/s of table 1 or 2."""
    row = load(f"document000_stream_{memory}").where(threads=threads)
    return float(row.columns[f"{kernel}_mb_s"][0])


def column(memory: str, kernel: str) -> list[float]:
    return [float(rate) for rate in load(f"document000_stream_{memory}").columns[f"{kernel}_mb_s"]]


def table(name: str) -> Reference:
    return load(f"document000_contention_{name}")


def split(name: str, threads: int, what: str) -> float:
    """Return MB/s of tables 3 to 5 at this number of NVDIMM threads: dram, nvdimm or sum."""
    return float(table(name).where(nvdimm_threads=threads).columns[f"{what}_mb_s"][0])


def mean_sum(name: str) -> float:
    return float(table(name).si("sum_mb_s").mean() / 1e6)


def claims() -> list[Claim]:
    """Return the claims, of tables first, then of sentences."""
    return [_shares(), _carried(), *_sums(), *_hyper_threads(), *_levels(), _single(), _spoken(), *_totals()]


def _shares() -> Claim:
    columns = load("document000_ratio").columns
    rows = list(zip(*(columns[name].tolist() for name in columns), strict=True))
    figures = [Figure(f"{n}", share, 100 * nvdimm / dram, 0.1) for n, dram, nvdimm, share in rows]
    _, dram, nvdimm, share = rows[0]
    lost = Figure("1, as a difference", share, 100 * (dram - nvdimm) / dram, 0.1, fault="the column is a ratio")
    return Claim("table 6", "copy on NVDIMMs and on DRAM, titled a difference", "%", (*figures, lost), "threads")


def _carried() -> Claim:
    columns = load("document000_ratio").columns
    figures = [
        Figure(f"{memory}, {n} threads", rate, stream(memory, "copy", n), 0.1)
        for memory in ("dram", "nvdimm")
        for n, rate in zip(columns["threads"].tolist(), columns[f"{memory}_mb_s"].tolist(), strict=True)
    ]
    return Claim("table 6", "copy, carried over from tables 1 and 2", "MB/s", tuple(figures))


def _sums() -> list[Claim]:
    found = []
    for where, name in TABLES:
        columns = table(name).columns
        rows = zip(*(columns[key].tolist() for key in columns), strict=True)
        figures = [Figure(f"{n}", total, dram + nvdimm, 0.01, SUM_SLACK) for n, dram, nvdimm, total in rows]
        found.append(Claim(where, "sum of DRAM and NVDIMM bandwidth", "MB/s", tuple(figures), "NVDIMM threads"))
    return found


def _hyper_threads() -> list[Claim]:
    """Round figures, claimed for all kernels; they are true of some."""
    return [
        _each("section 1.2", "32 threads below 16, DRAM", "dram", 2000, 2 * CORES, ("triad",)),
        _each("section 1.2", "fall at thread 17, DRAM", "dram", 10_000, CORES + 1, ("copy", "add", "triad")),
        _each("section 1.3", "fall at thread 17, NVDIMM", "nvdimm", 15_000, CORES + 1, ("copy",)),
    ]


def _each(where: str, says: str, memory: str, published: float, threads: int, good: tuple[str, ...]) -> Claim:
    fault = f"true of {', '.join(good)} alone"
    figures = [
        Figure(
            kernel,
            published,
            stream(memory, kernel, CORES) - stream(memory, kernel, threads),
            1000,
            fault="" if kernel in good else fault,
        )
        for kernel in KERNELS
    ]
    return Claim(where, says, "MB/s", tuple(figures))


def _levels() -> list[Claim]:
    best = [Figure("NVDIMM, copy", 51_273, max(column("nvdimm", "copy")), fault=CUT)]
    best += [Figure("DRAM, copy", 65_000, max(column("dram", "copy")), 1000, fault=CUT)]
    fault = "33 to 43 %, not half"
    half = [
        Figure(kernel, 0.5, stream("nvdimm", kernel, 1) / stream("dram", kernel, 1), 0.1, fault=fault)
        for kernel in KERNELS
    ]
    return [
        Claim("sections 1.3, 1.4.4", "highest bandwidth", "MB/s", tuple(best)),
        Claim("section 1.3", "one NVDIMM thread has half of a DRAM thread's bandwidth", "1", tuple(half)),
    ]


def _single() -> Claim:
    """Return speeds of single threads that the text reads off figures, with the shares of the tables' sums."""
    spoken = (
        ("table 3", "nvm_nvm", "nvdimm", 3000, 1000), ("table 4", "nvm_dram", "dram", 4300, 100),
        ("table 4", "nvm_dram", "nvdimm", 3800, 100), ("table 5", "dram_nvm", "dram", 4100, 100),
        ("table 5", "dram_nvm", "nvdimm", 3800, 100),
    )  # fmt: skip
    figures = [
        Figure(
            f"{where}, {what}", said, split(name, SPLIT, what) / (SPLIT if what == "nvdimm" else CORES - SPLIT), step
        )
        for where, name, what, said, step in spoken
    ]
    return Claim("figures 4, 6, 8", "speed of one thread while 6 of 16 use NVDIMMs", "MB/s", tuple(figures))


def _spoken() -> Claim:
    """Return shares of the closing section."""
    said = ((1, 43, 1, ""), (2, 52, 1, ""), (6, 40, 10, ""), (7, 51, 1, ""), (16, 75, 1, "74.3 % in its table 6"))
    figures = [
        Figure(f"{n}", share, 100 * stream("nvdimm", "copy", n) / stream("dram", "copy", n), step, fault=fault)
        for n, share, step, fault in said
    ]
    return Claim("section 1.4.4", "copy on NVDIMMs as a share of copy on DRAM", "%", tuple(figures), "threads")


def _totals() -> list[Claim]:
    """Return how the sum of both bandwidths goes over the splits."""
    first, fifth, last = (split("nvm_nvm", n, "sum") for n in (1, 5, 15))
    falls = (
        Figure("1 to 5", 1100, first - fifth, 100),
        Figure("5 to 15", 10_000, fifth - last, 1000, fault="10,688 MB/s by its table 3"),
    )
    steady = (
        Figure("table 4", 64_000, mean_sum("nvm_dram"), 1000, fault="the mean is 65,056 MB/s, every row above 64,500"),
        Figure("table 5", 63_000, mean_sum("dram_nvm"), 1000),
    )
    return [
        Claim("section 1.4.1", "fall of the sum, NVDIMM to NVDIMM", "MB/s", falls, "NVDIMM threads"),
        Claim("sections 1.4.2, 1.4.3", "sum that stays about the same", "MB/s", steady),
    ]


def remarks() -> list[str]:
    """Return what the tables answer that the text asks or leaves open."""
    mixed = max(max(table(name).columns["sum_mb_s"].tolist()) for _, name in TABLES)
    alone = max(column("dram", "copy"))
    bus = [factor * stream("dram", kernel, CORES) for kernel, factor in BUS.items()]
    peak = CHANNELS * CHANNEL_MB_S
    step = stream("nvdimm", "copy", 2) / stream("nvdimm", "copy", 1)
    return [
        f"mixing both memories beats DRAM alone by {100 * (mixed / alone - 1):.2f} % at best: that is not a gain",
        f"with the reads that stores cost, 16 threads move {max(bus) / 1e3:.1f} GB/s, {max(bus) / peak:.1%} of peak",
        f"two NVDIMM threads are {step:.2f}x as fast as one: the rows scatter more than the effects read off them",
        "NVDIMM loops look up the object again for each element: 43 % at one thread mixes software with the memory",
    ]


reproduce.add(Document("000", "a chapter on NVDIMMs compared with DRAM", claims, remarks, scores))
